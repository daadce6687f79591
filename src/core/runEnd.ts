import type { SummarizerReply } from "./capsule/readReply.ts";
import type { Usage } from "./messages.ts";
import type { EndReason, EndState } from "./records.ts";
import type { SummarizeResult, Summary } from "./summarize.ts";

/** How a run or one of its rungs ended. */
export interface RunEnd {
  readonly state: EndState;
  readonly reason: EndReason;
  readonly failures?: readonly string[];
  readonly error?: { readonly code: string; readonly message: string };
  /** What the summarizer's call cost, where there was one. */
  readonly usage?: Usage;
  /** With a call: SHA-256 over what was to be summarized. */
  readonly contentHash?: string;
  /** Of that call in the session's spend meter. */
  readonly callId?: string;
}

export const EVICTED_ENOUGH: RunEnd = { state: "evicted", reason: "evicted_enough" };
export const CANCELLED: RunEnd = { state: "cancelled", reason: "cancelled_by_person" };
export const GAIN_TOO_SMALL: RunEnd = { state: "declined", reason: "gain_too_small" };
export const TOO_MANY_COMMITMENTS: RunEnd = { state: "declined", reason: "too_many_commitments" };

export function endOfStep(reason: "nothing_leaves" | "summary_request_too_big"): RunEnd {
  return reason === "nothing_leaves" ? { state: "nothing_to_do", reason } : { state: "stopped", reason };
}

export function endOfCall(result: Exclude<SummarizeResult, { ok: true }>): RunEnd {
  switch (result.state) {
    case "cancelled":
      return { state: "cancelled", reason: "cancelled_by_person" };
    case "timed_out":
      return { state: "timed_out", reason: result.reason };
    case "provider_error":
      return {
        state: "provider_error",
        reason: "model_failed",
        error: { code: result.code, message: result.message },
      };
  }
}

/** A journal that could not write: what it threw, as an end state. */
export function endOfWrite(error: unknown): RunEnd {
  const hasCode = typeof error === "object" && error !== null && "code" in error;
  return {
    state: "stopped",
    reason: "write_failed",
    error: {
      code: hasCode ? String(error.code) : "unknown",
      message: error instanceof Error ? error.message : String(error),
    },
  };
}

export function replyOf({ text, finishReason, toolCallCount, hadReasoning }: Summary): SummarizerReply {
  return {
    text,
    toolCalls: toolCallCount,
    reasoningOnly: hadReasoning && text.trim() === "",
    ...(finishReason === undefined ? {} : { finishReason }),
  };
}
