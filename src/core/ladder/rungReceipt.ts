import { sha256Hex } from "../digest.ts";
import { contextHash } from "../projection.ts";
import type { CompactionReceipt, CompactionRecord } from "../records.ts";
import type { Completed } from "../replacement.ts";
import type { RunEnd } from "../runEnd.ts";
import type { LadderRun } from "./ladderRun.ts";

/** What a receipt says beyond the run's own facts. */
export interface ReceiptEntry extends RunEnd {
  readonly rung: CompactionReceipt["rung"];
  /** Tokens of the request after the rung. */
  readonly after: number;
  readonly evictedDigests?: readonly string[];
  readonly pinnedIds?: readonly string[];
  readonly completed?: Completed;
  readonly droppedItems?: number;
  /** Of the rung's call; default: of the run. */
  readonly startedAt?: number;
}

/** The receipt of a rung that is not applied yet: the context as it stands is what was before. */
export function rungReceipt(run: LadderRun, entry: ReceiptEntry): CompactionReceipt {
  const { used, model, trigger, clock } = run.options;
  const { completed, error, startedAt = run.startedAt } = entry;
  const called = entry.contentHash !== undefined && model !== undefined;
  return {
    index: run.done.receipts.length + 1,
    rung: entry.rung,
    trigger,
    basis: used?.basis ?? "estimated",
    before: run.standing.tokens,
    after: entry.after,
    ...(used === undefined ? {} : { usedTokens: used.tokens }),
    evictedDigests: entry.evictedDigests ?? [],
    pinnedIds: entry.pinnedIds ?? [],
    ...(completed === undefined ? {} : { generation: completed.summary.generation }),
    ...(called ? { modelId: model.id, call: callCost(entry) } : {}),
    startedAt,
    durationMs: Math.max(0, clock.now() - startedAt),
    state: entry.state,
    reason: entry.reason,
    failures: entry.failures ?? [],
    ...(error === undefined ? {} : { errorCode: error.code }),
    retired: (completed?.retired ?? []).map(({ key, byKey }) => ({ key, byKey })),
    carriedOutKeys: (completed?.carriedOut ?? []).map(({ key }) => key),
    droppedQuotes: completed?.droppedQuotes ?? 0,
    ...(entry.droppedItems === undefined ? {} : { droppedItems: entry.droppedItems }),
  };
}

/** What every record of a rung that changes the context begins with; by it an undo knows what was before. */
export function boundaryOf(
  { runId, standing, lookup }: LadderRun,
  receipt: CompactionReceipt,
): Pick<CompactionRecord, "runId" | "receipt" | "beforeHash" | "throughMessageId"> {
  return {
    runId,
    receipt,
    beforeHash: contextHash(standing.messages, sha256Hex),
    throughMessageId: lookup.lastId,
  };
}

function callCost({ usage, callId }: RunEnd): NonNullable<CompactionReceipt["call"]> {
  const metered = callId === undefined ? {} : { callId };
  if (usage === undefined) return { basis: "unavailable", ...metered };
  const { inputTokens, outputTokens } = usage;
  return { inputTokens, outputTokens, basis: "reported", ...metered };
}
