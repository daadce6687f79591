import type { ContextSummary } from "./capsule/contextSummary.ts";
import type { Basis, Message } from "./messages.ts";
import type { CompactionPlan, EvictionCandidate, FloorPart } from "./plan.ts";
import type { CompactionReceipt, EndReason, EndState, NextAction } from "./records.ts";

/** A commitment that a run retired, with the sentence that retired it. */
export interface RetiredCommitment {
  readonly key: string;
  readonly text: string;
  readonly byKey: string;
  /** The exact user text that grounds the successor. */
  readonly sentence: string;
}

/** How a run ended: what the person is told, and the context as it stands now. */
export interface CompactOutcome {
  readonly runId: string;
  readonly state: EndState;
  readonly reason: EndReason;
  readonly nextAction: NextAction;
  /** Codes of contract section 5 or of the reply, with `rejected`. */
  readonly failures: readonly string[];
  /** With `provider_error`: the model's code and its own words. */
  readonly error?: { readonly code: string; readonly message: string };
  /** With `evicted`: how the summary after it failed, if one was tried. */
  readonly summaryFailure?: {
    readonly state: EndState;
    readonly reason: EndReason;
    readonly failures: readonly string[];
    readonly error?: { readonly code: string; readonly message: string };
  };
  /** The context after the run; the very same list where nothing changed. */
  readonly messages: readonly Message[];
  readonly summary?: ContextSummary;
  /** Tokens of the request by our own measure. */
  readonly before: number;
  readonly after: number;
  readonly retired: readonly RetiredCommitment[];
  readonly carriedOutKeys: readonly string[];
  readonly evictedCount: number;
  /** With `stopped`: what cannot shrink, largest first. */
  readonly floorParts: readonly FloorPart[];
  /** One for each rung that was tried, in order. */
  readonly receipts: readonly CompactionReceipt[];
}

/** What a run would do, without a model call and without a write. */
export interface CompactionPreview {
  readonly plan: CompactionPlan;
  readonly before: number;
  /** Tokens after eviction alone, and the least and most after a summary. */
  readonly afterEviction: number;
  readonly afterAtLeast: number;
  readonly afterAtMost: number;
  readonly evictions: readonly EvictionCandidate[];
  /** Messages that would be summarized, stay as root or pin, and stay as tail: ids in record order. */
  readonly summarizedIds: readonly string[];
  readonly keptIds: readonly string[];
  readonly tailIds: readonly string[];
  /** What the model calls would cost at most. */
  readonly calls: {
    readonly atMost: number;
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly basis: Basis;
  };
  /** How the run would end without any model call, where it would. */
  readonly wouldEnd?: {
    readonly state: EndState;
    readonly reason: EndReason;
    readonly nextAction: NextAction;
  };
}
