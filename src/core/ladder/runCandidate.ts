import { boundDraft } from "../capsule/boundDraft.ts";
import type { CapsuleDraft } from "../capsule/draft.ts";
import { emptyDraft } from "../capsule/draft.ts";
import type { CompactionPlan } from "../plan.ts";
import type { ReplacementCandidate } from "../replacement.ts";
import { replacementCandidate } from "../replacement.ts";
import type { SummaryStep } from "../summaryStep.ts";
import type { LadderRun } from "./ladderRun.ts";

/** A step of a run, and the plan that it belongs to. */
export interface PlannedStep {
  readonly plan: CompactionPlan;
  readonly step: SummaryStep;
}

/** What code carries by itself is measured with this objective in its place. */
const CARRIED_ALONE: CapsuleDraft = emptyDraft("-");

/** The context with the capsule that a draft makes. Undefined: more commitments than one capsule holds. */
function candidateOf(
  { origin, standing, lookup, runId }: LadderRun,
  { plan, step }: PlannedStep,
  draft: CapsuleDraft,
): ReplacementCandidate | undefined {
  return replacementCandidate({
    step,
    draft,
    previous: standing.summary,
    left: standing.left,
    statementIds: origin.statementIds,
    ceilingTokens: plan.effective.ceiling,
    capsuleId: (generation) => `capsule-${runId}-${generation}`,
    messageNumber: (segmentId) => lookup.numberOf(segmentId),
  });
}

/** The same with nothing but what code carries by itself: no draft makes it smaller. */
export function leastCandidate(run: LadderRun, planned: PlannedStep): ReplacementCandidate | undefined {
  return candidateOf(run, planned, CARRIED_ALONE);
}

/** A draft above its bound is held to it where the request would stay at the trigger line, or no smaller. */
export function boundedCandidate(
  run: LadderRun,
  planned: PlannedStep,
  draft: CapsuleDraft,
): ReplacementCandidate | undefined {
  const candidate = candidateOf(run, planned, draft);
  if (candidate === undefined) return undefined;
  const { options, standing, before } = run;
  const { triggerLine, summaryMaxTokens } = planned.plan.effective;
  const { used } = options;
  const tokens = standing.measure(candidate.after);
  const scale = used === undefined || before === 0 ? 1 : used.tokens / before;
  const fits = tokens * scale < triggerLine && tokens < standing.tokens;
  const bounded = fits ? undefined : boundDraft(draft, summaryMaxTokens);
  if (bounded === undefined || bounded.droppedItems === 0) return candidate;
  const smaller = candidateOf(run, planned, bounded.draft);
  return smaller === undefined ? undefined : { ...smaller, droppedItems: bounded.droppedItems };
}
