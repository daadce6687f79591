import type { ContextIndex } from "./contextIndex.ts";
import type { CompactionPolicy } from "./policy.ts";

/** Why a run was begun: by hand, by window pressure, or by a declared spend budget that runs short (contract section 3). */
export type Trigger = "manual" | "window" | "spend";

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
  readonly window?: number | undefined;
  /** Setting for the reply cap of the summarizer, tokens; default 2048. */
  readonly summaryMaxTokens?: number | undefined;
  /** Ids of messages that a person pinned; ids of no message of the context are passed over. */
  readonly pinnedIds?: ReadonlySet<string> | undefined;
  /**
   * The first user source of the branch that is no command; null where it has none. Default: the first user source in
   * the list.
   */
  readonly rootId?: string | null | undefined;
  /** Tokens of the request that are no messages: tool definitions and the like. */
  readonly overheadTokens?: number | undefined;
  /**
   * Tokens of the model for one token of our estimate, where it is known (used tokens / estimate of the same
   * request): estimates are multiplied by it before they are held against ceiling and trigger line. Default 1.
   */
  readonly tokensPerEstimate?: number | undefined;
  /** Index of these very messages, where the caller keeps one; else it is made. */
  readonly index?: ContextIndex | undefined;
}

/** One tool result or attachment that eviction may take out of the context. */
export interface EvictionCandidate {
  readonly messageIndex: number;
  readonly messageId: string;
  /** `messageId#toolCallId`, or the id of an attachment message. */
  readonly segmentId: string;
  /** Absent for an attachment. */
  readonly toolCallId?: string;
  /** Absent for an attachment. */
  readonly toolName?: string;
  readonly digest: string;
  /** UTF-8 bytes of the text. */
  readonly bytes: number;
  /** Estimated tokens won. */
  readonly gainTokens: number;
  readonly citation: string;
}

/** A part of what cannot shrink, largest first in a plan. */
export interface FloorPart {
  /**
   * `tools`: the overhead of the request. `images`: those of the tail, which are not in `tail`. `capsule`: what
   * the commitments of a capsule need; never in the floor of a plan, which replaces the capsule.
   */
  readonly what: "system" | "tools" | "root" | "pin" | "tail" | "capsule" | "images";
  /** With `tail`, only when the floor is at or above the ceiling: its largest message. */
  readonly messageId?: string;
  readonly tokens: number;
}

/** What cannot shrink: system, tools, root, pins, tail, images; estimated tokens. */
export interface Floor {
  readonly tokens: number;
  readonly parts: readonly FloorPart[];
  /** At or above the ceiling: no summary helps. */
  readonly reachesCeiling: boolean;
}

export interface CompactionPlan {
  readonly effective: EffectiveLimits;
  /** Index of the tail's first message; 0 = nothing leaves; the length = the tail is empty. */
  readonly cut: number;
  /** Id of the tail's first message; undefined when the tail is empty. A capsule is never tail. */
  readonly tailFrom: string | undefined;
  readonly rootId: string | undefined;
  /**
   * Ids in record order, the root apart: the person's pins (each with the round it belongs to), the user message
   * of a turn that the cut divides, and the images attached to it when that is the newest turn.
   */
  readonly pinnedIds: readonly string[];
  /** Those of `pinnedIds` that no person set. */
  readonly cutPinIds: readonly string[];
  /** Estimated tokens of the whole request now, overhead included. */
  readonly totalTokens: number;
  readonly tailTokens: number;
  /** Estimated tokens and number of the messages that leave; a capsule, which is replaced, is not among them. */
  readonly leavingTokens: number;
  readonly leavingCount: number;
  readonly floor: Floor;
}
