import type { CompactionPreview, CompactOutcome } from "./compactionOutcome.ts";
import type { CompactionContext, CompactOptions } from "./compactOptions.ts";
import { climbEviction } from "./ladder/evictionRung.ts";
import type { LadderRun } from "./ladder/ladderRun.ts";
import { beginRun } from "./ladder/ladderRun.ts";
import { makeGeneration } from "./ladder/makeGeneration.ts";
import { planRun } from "./ladder/planRun.ts";
import { previewRun } from "./ladder/previewRun.ts";
import { failRun, outcomeOf, outcomeOfFailure } from "./ladder/runOutcome.ts";
import { mostCalls, nextStep, targetCutOf } from "./ladder/runSteps.ts";
import { isEnough, isOverLine } from "./ladder/triggerAgain.ts";
import { weighStep } from "./ladder/weighStep.ts";
import { whyIdle, whyNoSummary, whyNotYet, whyStopped } from "./ladder/whyNot.ts";
import type { CompactionPlan } from "./plan.ts";
import { CANCELLED, EVICTED_ENOUGH, endOfStep, endOfWrite } from "./runEnd.ts";

/** One run of the ladder over a snapshot of a context. */
export class CompactionRun {
  readonly #run: LadderRun;

  constructor(context: CompactionContext, options: CompactOptions) {
    this.#run = beginRun(context, options);
  }

  async run(): Promise<CompactOutcome> {
    const run = this.#run;
    const { options } = run;
    options.onPhase?.("planning");
    const notYet = whyNotYet(options);
    if (notYet !== undefined) return outcomeOf(run, notYet);
    const plan = planRun(run);
    const idle = whyIdle(run, plan);
    if (idle !== undefined) return outcomeOf(run, idle);
    await options.pause?.();
    try {
      return await climb(run, plan);
    } catch (error) {
      return outcomeOfFailure(run, endOfWrite(error));
    }
  }

  /** What `run` would do; nothing of it is sent or written. */
  preview(): Promise<CompactionPreview> {
    return previewRun(this.#run);
  }
}

/** Evict, test the trigger again, summarize. Rungs 3 and 4 (clamp, stop) belong to whoever sends the request. */
async function climb(run: LadderRun, plan: CompactionPlan): Promise<CompactOutcome> {
  const { options, done } = run;
  const floor = whyStopped(plan);
  if (floor !== undefined) {
    done.stoppedAtFloor(plan.floor.parts);
    return failRun(run, floor);
  }
  if (options.signal.aborted) return failRun(run, CANCELLED);
  await climbEviction(run, plan);
  if (done.evictedCount > 0 && (await isEnough(run))) return outcomeOf(run, EVICTED_ENOUGH);
  const noSummary = whyNoSummary(options);
  if (noSummary !== undefined) return failRun(run, noSummary);
  return summarizeAll(run, plan);
}

/** Oldest first, one generation after the other, until the tail that the plan aims at stands alone. */
async function summarizeAll(run: LadderRun, plan: CompactionPlan): Promise<CompactOutcome> {
  const { options } = run;
  for (let call = 1; ; call += 1) {
    const targetCut = targetCutOf(run, plan);
    const found = await nextStep(run, plan);
    if (!found.ok) return failRun(run, endOfStep(found.reason));
    const { step } = found;
    const least = await weighStep(run, { plan, step }, call === 1);
    if (!least.ok) return failRun(run, least.end);
    const end = await makeGeneration(run, { plan, step, afterAtLeast: least.candidate.after });
    if (end !== undefined) return failRun(run, end);
    if (step.cut === targetCut || call === mostCalls(options)) break;
  }
  const isOver = options.trigger === "window" && isOverLine(run);
  return outcomeOf(run, {
    state: "summarized",
    reason: isOver ? "still_over_trigger_line" : "summary_accepted",
  });
}
