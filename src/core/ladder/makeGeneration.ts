import { acceptReplacement } from "../capsule/accept.ts";
import { readReply } from "../capsule/readReply.ts";
import type { ReplacementCandidate } from "../replacement.ts";
import type { RunEnd } from "../runEnd.ts";
import { CANCELLED, endOfCall, replyOf, TOO_MANY_COMMITMENTS } from "../runEnd.ts";
import type { LadderRun } from "./ladderRun.ts";
import type { PlannedStep } from "./runCandidate.ts";
import { boundedCandidate } from "./runCandidate.ts";
import type { WeighedStep } from "./summaryCall.ts";
import { contentHashOf, paidCall } from "./summaryCall.ts";
import { writeGeneration } from "./writeGeneration.ts";

/** One generation: decline, or call, read, complete, accept and write. Undefined = accepted. */
export async function makeGeneration(run: LadderRun, weighed: WeighedStep): Promise<RunEnd | undefined> {
  const { options } = run;
  const { trigger, wasAttempted, signal, onPhase } = options;
  const contentHash = contentHashOf(weighed.step);
  if (trigger !== "manual" && wasAttempted?.(contentHash) === true) {
    return { state: "declined", reason: "already_attempted" };
  }
  // Nothing was paid for a call that was never made.
  if (signal.aborted) return CANCELLED;
  const { result, startedAt, callId } = await paidCall(run, weighed);
  if (result === undefined) return { state: "declined", reason: "budget_too_short" };
  const called = { contentHash, ...(callId === undefined ? {} : { callId }) };
  if (!result.ok) return { ...endOfCall(result), ...called };
  onPhase?.("checking");
  const { usage } = result.summary;
  const spent = usage === undefined ? called : { ...called, usage };
  const reply = readReply(replyOf(result.summary));
  if (!reply.ok) return { state: "rejected", reason: "reply_rejected", failures: [reply.code], ...spent };
  await options.pause?.();
  const candidate = boundedCandidate(run, weighed, reply.draft);
  if (candidate === undefined) return { ...TOO_MANY_COMMITMENTS, ...spent };
  await options.pause?.();
  const failures = judge(run, weighed, candidate);
  if (failures.length > 0) {
    const isOnlySize = failures.every((failure) => failure === "not_smaller");
    return {
      state: "rejected",
      reason: isOnlySize ? "gain_too_small" : "replacement_rejected",
      failures,
      ...spent,
    };
  }
  await options.pause?.();
  if (signal.aborted) return { ...CANCELLED, ...spent };
  await writeGeneration(run, { step: weighed.step, candidate, call: { startedAt, ...spent } });
  return undefined;
}

/** Codes of contract section 5; none = acceptable. */
function judge(
  { origin, standing, lookup }: LadderRun,
  { step, plan }: PlannedStep,
  { completed, after }: ReplacementCandidate,
): readonly string[] {
  return acceptReplacement({
    before: standing.messages,
    after,
    summary: completed.summary,
    previous: standing.summary,
    left: standing.left,
    pinnedIds: plan.pinnedIds,
    tailFrom: step.partition.tail[0]?.id,
    rootId: origin.rootId ?? null,
    recordOrder: (segmentId) => lookup.numberOf(segmentId),
    measure: (messages) => standing.measure(messages),
  }).failures;
}
