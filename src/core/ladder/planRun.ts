import type { CompactionPlan } from "../plan.ts";
import { planCompaction } from "../planCompaction.ts";
import type { LadderRun } from "./ladderRun.ts";

/** The plan of a run that has done nothing yet. */
export function planRun({ options, origin, standing, before }: LadderRun): CompactionPlan {
  const { used, policy, trigger, window, summaryMaxTokens, overheadTokens } = options;
  return planCompaction(standing.messages, {
    policy,
    trigger,
    window,
    summaryMaxTokens,
    overheadTokens,
    index: standing.index,
    pinnedIds: origin.pinnedIds,
    rootId: origin.rootId ?? null,
    tokensPerEstimate: used === undefined || before === 0 ? undefined : used.tokens / before,
  });
}
