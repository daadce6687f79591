import { sha256Hex } from "../digest.ts";
import type { Message } from "../messages.ts";
import type { ChatModel, ModelRequest } from "../model.ts";
import { messageHash } from "../projection.ts";
import type { SummarizeResult } from "../summarize.ts";
import { summarize, summarizeRequest } from "../summarize.ts";
import type { SummaryStep } from "../summaryStep.ts";
import type { LadderRun } from "./ladderRun.ts";
import type { PlannedStep } from "./runCandidate.ts";

/** A step that a call is to be made for. */
export interface WeighedStep extends PlannedStep {
  /** The context as it would be with what code carries by itself. */
  readonly afterAtLeast: readonly Message[];
}

interface PaidCall {
  readonly result: SummarizeResult | undefined;
  readonly startedAt: number;
  readonly callId?: string;
}

/** What a call is about: the same for the same instruction over the same messages. */
export function contentHashOf({ instruction, conversation }: SummaryStep): string {
  const said = conversation.map((message) => messageHash(message, sha256Hex));
  return sha256Hex([sha256Hex(instruction), ...said].join("\n"));
}

/** The call, paid from the spend budget where there is one; no result: the budget does not cover it. */
export async function paidCall(run: LadderRun, weighed: WeighedStep): Promise<PaidCall> {
  const { model, spend, signal, clock, onPhase } = run.options;
  const { step, plan, afterAtLeast } = weighed;
  const isFree = model === undefined || model.writeDraft !== undefined;
  const maxOutputTokens = plan.effective.summaryMaxTokens;
  const paid =
    spend === undefined || isFree
      ? undefined
      : await spend.open({
          model,
          request: requestOf(step, maxOutputTokens),
          countedTokens: step.requestBasis === "counted" ? step.requestTokens : undefined,
          maxOutputTokens,
          afterAtLeast,
          signal,
        });
  const startedAt = clock.now();
  if (spend !== undefined && !isFree && paid === undefined) {
    return { result: signal.aborted ? { ok: false, state: "cancelled" } : undefined, startedAt };
  }
  onPhase?.("summarizing");
  const result = await call(run, weighed, paid?.model ?? model);
  await paid?.settle();
  return { result, startedAt, ...(paid === undefined ? {} : { callId: paid.callId }) };
}

async function call(
  { options: { signal, clock }, standing }: LadderRun,
  { step, plan }: PlannedStep,
  model: ChatModel | undefined,
): Promise<SummarizeResult> {
  const maxOutputTokens = plan.effective.summaryMaxTokens;
  if (model === undefined || signal.aborted) return { ok: false, state: "cancelled" };
  const { conversation: messages, sources, instruction, maxTextBytes, partition } = step;
  if (model.writeDraft !== undefined) {
    const text = model.writeDraft({
      messages,
      previous: standing.summary,
      sources,
      tail: partition.tail,
      maxOutputTokens,
    });
    return { ok: true, summary: { text, finishReason: "stop", hadReasoning: false, toolCallCount: 0 } };
  }
  const limit = maxTextBytes === undefined ? {} : { maxTextBytes };
  return summarize(model, messages, instruction, { signal, clock, maxOutputTokens, ...limit });
}

/** The request that `summarize` sends for a step. */
function requestOf(
  { conversation, instruction, maxTextBytes }: SummaryStep,
  maxOutputTokens: number,
): ModelRequest {
  const limit = maxTextBytes === undefined ? {} : { maxTextBytes };
  return summarizeRequest(conversation, instruction, { maxOutputTokens, ...limit });
}
