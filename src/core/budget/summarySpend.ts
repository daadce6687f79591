import type { Message } from "../messages.ts";
import type { AbortSignalLike, ChatModel, ModelRequest, ToolDefinition } from "../model.ts";
import { answerOpenCalls } from "../openCalls.ts";
import type { BudgetMeter, SettledCall } from "./budgetMeter.ts";
import { CallWatch } from "./callWatch.ts";
import type { MeterRecord } from "./meterRecord.ts";
import type { RequestBound, RequestBounds } from "./requestBound.ts";
import type { DeclaredBudget } from "./runBudget.ts";

/** UTF-8 bytes that stand for a token of a draft that is not written yet, where requests are weighed by bytes. */
const BYTES_OF_A_DRAFT_TOKEN = 4;

/** A summarizer's call that is asked for. */
export interface SummaryCallRequest {
  readonly model: ChatModel;
  readonly request: ModelRequest;
  /** Upper count of the request by the summarizer's own count, where it gave one. */
  readonly countedTokens: number | undefined;
  /** Reply cap, tokens. */
  readonly maxOutputTokens: number;
  /** The context as it would be with what code carries by itself. */
  readonly afterAtLeast: readonly Message[];
  readonly signal: AbortSignalLike;
}

/** A summarizer's call that is paid for. */
export interface SummaryCall {
  readonly callId: string;
  /** To be called in the place of the summarizer. */
  readonly model: ChatModel;
  /** To be called once, when the call is over. */
  settle(): Promise<SettledCall>;
}

/** What a declared budget says to the summarizer's calls of one compaction. */
export interface SummarySpend {
  /** Calls that may still be made; undefined = the ladder's own number. */
  readonly callsLeft?: number;
  /** A summary that would win fewer tokens is declined; undefined = the ladder's own number. */
  readonly minYieldTokens?: number;
  /** With trigger `spend`: whether the trigger no longer fires with this context. */
  isEnough?(messages: readonly Message[]): Promise<boolean>;
  /** Puts the call's cost by. Undefined: the budget does not cover it and the further calls it is made for. */
  open(call: SummaryCallRequest): Promise<SummaryCall | undefined>;
}

export interface SummarySpendOptions {
  readonly meter: BudgetMeter;
  /** The model of the chat, its tools and its reply cap: who makes the further calls. */
  readonly chatModel: ChatModel;
  readonly tools: readonly ToolDefinition[];
  readonly outputCapTokens: number;
  readonly boundsOf: (model: ChatModel) => RequestBounds;
  readonly newId: () => string;
  /** Durable before it settles. */
  readonly write: (record: MeterRecord) => Promise<void>;
  readonly onSettled?: (call: SettledCall) => void;
}

/** Opens a summarizer's call where the budget covers it and its headroom, and settles it by what came. */
export function summaryOpener(options: SummarySpendOptions): SummarySpend["open"] {
  return async (asked) => {
    const { meter, newId, write, onSettled } = options;
    const { model, maxOutputTokens, signal } = asked;
    const bound = await summaryBound(options, asked);
    const further = await headroomCost(options, asked);
    if (signal.aborted) return undefined;
    const call = {
      callId: newId(),
      modelId: model.id,
      purpose: "summary" as const,
      inputTokens: bound.tokens,
      outputTokens: maxOutputTokens,
      basis: bound.basis,
    };
    meter.requirePriced(model.id);
    const cost = meter.coldCost(call) ?? 0;
    if (cost + further > meter.reading.remaining) return undefined;
    const reservation = meter.reserve(call);
    if (!reservation.ok) return undefined;
    const { hold } = reservation;
    const watch = new CallWatch(model);
    try {
      await write(hold.record);
    } catch (error) {
      hold.release();
      throw error;
    }
    return {
      callId: call.callId,
      model: watch.model,
      settle: async () => {
        const settled = watch.settle(hold);
        onSettled?.(settled);
        await write(settled.record);
        return settled;
      },
    };
  };
}

async function summaryBound(
  { boundsOf }: SummarySpendOptions,
  { model, request, countedTokens, signal }: SummaryCallRequest,
): Promise<RequestBound> {
  if (countedTokens !== undefined) return { tokens: countedTokens, basis: "counted" };
  return boundsOf(model).of(request, signal);
}

/** Cold cost of the calls that must still be covered, each with the context as it would be after the summary. */
async function headroomCost(options: SummarySpendOptions, asked: SummaryCallRequest): Promise<number> {
  const { meter, chatModel, tools, outputCapTokens } = options;
  const declared: DeclaredBudget | undefined = meter.state.declared;
  if (declared === undefined) return 0;
  const messages = answerOpenCalls(asked.afterAtLeast);
  const bound = await options.boundsOf(chatModel).of({ messages, tools }, asked.signal);
  const draft = asked.maxOutputTokens * (bound.basis === "counted" ? 1 : BYTES_OF_A_DRAFT_TOKEN);
  const window = chatModel.limits.maxInputTokens ?? Number.POSITIVE_INFINITY;
  const inputTokens = Math.min(bound.tokens + draft, Math.max(window, bound.tokens));
  const next = { modelId: chatModel.id, inputTokens, outputTokens: outputCapTokens };
  return declared.compaction.headroomCalls * (meter.coldCost(next) ?? 0);
}
