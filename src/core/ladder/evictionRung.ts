import { chooseEvictions } from "../chooseEvictions.ts";
import { evict } from "../evict.ts";
import { evictionCandidates } from "../evictionCandidates.ts";
import type { CompactionPlan, EvictionCandidate } from "../plan.ts";
import type { LadderRun } from "./ladderRun.ts";
import { boundaryOf, rungReceipt } from "./rungReceipt.ts";

/** What the first rung takes out; under window pressure no more than brings the request under the line. */
export function chosenEvictions(run: LadderRun, plan: CompactionPlan): readonly EvictionCandidate[] {
  const { options, standing, before } = run;
  const { isStored, recallToolName, trigger, used } = options;
  if (isStored === undefined) return [];
  const candidates = evictionCandidates(standing.messages, plan, {
    isStored,
    recallToolName,
    index: standing.index,
  });
  const ceilingTokens = plan.effective.ceiling;
  if (trigger !== "window" || used === undefined) return chooseEvictions(candidates, { ceilingTokens });
  // Just under the line, on the scale of our own measure.
  const target = Math.floor((before * (plan.effective.triggerLine - 1)) / used.tokens);
  return chooseEvictions(candidates, { ceilingTokens, neededTokens: Math.max(1, before - target) });
}

/** Rung 1: chosen, written, applied. */
export async function climbEviction(run: LadderRun, plan: CompactionPlan): Promise<void> {
  const { options, standing, done } = run;
  const chosen = chosenEvictions(run, plan);
  if (chosen.length === 0) return;
  options.onPhase?.("evicting");
  await options.pause?.();
  const after = evict(standing.messages, chosen);
  const receipt = rungReceipt(run, {
    rung: "evict",
    after: standing.measure(after),
    state: "evicted",
    reason: "evicted_enough",
    evictedDigests: chosen.map(({ digest }) => digest),
  });
  await options.journal.eviction({
    ...boundaryOf(run, receipt),
    evicted: chosen.map(({ segmentId, digest, bytes, citation }) => ({
      segmentId,
      digest,
      bytes,
      citation,
    })),
  });
  done.evicted(receipt, chosen.length);
  standing.evict(chosen, after);
}
