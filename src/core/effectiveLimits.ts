import { CompactionError } from "./errors.ts";
import type { EffectiveLimits, PlanOptions } from "./plan.ts";
import {
  ceiling,
  DEFAULT_CONTEXT_WINDOW,
  effectiveMinRemaining,
  knownWindow,
  requireTokens,
} from "./policy.ts";

export const DEFAULT_SUMMARY_MAX_TOKENS = 2048;
/** The tail gets at most this share of the trigger line. */
export const MAX_TAIL_SHARE = 0.2;
/** The summarizer's reply gets at most this share of the ceiling. */
export const MAX_SUMMARY_SHARE = 1 / 8;

/**
 * What the settings become for this window (contract sections 2 and 3), before the turn floor is looked at.
 * Throws `invalid_options` for settings that cannot work, and for window pressure without a known window.
 */
export function effectiveLimits(options: PlanOptions): Omit<EffectiveLimits, "turnFloorYielded"> {
  const { policy, trigger, summaryMaxTokens = DEFAULT_SUMMARY_MAX_TOKENS } = options;
  requireTokens("summaryMaxTokens", summaryMaxTokens, 1);
  const windowSource = sourceOfWindow(options);
  if (windowSource === "assumed" && trigger === "window") {
    throw new CompactionError(
      "invalid_options",
      "The context window is unknown, so there is no line to compact at; set a window or plan by hand.",
    );
  }
  const window = windowSource === "assumed" ? DEFAULT_CONTEXT_WINDOW : options.window;
  const limit = ceiling(policy, window) as number;
  const minRemaining = effectiveMinRemaining(policy, limit);
  const triggerLine = limit - minRemaining;
  return {
    ceiling: limit,
    windowSource,
    triggerLine,
    minRemaining,
    keepRecentTokens: Math.min(policy.keepRecentTokens, Math.floor(triggerLine * MAX_TAIL_SHARE)),
    keepRecentTurns: policy.keepRecentTurns,
    summaryMaxTokens: Math.min(summaryMaxTokens, Math.max(1, Math.floor(limit * MAX_SUMMARY_SHARE))),
  };
}

function sourceOfWindow({ policy, window }: PlanOptions): EffectiveLimits["windowSource"] {
  if (policy.window !== undefined) return "policy";
  return knownWindow(window) === undefined ? "assumed" : "discovered";
}
