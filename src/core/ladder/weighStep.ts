import type { CompactOptions } from "../compactOptions.ts";
import type { Message } from "../messages.ts";
import type { CompactionPlan } from "../plan.ts";
import type { ReplacementCandidate } from "../replacement.ts";
import type { RunEnd } from "../runEnd.ts";
import { GAIN_TOO_SMALL, TOO_MANY_COMMITMENTS } from "../runEnd.ts";
import type { LadderRun } from "./ladderRun.ts";
import type { PlannedStep } from "./runCandidate.ts";
import { leastCandidate } from "./runCandidate.ts";
import { mostCalls, nextStep, targetCutOf } from "./runSteps.ts";

/** An automatic run acts only for at least this much: tokens, or this share of the ceiling. */
export const MIN_AUTOMATIC_GAIN_TOKENS = 20_000;
export const MIN_AUTOMATIC_GAIN_SHARE = 0.1;
/** A run by hand, and every step of any run. */
const MIN_GAIN_TOKENS = 1;

type LeastResult =
  | { readonly ok: true; readonly candidate: ReplacementCandidate }
  | { readonly ok: false; readonly end: RunEnd };

/** What a step wins at the most, which code carries by itself; else why no call is made for it. */
export async function weighStep(
  run: LadderRun,
  planned: PlannedStep,
  isFirst: boolean,
): Promise<LeastResult> {
  const { options, standing } = run;
  await options.pause?.();
  const candidate = leastCandidate(run, planned);
  if (candidate === undefined) return { ok: false, end: TOO_MANY_COMMITMENTS };
  const tokensNow = standing.tokens;
  if (isFirst && (await projectedGain(run, planned, tokensNow)) < leastGain(options, planned.plan)) {
    return { ok: false, end: GAIN_TOO_SMALL };
  }
  if (tokensNow - standing.measure(candidate.after) < MIN_GAIN_TOKENS) {
    return { ok: false, end: GAIN_TOO_SMALL };
  }
  return { ok: true, candidate };
}

/** Tokens that a run must win in all. */
function leastGain({ trigger, spend }: CompactOptions, { effective }: CompactionPlan): number {
  const automatic = Math.min(MIN_AUTOMATIC_GAIN_TOKENS, effective.ceiling * MIN_AUTOMATIC_GAIN_SHARE);
  return trigger === "manual" ? MIN_GAIN_TOKENS : (spend?.minYieldTokens ?? automatic);
}

/**
 * What a run that begins with this step would win with what code carries by itself: all that is to leave, or the
 * share of it that the calls of one run can take in steps like this one. By itself nothing pays for writing the
 * capsule anew: the next one will say about as much as this one does.
 */
async function projectedGain(
  run: LadderRun,
  { plan, step }: PlannedStep,
  tokensNow: number,
): Promise<number> {
  const { options, standing } = run;
  const found = step.cut === targetCutOf(run, plan) ? undefined : await nextStep(run, plan, "whole");
  const whole = found?.ok === true ? found.step : step;
  const minimal = leastCandidate(run, { plan, step: whole }) ?? leastCandidate(run, { plan, step });
  if (minimal === undefined) return 0;
  const rewritten = options.trigger === "manual" ? 0 : shrinkOfCapsule(run, minimal);
  const gain = tokensNow - standing.measure(minimal.after) - rewritten;
  const all = standing.measure(whole.partition.leaving);
  const reach = mostCalls(options) * standing.measure(step.partition.leaving);
  return gain > 0 && reach < all ? (gain * reach) / all : gain;
}

function shrinkOfCapsule({ standing }: LadderRun, { after }: ReplacementCandidate): number {
  const capsules = (messages: readonly Message[]) => messages.filter(({ kind }) => kind === "capsule");
  return Math.max(0, standing.measure(capsules(standing.messages)) - standing.measure(capsules(after)));
}
