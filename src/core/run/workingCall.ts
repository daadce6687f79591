import type { BudgetHold, SettledCall } from "../budget/budgetMeter.ts";
import { CallWatch } from "../budget/callWatch.ts";
import { outputAllowance } from "../budget/outputAllowance.ts";
import type { RequestBound } from "../budget/requestBound.ts";
import { DEFAULT_OUTPUT_FLOOR_TOKENS } from "../budget/runBudget.ts";
import { MOST_TOKENS_OF_A_CALL, readUsage } from "../budget/tokenClasses.ts";
import type { Part, ToolCallPart, Usage } from "../messages.ts";
import type { FinishReason, ModelRequest, ToolDefinition } from "../model.ts";
import { ModelError } from "../model.ts";
import { answerOpenCalls } from "../openCalls.ts";
import { knownWindow } from "../policy.ts";
import { chunksUntilAborted } from "../untilAborted.ts";
import type { Agent } from "./agent.ts";
import { outputCapOf } from "./agent.ts";
import { ReplyParts } from "./replyParts.ts";
import type { RunContext } from "./runContext.ts";

export interface RunError {
  /** Of a `ModelError`, else `unknown`. */
  readonly code: string;
  readonly message: string;
}

/** What became of one working call. */
export type WorkingCall =
  /** It was not made. */
  | { readonly made: false; readonly why: "budget_exhausted" | "context_full" | "interrupted" }
  | {
      readonly made: true;
      /** As far as the reply came. */
      readonly parts: readonly Part[];
      readonly calls: readonly ToolCallPart[];
      readonly finishReason: FinishReason | undefined;
      readonly usage: Usage | undefined;
      readonly settled: SettledCall;
      readonly isClamped: boolean;
      /** The stream failed. */
      readonly error: RunError | undefined;
    };

const knownDefinitions = new WeakMap<Agent["tools"], readonly ToolDefinition[]>();

/** The tools of an agent as a request offers them: the same list every time. */
export function definitionsOf({ tools }: Pick<Agent, "tools">): readonly ToolDefinition[] {
  const known = knownDefinitions.get(tools);
  if (known !== undefined) return known;
  const definitions = tools.map(({ name, description, inputSchema }) => ({
    name,
    description,
    ...(inputSchema === undefined ? {} : { inputSchema }),
  }));
  knownDefinitions.set(tools, definitions);
  return definitions;
}

/**
 * One working call: its upper count, the largest reply that the budget can pay (rung 3), the reserve, the stream, the
 * settlement. What it settles is not written yet.
 */
export async function workingCall(context: RunContext): Promise<WorkingCall> {
  const { agent, session, meter, signal, tell } = context;
  const request = { messages: [...answerOpenCalls(session.messages())], tools: definitionsOf(agent) };
  const bound = await boundOf(context, request);
  if (signal.aborted) return { made: false, why: "interrupted" };
  if (isAboveWindow(context, bound)) return { made: false, why: "context_full" };
  const cap = Math.min(outputCapOf(agent), MOST_TOKENS_OF_A_CALL);
  const maxOutputTokens = allowance(context, bound, cap);
  if (maxOutputTokens === undefined) return { made: false, why: "budget_exhausted" };
  const reservation = meter.reserve({
    callId: agent.newId(),
    modelId: agent.model.id,
    purpose: "work",
    inputTokens: bound.tokens,
    outputTokens: maxOutputTokens,
    basis: bound.basis,
  });
  if (!reservation.ok) return { made: false, why: "budget_exhausted" };
  const { hold } = reservation;
  try {
    await session.append([{ type: "meter", record: hold.record }]);
  } catch (error) {
    hold.release();
    throw error;
  }
  const isClamped = maxOutputTokens < cap;
  tell({ type: "call", callId: hold.call.callId, maxOutputTokens, isClamped });
  return stream(context, { ...request, maxOutputTokens }, { hold, isClamped, cap });
}

async function stream(
  context: RunContext,
  request: ModelRequest,
  { hold, isClamped, cap }: { hold: BudgetHold; isClamped: boolean; cap: number },
): Promise<WorkingCall> {
  const { agent, signal, tell, ledger } = context;
  const startedAt = agent.now();
  const watch = new CallWatch(agent.model);
  const reply = new ReplyParts(tell);
  let error: RunError | undefined;
  try {
    for await (const chunk of chunksUntilAborted(watch.model, request, signal)) reply.add(chunk);
  } catch (thrown) {
    error = errorOf(thrown);
  }
  const settled = watch.settle(hold);
  ledger.addCall({ model: agent.model, hold, settled, cap, startedAt, endedAt: agent.now() });
  tell({ type: "settled", call: settled });
  const { parts, calls, finishReason } = reply;
  const usage = readUsage(watch.usage) === undefined ? undefined : watch.usage;
  return {
    made: true,
    parts,
    calls,
    finishReason,
    usage,
    settled,
    isClamped,
    error,
  };
}

/** Without a budget nothing depends on the count, and nobody is asked for it. */
async function boundOf(
  context: RunContext,
  request: Omit<ModelRequest, "maxOutputTokens">,
): Promise<RequestBound> {
  const { agent, meter, boundsOf, signal } = context;
  const bounds = boundsOf(agent.model);
  return meter.state.declared === undefined ? bounds.byBytes(request) : bounds.of(request, signal);
}

function isAboveWindow({ agent }: RunContext, bound: RequestBound): boolean {
  const window = knownWindow(agent.model.limits.maxInputTokens);
  return window !== undefined && bound.tokens > window;
}

function allowance({ agent, meter }: RunContext, bound: RequestBound, cap: number): number | undefined {
  return outputAllowance({
    costOf: (outputTokens) =>
      meter.coldCost({ modelId: agent.model.id, inputTokens: bound.tokens, outputTokens }) ?? 0,
    remaining: meter.reading.breachedBy > 0 ? Number.NEGATIVE_INFINITY : meter.reading.remaining,
    floorTokens: meter.state.declared?.outputFloorTokens ?? DEFAULT_OUTPUT_FLOOR_TOKENS,
    capTokens: cap,
  });
}

function errorOf(thrown: unknown): RunError {
  if (thrown instanceof ModelError) return { code: thrown.code, message: thrown.message };
  return { code: "unknown", message: thrown instanceof Error ? thrown.message : String(thrown) };
}
