import type { CompactOutcome } from "../compactionOutcome.ts";
import { nextActionFor } from "../nextAction.ts";
import type { RunEnd } from "../runEnd.ts";
import { EVICTED_ENOUGH } from "../runEnd.ts";
import type { LadderRun } from "./ladderRun.ts";
import { rungReceipt } from "./rungReceipt.ts";

/** A failed rung is written with its cost. */
export async function failRun(run: LadderRun, end: RunEnd): Promise<CompactOutcome> {
  const { options, runId, standing, done } = run;
  const rung = end.state === "stopped" ? "stop" : "summarize";
  const receipt = rungReceipt(run, { ...end, rung, after: standing.tokens });
  const { contentHash } = end;
  const hash = contentHash === undefined ? {} : { contentHash };
  await options.journal.attempt({ runId, receipt, ...hash });
  done.failed(receipt);
  return outcomeOfFailure(run, end);
}

/** What earlier rungs won stays and rules the end state. */
export function outcomeOfFailure(run: LadderRun, end: RunEnd): CompactOutcome {
  const { summaryCount, evictedCount } = run.done;
  if (summaryCount > 0) return outcomeOf(run, { state: "summarized", reason: "summary_accepted" }, end);
  if (evictedCount > 0) return outcomeOf(run, EVICTED_ENOUGH, end);
  return outcomeOf(run, end);
}

/** `beside`: how the rung after the last completed one failed. */
export function outcomeOf(run: LadderRun, end: RunEnd, beside?: RunEnd): CompactOutcome {
  const { runId, before, standing, done } = run;
  const { summary } = standing;
  const told = beside ?? end;
  return {
    runId,
    state: end.state,
    reason: end.reason,
    nextAction: nextActionFor(told.state, told.reason, told.error?.code),
    failures: end.failures ?? [],
    ...(end.error === undefined ? {} : { error: end.error }),
    ...(beside === undefined ? {} : { summaryFailure: failureOf(beside) }),
    messages: standing.messages,
    ...(summary === undefined ? {} : { summary }),
    before,
    after: standing.tokens,
    retired: done.retired,
    carriedOutKeys: done.carriedOutKeys,
    evictedCount: done.evictedCount,
    floorParts: done.floorParts,
    receipts: done.receipts,
  };
}

function failureOf({
  state,
  reason,
  failures = [],
  error,
}: RunEnd): NonNullable<CompactOutcome["summaryFailure"]> {
  return { state, reason, failures, ...(error === undefined ? {} : { error }) };
}
