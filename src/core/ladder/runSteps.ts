import type { CompactOptions } from "../compactOptions.ts";
import type { CompactionPlan } from "../plan.ts";
import type { StepResult } from "../summaryStep.ts";
import { nextSummaryStep } from "../summaryStep.ts";
import type { LadderRun } from "./ladderRun.ts";

/** Paid calls of one run under window pressure or by hand (contract section 4). */
export const MAX_PAID_CALLS = 4;
/** Drafts that cost nothing may take more generations, but not without end. */
export const MAX_FREE_CALLS = 64;

/** Generations that one run may make. */
export function mostCalls({ model, spend }: CompactOptions): number {
  return model?.writeDraft === undefined ? (spend?.callsLeft ?? MAX_PAID_CALLS) : MAX_FREE_CALLS;
}

/** Where the tail that the plan aims at begins now. */
export function targetCutOf({ standing: { messages } }: LadderRun, { tailFrom }: CompactionPlan): number {
  if (tailFrom === undefined) return messages.length;
  return messages.findIndex(({ id }) => id === tailFrom);
}

/** What the next call covers on the way to the plan's tail. `whole`: as if one call could take any size. */
export async function nextStep(
  run: LadderRun,
  plan: CompactionPlan,
  size: "sized" | "whole" = "sized",
): Promise<StepResult> {
  const { options, standing, lookup } = run;
  await options.pause?.();
  const { model, summarizerWindow: window, focus, signal, clock } = options;
  return nextSummaryStep({
    messages: standing.messages,
    index: standing.index,
    plan,
    targetCut: targetCutOf(run, plan),
    previous: standing.summary,
    originalOf: (message) => lookup.originalOf(message),
    model: size === "whole" ? undefined : model,
    window,
    focus,
    signal,
    clock,
  });
}
