/** What a session costs as it ages: the same operations on sessions of n and 2n. */
import type { SessionEngine } from "../../src/engine/sessionEngine.ts";
import type { BenchPlace, BenchSession } from "./benchSessions.mts";
import { goLive, inlineEntries, offlineModel } from "./benchSessions.mts";
import type { LongestBlock } from "./blocks.mts";
import { longestBlock, usualBlock } from "./blocks.mts";
import type { Row } from "./table.mts";
import { blockRow, MOST_GROWTH_RATIO, ratioRow } from "./table.mts";
import { median, nextTurn, perCall, timed } from "./timing.mts";

/** One operation costs nothing more: what is above 1 is the noise of a shared machine. */
const MOST_AGEING_RATIO = 1.5;
const OPERATIONS = 200;

interface AgeCosts {
  readonly openMs: number;
  readonly appendMs: number;
  readonly meterMs: number;
  readonly hoverMs: number;
}

interface RunCosts {
  readonly previewMs: number;
  readonly compactMs: number;
  readonly undoMs: number;
  readonly previewBlock: LongestBlock;
  readonly compactBlock: LongestBlock;
  readonly undoBlock: LongestBlock;
}

/** Two sessions of which the second is twice as long. */
export type Ages = readonly [young: BenchSession, old: BenchSession];

/** What one message more and one look at the meter cost: nothing more as the session ages. */
export async function ageingRows(place: BenchPlace, ages: Ages, rounds: number): Promise<Row[]> {
  const costs = await bothAges(ages, rounds, (session) => ageCosts(place, session));
  return [
    growthRow("append of one message", "appendMs", MOST_AGEING_RATIO, costs),
    growthRow("meter after a change", "meterMs", MOST_AGEING_RATIO, costs),
    growthRow("meter with its hover's numbers", "hoverMs", MOST_AGEING_RATIO, costs),
    growthRow("opening", "openMs", MOST_GROWTH_RATIO, costs),
  ];
}

/** Whole runs over contexts that were never compacted. */
export async function runRows(place: BenchPlace, ages: Ages, rounds: number): Promise<Row[]> {
  const costs = await bothAges(ages, rounds, (session) => runCosts(place, session));
  const block = (what: string, name: "previewBlock" | "compactBlock" | "undoBlock"): Row =>
    blockRow(`${what} ${ages[1].megabytes} MB`, usualBlock(costs.old.map((of) => of[name])));
  return [
    growthRow("preview", "previewMs", MOST_GROWTH_RATIO, costs),
    growthRow("compact now, offline summarizer", "compactMs", MOST_GROWTH_RATIO, costs),
    growthRow("undo", "undoMs", MOST_GROWTH_RATIO, costs),
    block("preview of", "previewBlock"),
    block("compact now of", "compactBlock"),
    block("undo of", "undoBlock"),
  ];
}

interface BothAges<Costs> {
  readonly ages: Ages;
  readonly young: readonly Costs[];
  readonly old: readonly Costs[];
}

async function bothAges<Costs>(
  ages: Ages,
  rounds: number,
  measure: (session: BenchSession) => Promise<Costs>,
): Promise<BothAges<Costs>> {
  const [young, old]: [Costs[], Costs[]] = [[], []];
  await measure(ages[0]);
  for (let round = 0; round < rounds; round += 1) {
    young.push(await measure(ages[0]));
    old.push(await measure(ages[1]));
  }
  return { ages, young, old };
}

function growthRow<Costs>(
  what: string,
  name: keyof Costs,
  most: number,
  { ages, young, old }: BothAges<Costs>,
): Row {
  return ratioRow({
    measure: `${what}, ${ages[1].megabytes} MB`,
    ms: median(old.map((costs) => costs[name] as number)),
    reference: `at ${ages[0].megabytes} MB`,
    referenceMs: median(young.map((costs) => costs[name] as number)),
    most,
  });
}

async function ageCosts(place: BenchPlace, session: BenchSession): Promise<AgeCosts> {
  const { engine, openMs, close } = await openCopy(place, session);
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
  await close();
  return { openMs, appendMs: appendMs / OPERATIONS, meterMs, hoverMs };
}

async function runCosts(place: BenchPlace, session: BenchSession): Promise<RunCosts> {
  const { engine, close } = await openCopy(place, session);
  const model = offlineModel();
  const preview = await blockAndTime(() => engine.preview({ model }));
  const compact = await blockAndTime(async () => {
    const { signal } = new AbortController();
    const outcome = await engine.compact({ trigger: "manual", model, signal });
    if (outcome.state !== "summarized")
      throw new Error(`Compacting ended ${outcome.state}: ${outcome.reason}.`);
  });
  const undo = await blockAndTime(async () => {
    const outcome = await engine.undo();
    if (!outcome.ok) throw new Error(`Undo said ${outcome.reason}.`);
  });
  await close();
  return {
    previewMs: preview.ms,
    previewBlock: preview.block,
    compactMs: compact.ms,
    compactBlock: compact.block,
    undoMs: undo.ms,
    undoBlock: undo.block,
  };
}

async function blockAndTime(work: () => Promise<unknown>) {
  let ms = 0;
  const block = await longestBlock(async () => {
    ms = await timed(work);
  });
  return { ms, block };
}

/** Open, with all that is done behind done. */
async function openCopy(place: BenchPlace, session: BenchSession) {
  const store = place.store();
  const id = place.copy(session);
  const startedAt = performance.now();
  const engine = await goLive(await store.open(id));
  const openMs = performance.now() - startedAt;
  while (engine.meter.evictable === undefined) await nextTurn();
  const close = async (): Promise<void> => {
    await engine.dispose();
    await store.dispose();
    place.remove(id);
  };
  return { engine, openMs, close };
}
