import type { SummarySpend } from "./budget/summarySpend.ts";
import type { ContextSummary } from "./capsule/contextSummary.ts";
import type { ContextIndex } from "./contextIndex.ts";
import type { Basis, Message } from "./messages.ts";
import type { AbortSignalLike, ChatModel, Clock } from "./model.ts";
import type { Trigger } from "./plan.ts";
import type { CompactionPolicy } from "./policy.ts";
import type { AttemptRecord, CompactionRecord, EvictionRecord } from "./records.ts";

/** Where a run writes what it did. Each call is durable before it settles; a rejection stops the run. */
export interface CompactionJournal {
  eviction(record: EvictionRecord): Promise<void>;
  compaction(record: CompactionRecord): Promise<void>;
  attempt(record: AttemptRecord): Promise<void>;
}

/** The context that a run works on: a snapshot, as `projectContext` gives it. */
export interface CompactionContext {
  readonly messages: readonly Message[];
  /** The whole branch: where originals and ordinals come from. */
  readonly transcript: readonly Message[];
  readonly summary: ContextSummary | undefined;
  readonly rootId: string | undefined;
  readonly pinnedIds: ReadonlySet<string>;
  readonly left: ReadonlyMap<string, string>;
  readonly statementIds: ReadonlySet<string>;
  /** Index of these very messages, where the caller keeps one. */
  readonly index?: ContextIndex | undefined;
}

export interface CompactOptions {
  readonly trigger: Trigger;
  readonly policy: CompactionPolicy;
  /** The chat model's context window in tokens; undefined = unknown. */
  readonly window?: number | undefined;
  /** Tokens of the request about to be sent, by a provider's number; window pressure needs it. */
  readonly used?: { readonly tokens: number; readonly basis: Basis } | undefined;
  /** Who writes the draft; undefined: eviction alone. */
  readonly model?: ChatModel | undefined;
  /** The context window of `model`, where it is known better than by its own limits. */
  readonly summarizerWindow?: number | undefined;
  readonly summaryMaxTokens?: number | undefined;
  /** What the person wants the summary to look at; it cannot change its shape. */
  readonly focus?: string | undefined;
  readonly overheadTokens?: number | undefined;
  /** `estimateTokens`, where the caller keeps its results. */
  readonly estimate?: ((message: Message) => number) | undefined;
  /** Whether the original with this digest can be fetched back. Default: nothing is evictable. */
  readonly isStored?: ((digest: string) => boolean) | undefined;
  /** Name of a tool that fetches originals back, where the session offers one; the citation names it. */
  readonly recallToolName?: string | undefined;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly signal: AbortSignalLike;
  readonly journal: CompactionJournal;
  /** Whether a paid attempt for this content was made before; only a person pays twice. */
  readonly wasAttempted?: ((contentHash: string) => boolean) | undefined;
  /** A declared spend budget, which pays the summarizer's calls; undefined = nobody counts them. */
  readonly spend?: SummarySpend | undefined;
  /** Lets others have a turn between the stages of a run over a long context; default: they come one after the other. */
  readonly pause?: (() => Promise<void>) | undefined;
  readonly onPhase?: ((phase: CompactionPhase) => void) | undefined;
}

export type CompactionPhase = "planning" | "evicting" | "summarizing" | "checking" | "saving";
