import type { ContextSummary } from "./capsule/contextSummary.ts";
import type { Basis, Message } from "./messages.ts";
import type { Trigger } from "./plan.ts";

/** How a run ended (contract section 4). Only the first two have made the context smaller. */
export type EndState =
  | "evicted"
  | "summarized"
  | "nothing_to_do"
  | "declined"
  | "rejected"
  | "cancelled"
  | "timed_out"
  | "provider_error"
  | "stopped";

/** Why, as a code: words for a person are made elsewhere. */
export type EndReason =
  | "evicted_enough"
  | "summary_accepted"
  | "below_trigger_line"
  | "nothing_leaves"
  | "gain_too_small"
  | "too_many_commitments"
  | "already_attempted"
  | "after_undo"
  | "no_provider_number"
  | "window_unknown"
  | "no_model"
  | "budget_too_short"
  | "compactions_used_up"
  | "reply_rejected"
  | "replacement_rejected"
  | "cancelled_by_person"
  | "no_chunk_in_time"
  | "too_long_in_all"
  | "model_failed"
  | "summary_request_too_big"
  | "floor_at_ceiling"
  | "still_over_trigger_line"
  | "already_running"
  | "read_only"
  | "write_failed";

/** The one next step that the person is shown with an end state. */
export type NextAction =
  | "none"
  | "continue"
  | "compact_again"
  | "choose_other_model"
  | "choose_model"
  | "review_commitments"
  | "raise_context_budget"
  | "raise_spend_budget"
  | "remove_largest_part"
  | "wait_and_retry"
  | "check_sign_in"
  | "turn_automatic_on"
  | "take_over_session"
  | "new_session_from_capsule";

/** One line of a receipt: ids, digests and numbers, never text from the chat. */
export interface CompactionReceipt {
  /** Counts from 1 inside a run. */
  readonly index: number;
  readonly rung: "evict" | "summarize" | "stop" | "none";
  readonly trigger: Trigger | "hand";
  /** Where the used tokens that the trigger looked at come from. */
  readonly basis: Basis;
  /** Tokens of the request before and after, by our own measure; the same in an entry that changed nothing. */
  readonly before: number;
  readonly after: number;
  readonly usedTokens?: number;
  readonly evictedDigests: readonly string[];
  readonly pinnedIds: readonly string[];
  readonly generation?: number;
  readonly modelId?: string;
  readonly call?: {
    readonly inputTokens?: number;
    readonly outputTokens?: number;
    readonly basis: Basis;
    /** Of the call in the session's spend meter, where there is one. */
    readonly callId?: string;
  };
  readonly startedAt: number;
  readonly durationMs: number;
  readonly state: EndState;
  readonly reason: EndReason;
  readonly failures: readonly string[];
  /** Provider error code with `provider_error`. */
  readonly errorCode?: string;
  /** Commitments that this run retired: their keys and the keys of their successors. */
  readonly retired: readonly { readonly key: string; readonly byKey: string }[];
  /** Keys of anchors that are not critical and were carried out for want of room. */
  readonly carriedOutKeys: readonly string[];
  readonly droppedQuotes: number;
  /** List items of the draft that its bound left out, where it was held to it. */
  readonly droppedItems?: number;
}

interface RunRecord {
  /** Identity of the run; several records of one run are undone together. */
  readonly runId: string;
  readonly receipt: CompactionReceipt;
}

export interface EvictedPart {
  /** `messageId#toolCallId`, or the id of an attachment message. */
  readonly segmentId: string;
  readonly digest: string;
  readonly bytes: number;
  /** What stands in its place; stored here and never computed again. */
  readonly citation: string;
}

/** Rung 1, applied. */
export interface EvictionRecord extends RunRecord {
  /** Hash of the projected messages before this run, system apart; undo is checked against it. */
  readonly beforeHash: string;
  /** Id of the last message of the context that the run looked at. */
  readonly throughMessageId: string | undefined;
  readonly evicted: readonly EvictedPart[];
}

/** Rung 2, applied: one boundary. */
export interface CompactionRecord extends RunRecord {
  readonly beforeHash: string;
  readonly throughMessageId: string | undefined;
  readonly summary: ContextSummary;
  /** The text of the capsule message as it is sent; stored here and never rendered again. */
  readonly capsuleText: string;
  /** Id of the first message kept word for word, and the number of the branch's messages before it as a cross-check. */
  readonly firstKeptMessageId: string | undefined;
  readonly firstKeptOrdinal: number;
  readonly rootId: string | undefined;
  /** What stands before the tail beside the root: pins, their rounds, the user message of a turn that the cut divides. */
  readonly heldIds: readonly string[];
  /** Segments that left with this boundary: `[segmentId, digest]`. */
  readonly left: readonly (readonly [string, string])[];
}

/** A run that changed nothing, kept with its cost and end state. */
export interface AttemptRecord extends RunRecord {
  /** SHA-256 over what was to be summarized: one paid attempt for the same content. */
  readonly contentHash?: string;
}

export type CommitmentAction = "retire" | "reword" | "add" | "pin" | "unpin";

/** What the person's hand did; with `text` it is a user source of its own, by the entry's id. */
export interface CommitmentRecord {
  readonly id: string;
  readonly action: CommitmentAction;
  /** The anchor's key, for retire and reword. */
  readonly key?: string;
  /** The message, for add, pin and unpin. */
  readonly messageId?: string;
  /** The sentence that the person stands behind; every new anchor quotes it. */
  readonly text?: string;
  /** The capsule after it, and its message text; absent where there was no capsule yet. */
  readonly summary?: ContextSummary;
  readonly capsuleText?: string;
}

/** A provider's number for the whole context through a message, that is no message's own usage. */
export interface UsageReading {
  readonly modelId: string;
  readonly basis: Basis;
  readonly throughMessageId: string;
  readonly tokens: number;
  /** Our own estimate of the same request. */
  readonly ownTokens: number;
  readonly at: number;
}

/** The active branch of a session, oldest first: what a projection is made from. */
export type BranchItem =
  | {
      readonly type: "message";
      readonly message: Message;
      /** A slash command whose arguments the text is; such a message is no root. */
      readonly command?: string;
      /** Milliseconds since the epoch. */
      readonly at?: number;
      /** `imported` where the message's usage comes from another program's file. */
      readonly usageBasis?: Basis;
    }
  | { readonly type: "usage"; readonly reading: UsageReading }
  | { readonly type: "eviction"; readonly record: EvictionRecord }
  | { readonly type: "compaction"; readonly record: CompactionRecord }
  | { readonly type: "attempt"; readonly record: AttemptRecord }
  | {
      readonly type: "undo";
      readonly runId: string;
      /** Tokens of the context before and after the undo, by our own measure. */
      readonly before: number;
      readonly after: number;
    }
  | { readonly type: "commitment"; readonly record: CommitmentRecord };
