import { coverableSources } from "./capsule/anchorRoom.ts";
import type { ContextSummary, ContextSummarySource } from "./capsule/contextSummary.ts";
import { summarizationInstruction } from "./capsule/instruction.ts";
import { renderHistory } from "./capsule/renderHistory.ts";
import { contextSummarySources } from "./capsule/sources.ts";
import { LIMITS } from "./capsule/wireSchema.ts";
import type { ContextIndex } from "./contextIndex.ts";
import { countText } from "./countText.ts";
import type { Message } from "./messages.ts";
import { textOf } from "./messages.ts";
import type { AbortSignalLike, ChatModel, Clock } from "./model.ts";
import type { Partition } from "./partition.ts";
import { partitionContext } from "./partition.ts";
import type { CompactionPlan } from "./plan.ts";
import { DEFAULT_CONTEXT_WINDOW, knownWindow } from "./policy.ts";
import { summarizeRequest } from "./summarize.ts";
import { utf8Length } from "./utf8.ts";

/** Added to an exact count for each message, as providers wrap them (contract section 6). */
export const MESSAGE_WRAPPER_TOKENS = 16;
/** A text that would take more than this share of a request that is too big is cut in the middle at once. */
const LARGE_TEXT_SHARE = 0.5;
/** A single message that does not fit is cut in the middle, but never below this many bytes. */
const LEAST_TEXT_BYTES = 512;
/** Aim below the limit, since counts do not add up exactly. */
const FIT_MARGIN = 0.9;

/** What one call to the summarizer covers: the messages up to a cut, sized to fit the model. */
export interface SummaryStep {
  readonly cut: number;
  readonly partition: Partition;
  readonly sources: readonly ContextSummarySource[];
  /** The messages that leave, with their original outputs. */
  readonly conversation: readonly Message[];
  readonly instruction: string;
  readonly maxTextBytes: number | undefined;
  /** Upper count of the request in tokens, and where it comes from. */
  readonly requestTokens: number;
  readonly requestBasis: "counted" | "estimated";
  /** UTF-8 bytes of the request's text. */
  readonly requestBytes: number;
}

export interface StepInput {
  readonly messages: readonly Message[];
  readonly index: ContextIndex;
  readonly plan: CompactionPlan;
  /** Where the tail that the run aims at begins in `messages`. */
  readonly targetCut: number;
  readonly previous: ContextSummary | undefined;
  readonly originalOf: (message: Message) => Message;
  readonly model: ChatModel | undefined;
  /** The model's context window, where it is known better than by its own limits. */
  readonly window: number | undefined;
  readonly focus: string | undefined;
  readonly signal: AbortSignalLike;
  readonly clock: Clock;
}

export type StepResult =
  | { readonly ok: true; readonly step: SummaryStep }
  | { readonly ok: false; readonly reason: "nothing_leaves" | "summary_request_too_big" };

/**
 * The oldest part that one call can take. The request is sized before it is sent: by the model's own count
 * where it gives one, else by its bytes, which no tokenizer exceeds. What does not fit waits for the next call.
 */
export async function nextSummaryStep(input: StepInput): Promise<StepResult> {
  const { messages } = input;
  const { pairs } = input.index;
  const limit = requestLimit(input);
  let cut = firstTry(input);
  let maxTextBytes: number | undefined;
  let counts = true;
  for (;;) {
    const step = await describe(input, { cut, maxTextBytes, counts });
    counts = step.requestBasis === "counted";
    if (step.partition.leaving.length === 0) return { ok: false, reason: "nothing_leaves" };
    const first = messages.indexOf(step.partition.leaving[0] as Message);
    const least = pairs.legalAtOrAbove(first + 1);
    const coverable = firstUncoverable(step, input.previous);
    if (coverable !== undefined && cut > least) {
      const wanted = messages.findIndex((message) => message.id === coverable.segmentId);
      cut = Math.max(least, Math.min(pairs.legalAtOrBelow(wanted), lowerLegal(pairs, cut)));
      continue;
    }
    if (step.requestTokens <= limit) return { ok: true, step };
    const tokensPerByte = step.requestTokens / Math.max(1, step.requestBytes);
    if (
      maxTextBytes === undefined &&
      largestText(step.conversation) * tokensPerByte > limit * LARGE_TEXT_SHARE
    ) {
      maxTextBytes = Math.max(LEAST_TEXT_BYTES, Math.floor((limit * LARGE_TEXT_SHARE) / 2 / tokensPerByte));
    } else if (cut > least) {
      const share = (limit / step.requestTokens) * FIT_MARGIN;
      const wanted = cutByRenderedBytes(messages, step.partition.leaving, share);
      cut = Math.max(least, Math.min(pairs.legalAtOrBelow(wanted), lowerLegal(pairs, cut)));
    } else {
      const now = maxTextBytes ?? largestText(step.conversation);
      maxTextBytes = Math.floor(now / 2);
      if (maxTextBytes < LEAST_TEXT_BYTES) return { ok: false, reason: "summary_request_too_big" };
    }
  }
}

/**
 * Where to begin: no generation quotes more sources than a capsule has anchors, so what stands behind so many requests
 * need not be looked at. Root and pins stay and are not quoted.
 */
function firstTry({ messages, index, plan, targetCut }: StepInput): number {
  const most = LIMITS.anchors + plan.pinnedIds.length + 1;
  if (index.turnStarts.countBelow(targetCut) <= most) return targetCut;
  const wanted = index.turnStarts.at(most);
  const cut = index.pairs.legalAtOrBelow(wanted);
  return cut > 0 && cut < messages.length ? Math.min(cut, targetCut) : targetCut;
}

/** Tokens that a request to the summarizer may have. */
function requestLimit({ model, window }: StepInput): number {
  if (model?.writeDraft !== undefined) return Number.POSITIVE_INFINITY;
  return knownWindow(window) ?? knownWindow(model?.limits.maxInputTokens) ?? DEFAULT_CONTEXT_WINDOW;
}

/** What a step is made of. `counts`: whether the model's counter is asked. */
interface StepShape {
  readonly cut: number;
  readonly maxTextBytes: number | undefined;
  readonly counts: boolean;
}

async function describe(input: StepInput, { cut, maxTextBytes, counts }: StepShape): Promise<SummaryStep> {
  const { messages, plan, previous, focus, model } = input;
  const partition = partitionContext(messages, { ...plan, cut });
  const stays = new Set([...partition.system, ...partition.held].map((message) => message.id));
  const sources = contextSummarySources(messages.slice(0, cut), { stays });
  const instruction = summarizationInstruction(previous, sources, {
    ...(focus === undefined ? {} : { focus }),
    staying: partition.held,
    summaryMaxTokens: plan.effective.summaryMaxTokens,
  });
  const conversation = partition.leaving.map(input.originalOf);
  const shared = { cut, partition, sources, conversation, instruction, maxTextBytes };
  if (model === undefined || model.writeDraft !== undefined) {
    return { ...shared, requestTokens: 0, requestBasis: "estimated", requestBytes: 0 };
  }
  const request = summarizeRequest(
    conversation,
    instruction,
    maxTextBytes === undefined ? {} : { maxTextBytes },
  );
  const text = request.messages.map(textOf).join("\n");
  const exact = counts ? await countText(model, text, input) : undefined;
  const bytes = utf8Length(text);
  return {
    ...shared,
    requestTokens: (exact ?? bytes) + MESSAGE_WRAPPER_TOKENS * request.messages.length,
    requestBasis: exact === undefined ? "estimated" : "counted",
    requestBytes: bytes,
  };
}

/** The first required source that one generation has no room to quote; undefined where it has room for all. */
function firstUncoverable(
  step: SummaryStep,
  previous: ContextSummary | undefined,
): ContextSummarySource | undefined {
  const required = step.sources.filter((source) => source.required);
  return required[coverableSources(previous, step.sources)];
}

/** Index after the message at which the rendered bytes of what leaves pass the share of their sum. */
function cutByRenderedBytes(
  messages: readonly Message[],
  leaving: readonly Message[],
  share: number,
): number {
  const sizes = leaving.map((message) => utf8Length(renderHistory([message])));
  const budget = sizes.reduce((sum, size) => sum + size, 0) * share;
  let sum = 0;
  for (let index = 0; index < leaving.length; index += 1) {
    sum += sizes[index] as number;
    if (sum > budget) return messages.indexOf(leaving[index] as Message);
  }
  return messages.length;
}

function lowerLegal(pairs: { legalAtOrBelow(cut: number): number }, cut: number): number {
  return pairs.legalAtOrBelow(cut - 1);
}

/** The largest text that the rendered history would hold whole; outputs and inputs are cut in any case. */
function largestText(messages: readonly Message[]): number {
  let largest = 0;
  for (const message of messages) {
    for (const part of message.content) {
      if (part.type === "text") largest = Math.max(largest, utf8Length(part.text));
    }
  }
  return largest;
}
