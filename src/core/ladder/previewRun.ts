import type { CompactionPreview } from "../compactionOutcome.ts";
import { evict } from "../evict.ts";
import { nextActionFor } from "../nextAction.ts";
import { partitionContext } from "../partition.ts";
import type { CompactionPlan } from "../plan.ts";
import type { RunEnd } from "../runEnd.ts";
import { EVICTED_ENOUGH, endOfStep } from "../runEnd.ts";
import type { SummaryStep } from "../summaryStep.ts";
import { chosenEvictions } from "./evictionRung.ts";
import type { LadderRun } from "./ladderRun.ts";
import { planRun } from "./planRun.ts";
import { mostCalls, nextStep, targetCutOf } from "./runSteps.ts";
import { isEnough } from "./triggerAgain.ts";
import { weighStep } from "./weighStep.ts";
import { whyIdle, whyNoSummary, whyNotYet, whyStopped } from "./whyNot.ts";

/** `end`: how the run would end with no step taken. */
interface Foreseen {
  readonly steps: readonly SummaryStep[];
  readonly end?: RunEnd;
}

/** The ladder with what code carries by itself in the place of every draft; nothing of it is sent or written. */
export async function previewRun(run: LadderRun): Promise<CompactionPreview> {
  const { options, standing } = run;
  const plan = planRun(run);
  const { held, tail } = partitionContext(standing.messages, plan);
  const idle = whyNotYet(options) ?? whyIdle(run, plan) ?? whyStopped(plan);
  await options.pause?.();
  const evictions = idle === undefined ? chosenEvictions(run, plan) : [];
  standing.evict(evictions, evict(standing.messages, evictions));
  const afterEviction = standing.tokens;
  const isDone = evictions.length > 0 && (await isEnough(run));
  const atOnce = idle ?? (isDone ? EVICTED_ENOUGH : undefined);
  const foreseen = atOnce === undefined ? await foreseeSummaries(run, plan) : { steps: [], end: atOnce };
  const end = foreseen.end ?? whyNoSummary(options);
  const steps = end === undefined ? foreseen.steps : [];
  const { summaryMaxTokens } = plan.effective;
  const afterAtLeast = steps.length === 0 ? afterEviction : standing.tokens;
  return {
    plan,
    before: run.before,
    afterEviction,
    evictions,
    afterAtLeast,
    afterAtMost: Math.min(afterAtLeast + summaryMaxTokens * steps.length, afterEviction),
    summarizedIds: steps.flatMap(({ partition }) => partition.leaving.map(({ id }) => id)),
    keptIds: held.map(({ id }) => id),
    tailIds: tail.map(({ id }) => id),
    calls: callsOf(run, steps, summaryMaxTokens),
    ...(end === undefined
      ? {}
      : {
          wouldEnd: {
            state: evictions.length > 0 ? "evicted" : end.state,
            reason: end.reason,
            nextAction: nextActionFor(end.state, end.reason),
          },
        }),
  };
}

/** What happens after eviction: the steps that the run would take, or why it would take none. */
async function foreseeSummaries(run: LadderRun, plan: CompactionPlan): Promise<Foreseen> {
  const steps: SummaryStep[] = [];
  const ended = (end: RunEnd): Foreseen => (steps.length === 0 ? { steps, end } : { steps });
  for (;;) {
    const targetCut = targetCutOf(run, plan);
    const found = await nextStep(run, plan);
    if (!found.ok) return ended(endOfStep(found.reason));
    const { step } = found;
    const least = await weighStep(run, { plan, step }, steps.length === 0);
    if (!least.ok) return ended(least.end);
    steps.push(step);
    run.standing.summarize(step, least.candidate);
    if (step.cut === targetCut || steps.length === mostCalls(run.options)) return { steps };
  }
}

/** What the model calls for these steps would cost at most; a draft that code writes costs nothing. */
function callsOf(
  { options }: LadderRun,
  steps: readonly SummaryStep[],
  summaryMaxTokens: number,
): CompactionPreview["calls"] {
  const { model } = options;
  const isPaid = model !== undefined && model.writeDraft === undefined && steps.length > 0;
  const atMost = !isPaid ? 0 : steps.length === 1 ? 1 : mostCalls(options);
  return {
    atMost,
    inputTokens: atMost * Math.max(0, ...steps.map(({ requestTokens }) => requestTokens)),
    outputTokens: atMost * summaryMaxTokens,
    basis: steps.some(({ requestBasis }) => requestBasis === "estimated") ? "estimated" : "counted",
  };
}
