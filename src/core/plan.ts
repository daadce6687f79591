import type { CompactionPolicy } from "./policy.ts";

export type Trigger = "manual" | "window";

/** What the settings become for this window; shown wherever they differ from the settings. */
export interface EffectiveLimits {
  /** min(window, context budget), tokens. */
  readonly ceiling: number;
  /** Where the window comes from: the policy, the model, or 128000 assumed for a manual plan. */
  readonly windowSource: "policy" | "discovered" | "assumed";
  /** Used tokens at which window pressure fires: ceiling - minRemaining. */
  readonly triggerLine: number;
  readonly minRemaining: number;
  readonly keepRecentTokens: number;
  readonly keepRecentTurns: number;
  readonly summaryMaxTokens: number;
  /** Why the turn floor gave way, if it did. */
  readonly turnFloorYielded: "no" | "over_trigger_line" | "less_than_half_to_compact";
}

export interface PlanOptions {
  readonly policy: CompactionPolicy;
  readonly trigger: Trigger;
  /** The model's context window in tokens; undefined = unknown. */
  readonly window?: number;
  /** Setting for the reply cap of the summarizer, tokens. */
  readonly summaryMaxTokens?: number;
  /** Ids of messages that a person pinned. */
  readonly pinnedIds?: ReadonlySet<string>;
  /** The first user source of the branch that is no command. Default: the first user source in the list. */
  readonly rootId?: string;
  /** Tokens of the request that are no messages: tool definitions and the like. */
  readonly overheadTokens?: number;
  /** Whether the bytes with this digest can be fetched back. Default: nothing is stored, nothing is evictable. */
  readonly isStored?: (digest: string) => boolean;
  /** Summed estimates of these very messages, where the caller keeps them; else they are computed. */
  readonly index?: ContextIndex;
}

/**
 * What a plan needs to know of a context, in typed arrays, so that planning over 100,000 messages walks only
 * what it must. Grows with the context; never shrinks.
 */
export interface ContextIndex {
  readonly length: number;
  /** `prefix[i]` = sum of the estimates of messages before i; length + 1 numbers. */
  readonly prefix: Float64Array;
  /** Indices of the messages that start a turn. */
  readonly turnStarts: Int32Array;
  /** `earliestCall[i]` = the smallest index of a call answered at i or later; -1 where an orphan is; Infinity-like where none. */
  readonly earliestCall: Int32Array;
}

/** One tool result that eviction may take out of the context. */
export interface EvictionCandidate {
  readonly messageIndex: number;
  readonly messageId: string;
  /** `messageId#toolCallId`, or the id of an attachment message. */
  readonly segmentId: string;
  readonly toolCallId?: string;
  readonly toolName: string;
  readonly digest: string;
  /** UTF-8 bytes of the text. */
  readonly bytes: number;
  /** Estimated tokens won. */
  readonly gainTokens: number;
  readonly citation: string;
}

/** A part of what cannot shrink, largest first in a plan. */
export interface FloorPart {
  readonly what: "system" | "tools" | "root" | "pin" | "tail" | "capsule" | "images";
  readonly messageId?: string;
  readonly tokens: number;
}

export interface CompactionPlan {
  readonly effective: EffectiveLimits;
  /** Index of the tail's first message; 0 = nothing leaves. */
  readonly cut: number;
  /** Id of the tail's first message; undefined when the tail is empty. */
  readonly tailFrom: string | undefined;
  readonly rootId: string | undefined;
  /** The person's pins and the user message of a turn that the cut divides. */
  readonly pinnedIds: readonly string[];
  /** Estimated tokens of the whole request now, overhead included. */
  readonly totalTokens: number;
  readonly tailTokens: number;
  /** Estimated tokens of the messages that leave. */
  readonly leavingTokens: number;
  readonly leavingCount: number;
  readonly floor: { readonly tokens: number; readonly parts: readonly FloorPart[] };
}
