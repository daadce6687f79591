import type { EndReason, EndState, NextAction } from "./records.ts";

const BY_REASON: Record<EndReason, NextAction> = {
  evicted_enough: "continue",
  summary_accepted: "continue",
  below_trigger_line: "continue",
  nothing_leaves: "continue",
  gain_too_small: "continue",
  too_many_commitments: "review_commitments",
  already_attempted: "choose_other_model",
  after_undo: "turn_automatic_on",
  no_provider_number: "continue",
  window_unknown: "choose_model",
  no_model: "choose_model",
  budget_too_short: "raise_spend_budget",
  compactions_used_up: "raise_spend_budget",
  reply_rejected: "choose_other_model",
  replacement_rejected: "choose_other_model",
  cancelled_by_person: "compact_again",
  no_chunk_in_time: "choose_other_model",
  too_long_in_all: "choose_other_model",
  model_failed: "choose_other_model",
  summary_request_too_big: "choose_other_model",
  floor_at_ceiling: "remove_largest_part",
  still_over_trigger_line: "raise_context_budget",
  already_running: "continue",
  read_only: "take_over_session",
  write_failed: "compact_again",
};

/** Provider errors that a wait cures, and those that want a sign-in or a permission. */
const WAIT = new Set(["rate", "network", "timeout"]);
const SIGN_IN = new Set(["authentication", "permission", "blocked"]);

/** A journal's codes for a session that another window writes. */
const OTHER_WRITER = new Set(["taken_over", "read_only"]);

/** The one next step for an end state. */
export function nextActionFor(state: EndState, reason: EndReason, errorCode?: string): NextAction {
  if (state === "provider_error" && errorCode !== undefined) {
    if (WAIT.has(errorCode)) return "wait_and_retry";
    if (SIGN_IN.has(errorCode)) return "check_sign_in";
  }
  if (reason === "write_failed" && errorCode !== undefined && OTHER_WRITER.has(errorCode)) {
    return "take_over_session";
  }
  if (state === "rejected" && reason === "gain_too_small") return "continue";
  return BY_REASON[reason];
}
