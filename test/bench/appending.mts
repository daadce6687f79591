/** Appending to a session, against `writeSync` on a kept descriptor. */
import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { LogEntry } from "../../src/sessions/entries.ts";
import { nodeFiles } from "../../src/sessions/nodeFiles.ts";
import type { AppendHandle, SessionFiles } from "../../src/sessions/sessionFiles.ts";
import type { BenchPlace } from "./benchSessions.mts";
import { goLive, inlineEntries } from "./benchSessions.mts";
import type { LongestBlock } from "./blocks.mts";
import { longestBlock, usualBlock } from "./blocks.mts";
import type { Row } from "./table.mts";
import { blockRow, ratioRow } from "./table.mts";
import { interleaved, nextTurn, pause } from "./timing.mts";

const MOST_APPEND_RATIO = 2;
const APPENDS = 2_000;
const APPENDS_OF_A_TURN = 50;
/** Longer than the product waits before it syncs what a turn wrote. */
const AFTER_THE_TURN_MS = 600;

export async function appendingRows(place: BenchPlace, rounds: number): Promise<Row[]> {
  const ms = await interleaved(rounds, {
    plain: () => plainWrites(place, inlineEntries(APPENDS)),
    session: () => sessionAppends(place, inlineEntries(APPENDS)),
    engine: () => engineAppends(place, inlineEntries(APPENDS)),
  });
  const blocks: LongestBlock[] = [];
  for (let round = 0; round < rounds; round += 1) blocks.push(await turnBlock(place));
  const syncs = await syncsOfATurn(place);
  const reference = "writeSync of the same lines";
  return [
    ratioRow({
      measure: "append of one message, session file",
      ms: ms.session / APPENDS,
      reference,
      referenceMs: ms.plain / APPENDS,
      most: MOST_APPEND_RATIO,
    }),
    ratioRow({
      measure: "append of one message, with context and meter kept up",
      ms: ms.engine / APPENDS,
      reference,
      referenceMs: ms.plain / APPENDS,
      most: undefined,
    }),
    {
      measure: `datasyncs of a turn of ${APPENDS_OF_A_TURN} appends`,
      value: String(syncs),
      reference: "asynchronous",
      ratio: "",
      goal: "<= 1",
      met: syncs <= 1,
    },
    blockRow(`${APPENDS_OF_A_TURN} appends, a turn of the loop after each`, usualBlock(blocks)),
  ];
}

/** The line must be made in either case. */
function plainWrites(place: BenchPlace, entries: readonly LogEntry[]): number {
  const descriptor = openSync(join(place.path, "plain.txt"), "a");
  const startedAt = performance.now();
  for (const entry of entries) writeSync(descriptor, `${JSON.stringify(entry)}\n`);
  const ms = performance.now() - startedAt;
  closeSync(descriptor);
  return ms;
}

async function sessionAppends(place: BenchPlace, entries: readonly LogEntry[]): Promise<number> {
  const store = place.store();
  const file = await store.open(await store.create({ title: "Appends" }));
  const startedAt = performance.now();
  for (const entry of entries) await file.append([entry], "turn");
  const ms = performance.now() - startedAt;
  await file.close();
  await store.dispose();
  return ms;
}

async function engineAppends(place: BenchPlace, entries: readonly LogEntry[]): Promise<number> {
  const store = place.store();
  const live = await goLive(await store.open(await store.create({ title: "Appends" })));
  const startedAt = performance.now();
  for (const entry of entries) await live.append([entry], "turn");
  const ms = performance.now() - startedAt;
  await live.dispose();
  await store.dispose();
  return ms;
}

async function turnBlock(place: BenchPlace): Promise<LongestBlock> {
  const store = place.store();
  const live = await goLive(await store.open(await store.create({ title: "A turn" })));
  const entries = inlineEntries(APPENDS_OF_A_TURN);
  const block = await longestBlock(async () => {
    for (const entry of entries) {
      await live.append([entry], "turn");
      void live.meter;
      await nextTurn();
    }
    await pause(AFTER_THE_TURN_MS);
  });
  await live.dispose();
  await store.dispose();
  return block;
}

async function syncsOfATurn(place: BenchPlace): Promise<number> {
  let syncs = 0;
  const counted: SessionFiles = {
    ...nodeFiles,
    openForAppending(path, options): AppendHandle {
      const handle = nodeFiles.openForAppending(path, options);
      const datasync = () => {
        syncs += 1;
        return handle.datasync();
      };
      return path.endsWith(".jsonl") ? { ...handle, datasync } : handle;
    },
  };
  const store = place.store(counted);
  const file = await store.open(await store.create({ title: "Syncs" }));
  syncs = 0;
  for (const entry of inlineEntries(APPENDS_OF_A_TURN)) await file.append([entry], "turn");
  await pause(AFTER_THE_TURN_MS);
  const ofTheTurn = syncs;
  await file.close();
  await store.dispose();
  return ofTheTurn;
}
