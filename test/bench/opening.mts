/** Opening sessions, against `JSON.parse` of the same lines alone. */
import { readFileSync } from "node:fs";
import type { SessionEngine } from "../../src/engine/sessionEngine.ts";
import type { BenchPlace, BenchSession } from "./benchSessions.mts";
import { BYTES_PER_MB, goLive } from "./benchSessions.mts";
import type { LongestBlock } from "./blocks.mts";
import { longestBlock, threadCpuMs, usualBlock } from "./blocks.mts";
import type { Row } from "./table.mts";
import { blockRow, limitRow, ratioRow } from "./table.mts";
import { collectGarbage, interleaved, median, nextTurn, pause, timed } from "./timing.mts";

const MOST_OPENING_RATIO = 2.2;
const MOST_HEAP_RATIO = 1.5;
const MOST_TAIL_MS = 20;
const TAIL_MESSAGES = 200;
const WARM_UPS = 3;

export async function openingRows(
  place: BenchPlace,
  sessions: readonly BenchSession[],
  rounds: number,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const session of sessions) rows.push(...(await rowsOf(place, session, rounds)));
  return rows;
}

async function rowsOf(place: BenchPlace, session: BenchSession, rounds: number): Promise<Row[]> {
  const name = `${session.megabytes} MB`;
  const fileTimes: number[] = [];
  const cpuTimes: number[] = [];
  const parseCpuTimes: number[] = [];
  const blocks: LongestBlock[] = [];
  const tailTimes: number[] = [];
  const open = async (): Promise<number> => {
    const opened = await openMeasured(place, session);
    fileTimes.push(opened.fileMs);
    cpuTimes.push(opened.cpuMs);
    blocks.push(opened.block);
    await opened.close();
    return opened.ms;
  };
  // The first openings warm the code up and the page cache.
  for (let time = 0; time < WARM_UPS; time += 1) await open();
  for (const times of [fileTimes, cpuTimes, blocks]) times.length = 0;
  const medians = await interleaved(rounds, {
    open,
    parse: () => {
      const { ms, cpuMs } = parseAlone(session, "discarded");
      parseCpuTimes.push(cpuMs);
      return ms;
    },
    parseAndKeep: () => parseAlone(session, "kept").ms,
    tail: async () => {
      const ms = await tailTime(place, session);
      tailTimes.push(ms);
      return ms;
    },
  });
  const heap = await heapOf(place, session);
  return [
    ratioRow({
      measure: `opening ${name} (${session.messages} messages)`,
      ms: medians.open,
      reference: "JSON.parse of its lines",
      referenceMs: medians.parse,
      most: MOST_OPENING_RATIO,
    }),
    ratioRow({
      measure: "… processor time of our thread",
      ms: median(cpuTimes),
      reference: "JSON.parse of its lines",
      referenceMs: median(parseCpuTimes),
      most: undefined,
    }),
    ratioRow({
      measure: `… of it reading and replaying the file`,
      ms: median(fileTimes),
      reference: "JSON.parse, objects kept",
      referenceMs: medians.parseAndKeep,
      most: undefined,
    }),
    limitRow({
      measure: `last ${TAIL_MESSAGES} messages of ${name}`,
      ms: medians.tail,
      mostMs: MOST_TAIL_MS,
      reference: `slowest of ${tailTimes.length}: ${Math.max(...tailTimes).toFixed(1)} ms`,
    }),
    {
      measure: `heap after opening ${name}`,
      value: `${(heap / BYTES_PER_MB).toFixed(1)} MB`,
      reference: `${(session.bytes / BYTES_PER_MB).toFixed(1)} MB of file`,
      ratio: (heap / session.bytes).toFixed(2),
      goal: `<= ${MOST_HEAP_RATIO} x`,
      met: heap <= session.bytes * MOST_HEAP_RATIO,
    },
    blockRow(`opening ${name}`, usualBlock(blocks)),
  ];
}

async function openMeasured(place: BenchPlace, session: BenchSession) {
  const store = place.store();
  let live: SessionEngine | undefined;
  let fileMs = 0;
  let ms = 0;
  let cpuMs = 0;
  const block = await longestBlock(async () => {
    const startedAt = performance.now();
    const cpuBefore = threadCpuMs() ?? Number.NaN;
    const file = await store.open(session.id);
    fileMs = performance.now() - startedAt;
    live = await goLive(file);
    ms = performance.now() - startedAt;
    cpuMs = (threadCpuMs() ?? Number.NaN) - cpuBefore;
    // What is done behind, when the session is shown already, may not block either.
    while (live.meter.evictable === undefined) await nextTurn();
  });
  const close = async (): Promise<void> => {
    await live?.dispose();
    await store.dispose();
  };
  return { ms, fileMs, cpuMs, block, close };
}

function parseAlone(session: BenchSession, objects: "kept" | "discarded") {
  const lines = linesOf(readFileSync(session.log));
  const kept: unknown[] = [];
  const startedAt = performance.now();
  const cpuBefore = threadCpuMs() ?? Number.NaN;
  for (const line of lines) {
    const value: unknown = JSON.parse(line);
    if (objects === "kept") kept.push(value);
  }
  return { ms: performance.now() - startedAt, cpuMs: (threadCpuMs() ?? Number.NaN) - cpuBefore };
}

/** Decoded one by one: a single character beyond Latin-1 would make all of one large string twice as wide. */
function linesOf(log: Buffer): string[] {
  const lines: string[] = [];
  for (let start = 0, end = log.indexOf("\n"); end >= 0; end = log.indexOf("\n", start)) {
    lines.push(log.toString("utf8", start, end));
    start = end + 1;
  }
  return lines;
}

async function tailTime(place: BenchPlace, session: BenchSession): Promise<number> {
  const store = place.store();
  let shown = 0;
  const ms = await timed(async () => {
    shown = (await store.tail(session.id, TAIL_MESSAGES)).length;
  });
  await store.dispose();
  if (shown < Math.min(TAIL_MESSAGES, session.messages))
    throw new Error(`The tail of ${session.log} has only ${shown} messages.`);
  return ms;
}

async function heapOf(place: BenchPlace, session: BenchSession): Promise<number> {
  const before = await heapUsed();
  const { close } = await openMeasured(place, session);
  const heap = (await heapUsed()) - before;
  await close();
  return heap;
}

/** After two collections: what the first one finds unused may hold on to more. */
async function heapUsed(): Promise<number> {
  collectGarbage();
  await pause(50);
  collectGarbage();
  return process.memoryUsage().heapUsed;
}
