/** What a session costs as it ages: the same operations on sessions of n and 2n. */
import type { SessionEngine } from "../../src/engine/sessionEngine.ts";
import type { BenchPlace, BenchSession } from "./benchSessions.mts";
import { goLive, inlineEntries, offlineModel } from "./benchSessions.mts";
import type { LongestBlock } from "./blocks.mts";
import { longestBlock, usualBlock } from "./blocks.mts";
import type { Row } from "./table.mts";
import { blockRow, MOST_BLOCK_MS, MOST_GROWTH_RATIO, ratioRow } from "./table.mts";
import { collectGarbage, median, perCall, timed } from "./timing.mts";

/** One operation costs nothing more: what is above 1 is the noise of a shared machine. */
const MOST_AGEING_RATIO = 1.5;
const OPERATIONS = 200;

interface Costs {
  readonly openMs: number;
  readonly appendMs: number;
  readonly meterMs: number;
  readonly hoverMs: number;
  readonly previewMs: number;
  readonly compactMs: number;
  readonly undoMs: number;
  readonly previewBlock: LongestBlock;
  readonly compactBlock: LongestBlock;
  readonly undoBlock: LongestBlock;
}

/** `young` and `old`: sessions of which the second is twice as long. */
export async function growingRows(
  place: BenchPlace,
  [young, old]: readonly [BenchSession, BenchSession],
  rounds: number,
): Promise<Row[]> {
  const youngCosts: Costs[] = [];
  const oldCosts: Costs[] = [];
  await costsOf(place, young);
  for (let round = 0; round < rounds; round += 1) {
    youngCosts.push(await costsOf(place, young));
    oldCosts.push(await costsOf(place, old));
  }
  const row = (what: string, name: keyof Costs, most: number): Row =>
    ratioRow({
      measure: `${what}, ${old.megabytes} MB`,
      ms: median(oldCosts.map((costs) => costs[name] as number)),
      reference: `at ${young.megabytes} MB`,
      referenceMs: median(youngCosts.map((costs) => costs[name] as number)),
      most,
    });
  const block = (what: string, name: "previewBlock" | "compactBlock" | "undoBlock"): Row =>
    blockRow(`${what} ${old.megabytes} MB`, usualBlock(oldCosts.map((costs) => costs[name])), MOST_BLOCK_MS);
  return [
    row("append of one message", "appendMs", MOST_AGEING_RATIO),
    row("meter after a change", "meterMs", MOST_AGEING_RATIO),
    row("meter with its hover's numbers", "hoverMs", MOST_AGEING_RATIO),
    row("opening", "openMs", MOST_GROWTH_RATIO),
    row("preview", "previewMs", MOST_GROWTH_RATIO),
    row("compact now, offline summarizer", "compactMs", MOST_GROWTH_RATIO),
    row("undo", "undoMs", MOST_GROWTH_RATIO),
    block("preview of", "previewBlock"),
    block("compact now of", "compactBlock"),
    block("undo of", "undoBlock"),
  ];
}

async function costsOf(place: BenchPlace, session: BenchSession): Promise<Costs> {
  const copy = place.copy(session);
  const store = place.store();
  collectGarbage();
  let live: SessionEngine | undefined;
  const openMs = await timed(async () => {
    live = await goLive(await store.open(copy));
  });
  if (live === undefined) throw new Error("The session did not open.");
  const engine = live;
  const entries = inlineEntries(OPERATIONS);
  const appendMs = await timed(async () => {
    for (const entry of entries) await engine.append([entry], "turn");
  });
  const read = (use: (engine: SessionEngine) => unknown): number => {
    engine.changed();
    use(engine);
    return perCall(OPERATIONS, () => {
      engine.changed();
      use(engine);
    });
  };
  const meterMs = read(({ meter }) => meter.usedTokens);
  const hoverMs = read(({ meter }) => meter.evictable);
  const model = offlineModel();
  let previewMs = 0;
  let compactMs = 0;
  let undoMs = 0;
  const previewBlock = await longestBlock(async () => {
    previewMs = await timed(() => engine.preview({ model }));
  });
  const compactBlock = await longestBlock(async () => {
    const signal = new AbortController().signal;
    compactMs = await timed(async () => {
      const outcome = await engine.compact({ trigger: "manual", model, signal });
      if (outcome.state !== "summarized")
        throw new Error(`Compacting ended ${outcome.state}: ${outcome.reason}.`);
    });
  });
  const undoBlock = await longestBlock(async () => {
    undoMs = await timed(async () => {
      const outcome = await engine.undo();
      if (!outcome.ok) throw new Error(`Undo said ${outcome.reason}.`);
    });
  });
  await engine.dispose();
  await store.dispose();
  return {
    openMs,
    appendMs: appendMs / OPERATIONS,
    meterMs,
    hoverMs,
    previewMs,
    compactMs,
    undoMs,
    previewBlock,
    compactBlock,
    undoBlock,
  };
}
