import type { Anchor } from "../../core/capsule/contextSummary.ts";
import type { ContextState, Generation } from "../../core/projection.ts";
import type {
  CommitmentAction,
  CommitmentRecord,
  CompactionReceipt,
  EvictedPart,
} from "../../core/records.ts";
import type { ChainEntry } from "../../sessions/entries.ts";

interface HistoryBase {
  /** When it was written; milliseconds since the epoch. */
  readonly at: number;
  /** Undo was asked for it, or a run before it. */
  readonly undone: boolean;
}

/** A capsule: made by a run, or by the person's hand. */
export interface GenerationItem extends HistoryBase {
  readonly kind: "generation";
  readonly generation: Generation;
  /** The one that it followed. */
  readonly previous: Generation | undefined;
  readonly runId: string | undefined;
  /** What the person did, of a change by hand. */
  readonly hand: CommitmentAction | undefined;
  /** Parts that its run evicted; of a run with several generations, with the first. */
  readonly evicted: readonly EvictedPart[];
  /** Tokens of the request before: of a run that evicted first, before that. */
  readonly before: number | undefined;
  /** What the context holds now. */
  readonly current: boolean;
  readonly retired: readonly RetiredItem[];
}

/** A run that only evicted. */
export interface EvictionItem extends HistoryBase {
  readonly kind: "eviction";
  readonly runId: string;
  readonly receipt: CompactionReceipt;
  readonly evicted: readonly EvictedPart[];
  /** How the summary after it ended, where one was tried. */
  readonly summaryFailure: CompactionReceipt | undefined;
}

/** A run that changed nothing. */
export interface AttemptItem extends HistoryBase {
  readonly kind: "attempt";
  readonly runId: string;
  readonly receipt: CompactionReceipt;
}

export type HistoryItem = GenerationItem | EvictionItem | AttemptItem;

/** A commitment that a generation no longer has. */
export interface RetiredItem {
  readonly anchor: Anchor;
  /** What superseded it, and so the sentence that retired it; undefined where it was carried out for want of room. */
  readonly by: Anchor | undefined;
  /** The generation that retired it. */
  readonly generation: number;
}

interface RunRecords {
  readonly evicted: EvictedPart[];
  eviction: { readonly at: number; readonly receipt: CompactionReceipt } | undefined;
  failure: CompactionReceipt | undefined;
  generations: number;
  /** Id of the entry of its first generation. */
  firstGeneration: string | undefined;
}

/** All that compaction did on the active branch, newest first: what stands, what was undone, what failed. */
export function capsuleHistory(branch: readonly ChainEntry[], context: ContextState): HistoryItem[] {
  const undone = new Set<string>();
  for (const entry of branch) if (entry.type === "undo") undone.add(entry.runId);
  const runs = collectRuns(branch);
  const byMessage = new Map(context.generations.map((generation) => [generation.messageId, generation]));
  const lineage = new Lineage();

  const items: HistoryItem[] = [];
  for (const entry of branch) {
    switch (entry.type) {
      case "eviction": {
        const { runId, receipt } = entry.record;
        const run = runs.get(runId);
        if (run === undefined || run.generations > 0 || run.eviction?.receipt !== receipt) break;
        const summaryFailure = run.failure;
        const isUndone = undone.has(runId);
        items.push({
          kind: "eviction",
          at: entry.at,
          undone: isUndone,
          runId,
          receipt,
          evicted: run.evicted,
          summaryFailure,
        });
        break;
      }
      case "compaction": {
        const { runId, summary } = entry.record;
        const generation = byMessage.get(`capsule-${runId}-${summary.generation}`);
        if (generation === undefined) break;
        const run = runs.get(runId);
        const evicted = run?.evicted ?? [];
        items.push({
          ...generationItem(generation, lineage, context),
          at: entry.at,
          runId,
          hand: undefined,
          evicted: [...evicted],
          before: run?.firstGeneration === entry.id ? run.eviction?.receipt.before : undefined,
        });
        if (run !== undefined) run.evicted.length = 0;
        break;
      }
      case "commitment": {
        const generation = byMessage.get(`capsule-${entry.record.id}`) ?? undoneByHand(entry.record);
        if (generation === undefined) break;
        items.push({
          ...generationItem(generation, lineage, context),
          at: entry.at,
          runId: undefined,
          hand: entry.record.action,
          evicted: [],
          before: undefined,
        });
        break;
      }
      case "attempt": {
        const { runId, receipt } = entry.record;
        if (runs.get(runId)?.failure === receipt && runs.get(runId)?.eviction !== undefined) break;
        items.push({ kind: "attempt", at: entry.at, undone: false, runId, receipt });
        break;
      }
      case "message":
      case "undo":
      case "usage":
        break;
    }
  }
  return items.reverse();
}

function collectRuns(branch: readonly ChainEntry[]): Map<string, RunRecords> {
  const runs = new Map<string, RunRecords>();
  const run = (runId: string): RunRecords => {
    let records = runs.get(runId);
    if (records === undefined) {
      records = {
        evicted: [],
        eviction: undefined,
        failure: undefined,
        generations: 0,
        firstGeneration: undefined,
      };
      runs.set(runId, records);
    }
    return records;
  };
  for (const entry of branch) {
    if (entry.type === "eviction") {
      const records = run(entry.record.runId);
      records.evicted.push(...entry.record.evicted);
      records.eviction ??= { at: entry.at, receipt: entry.record.receipt };
    } else if (entry.type === "compaction") {
      const records = run(entry.record.runId);
      records.generations += 1;
      records.firstGeneration ??= entry.id;
    }
    if (entry.type === "attempt") {
      const records = run(entry.record.runId);
      records.failure ??= entry.record.receipt;
    }
  }
  return runs;
}

/** A change by hand whose capsule the context does not have: the run it rested on was undone. */
function undoneByHand({ id, summary }: CommitmentRecord): Generation | undefined {
  if (summary === undefined) return undefined;
  const messageId = `capsule-${id}`;
  return {
    generation: summary.generation,
    summary,
    messageId,
    runId: undefined,
    receipt: undefined,
    undone: true,
  };
}

/** The generation with this message id, undone or not. */
export function findGeneration(
  branch: readonly ChainEntry[],
  context: ContextState,
  messageId: string,
): Generation | undefined {
  const known = context.generations.find((generation) => generation.messageId === messageId);
  if (known !== undefined) return known;
  const entry = branch.find((one) => one.type === "commitment" && `capsule-${one.record.id}` === messageId);
  return entry?.type === "commitment" ? undoneByHand(entry.record) : undefined;
}

/** Finds what each generation followed, while they are walked oldest first. */
class Lineage {
  readonly #newest = new Map<number, { readonly generation: Generation; readonly retired: RetiredItem[] }>();

  follow(generation: Generation): { previous: Generation | undefined; retired: RetiredItem[] } {
    const before = this.#newest.get(generation.summary.generation - 1);
    const retired = [...(before?.retired ?? []), ...retiredBetween(before?.generation, generation)].filter(
      ({ anchor }) => !stands(anchor, generation),
    );
    const entry = { generation, retired };
    this.#newest.set(generation.summary.generation, entry);
    return { previous: before?.generation, retired };
  }
}

/** The same words stand again as a commitment, by whatever key: somebody restored it. */
function stands({ text }: Anchor, { summary }: Generation): boolean {
  return summary.anchors.some((anchor) => anchor.critical && anchor.text === text);
}

function retiredBetween(before: Generation | undefined, after: Generation): RetiredItem[] {
  if (before === undefined) return [];
  const kept = new Set(after.summary.anchors.map(({ key }) => key));
  const { generation } = after.summary;
  return before.summary.anchors.flatMap((anchor) => {
    if (!anchor.critical || kept.has(anchor.key)) return [];
    const by = after.summary.anchors.find(({ supersedes }) => supersedes.includes(anchor.key));
    return [{ anchor, by, generation }];
  });
}

function generationItem(
  generation: Generation,
  lineage: Lineage,
  context: ContextState,
): Omit<GenerationItem, "at" | "runId" | "hand" | "evicted" | "before"> {
  const { previous, retired } = lineage.follow(generation);
  return {
    kind: "generation",
    undone: generation.undone,
    generation,
    previous,
    retired,
    current: !generation.undone && generation.summary === context.summary,
  };
}
