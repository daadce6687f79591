import type { CompactOptions } from "../compactOptions.ts";
import type { CompactionPlan } from "../plan.ts";
import { ceiling, shouldCompact } from "../policy.ts";
import type { RunEnd } from "../runEnd.ts";
import { chosenEvictions } from "./evictionRung.ts";
import type { LadderRun } from "./ladderRun.ts";

/** Window pressure that is none: no number, no window, below the line. */
export function whyNotYet({ trigger, used, policy, window }: CompactOptions): RunEnd | undefined {
  if (trigger !== "window") return undefined;
  if (used === undefined) return { state: "nothing_to_do", reason: "no_provider_number" };
  if (ceiling(policy, window) === undefined) return { state: "nothing_to_do", reason: "window_unknown" };
  if (shouldCompact(policy, window, used.tokens)) return undefined;
  return { state: "nothing_to_do", reason: "below_trigger_line" };
}

/** Nothing may leave: by eviction or in a summary. */
export function whyIdle(run: LadderRun, plan: CompactionPlan): RunEnd | undefined {
  const isIdle =
    !plan.floor.reachesCeiling && plan.leavingCount === 0 && chosenEvictions(run, plan).length === 0;
  return isIdle ? { state: "nothing_to_do", reason: "nothing_leaves" } : undefined;
}

/** What cannot shrink fills the ceiling by itself. */
export function whyStopped({ floor }: CompactionPlan): RunEnd | undefined {
  return floor.reachesCeiling ? { state: "stopped", reason: "floor_at_ceiling" } : undefined;
}

/** Nobody may write a summary. */
export function whyNoSummary({ model, spend }: CompactOptions): RunEnd | undefined {
  if (model === undefined) return { state: "declined", reason: "no_model" };
  return spend?.callsLeft === 0 ? { state: "declined", reason: "compactions_used_up" } : undefined;
}
