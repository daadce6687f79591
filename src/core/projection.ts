import type { ContextSummary } from "./capsule/contextSummary.ts";
import type { Message } from "./messages.ts";
import type { CompactionReceipt, EvictedPart } from "./records.ts";

/** A run that still stands on the branch, oldest first in a list of them. */
export interface AppliedRun {
  readonly runId: string;
  readonly kind: "evicted" | "summarized";
  readonly beforeHash: string;
  /** Id of the last message that was there when the run was written. */
  readonly throughMessageId: string | undefined;
  readonly receipts: readonly CompactionReceipt[];
}

/** A capsule of the branch, newest last in a list of them. */
export interface Generation {
  readonly generation: number;
  readonly summary: ContextSummary;
  /** The run that made it; undefined for a change by the person's hand. */
  readonly runId: string | undefined;
  readonly receipt: CompactionReceipt | undefined;
  readonly undone: boolean;
}

/** What is sent now, made from the active branch of a session. */
export interface ContextState {
  /** System, root and pins in record order, the capsule, the tail; open calls answered. */
  readonly messages: readonly Message[];
  /** All messages of the branch in record order, evicted or not. */
  readonly transcript: readonly Message[];
  readonly summary: ContextSummary | undefined;
  readonly generations: readonly Generation[];
  readonly rootId: string | undefined;
  /** Pins of the person. */
  readonly pinnedIds: ReadonlySet<string>;
  readonly tailFrom: string | undefined;
  /** Digest → segment id of all that left this branch. */
  readonly left: ReadonlyMap<string, string>;
  /** Segment id → what stands in its place. */
  readonly evicted: ReadonlyMap<string, EvictedPart>;
  readonly runs: readonly AppliedRun[];
  /** Every run of the branch that was written, attempts included, newest last. */
  readonly receipts: readonly CompactionReceipt[];
}
