import { leavingSegments } from "../capsule/sources.ts";
import type { ReplacementCandidate } from "../replacement.ts";
import type { SummaryStep } from "../summaryStep.ts";
import type { LadderRun } from "./ladderRun.ts";
import type { ReceiptEntry } from "./rungReceipt.ts";
import { boundaryOf, rungReceipt } from "./rungReceipt.ts";

interface AcceptedGeneration {
  readonly step: SummaryStep;
  readonly candidate: ReplacementCandidate;
  /** What is known of the call that it came from. */
  readonly call: Pick<ReceiptEntry, "startedAt" | "contentHash" | "usage" | "callId">;
}

/** Rung 2 for one accepted generation: written first, then applied. */
export async function writeGeneration(run: LadderRun, accepted: AcceptedGeneration): Promise<void> {
  const { options, origin, standing, lookup, done } = run;
  const { step, candidate, call } = accepted;
  options.onPhase?.("saving");
  const { completed, after, capsuleText, droppedItems } = candidate;
  const firstKeptMessageId = step.partition.tail[0]?.id;
  const left = leavingSegments(step.sources, standing.left);
  const heldIds = step.partition.held.map(({ id }) => id);
  const receipt = rungReceipt(run, {
    rung: "summarize",
    after: standing.measure(after),
    state: "summarized",
    reason: "summary_accepted",
    pinnedIds: heldIds,
    completed,
    ...(droppedItems === undefined ? {} : { droppedItems }),
    ...call,
  });
  await options.journal.compaction({
    ...boundaryOf(run, receipt),
    summary: completed.summary,
    capsuleText,
    firstKeptMessageId,
    firstKeptOrdinal: lookup.ordinalOf(firstKeptMessageId),
    rootId: origin.rootId,
    heldIds,
    left,
  });
  done.summarized(receipt, completed);
  standing.summarize(step, candidate);
}
