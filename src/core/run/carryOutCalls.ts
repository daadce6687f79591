import { whenAborted } from "../abortLink.ts";
import type { ToolCallPart, ToolResultPart } from "../messages.ts";
import type { AbortSignalLike } from "../model.ts";
import type { AgentTool } from "./agent.ts";

/** Why a call was answered without being carried out. */
export type Refusal = "interrupted" | "reply_broken" | "loop" | "max_tool_calls" | "budget";

const REFUSAL_OUTPUTS: Readonly<Record<Refusal, string>> = {
  interrupted: "No result: the run was interrupted before the call was answered.",
  reply_broken: "Not carried out: the reply that made this call broke off.",
  loop: "Not carried out: the same call was made again and again.",
  max_tool_calls: "Not carried out: the run may make no more tool calls.",
  budget: "Not carried out: the spend budget is exhausted.",
};

/** How one call went. */
export interface CarriedOut {
  readonly result: ToolResultPart;
  /** Its name is one that the agent offers. */
  readonly isOffered: boolean;
  /** Whether a tool was run. */
  readonly wasRun: boolean;
}

/** Calls of one reply. */
export interface Round {
  readonly calls: readonly ToolCallPart[];
  readonly tools: readonly AgentTool[];
  readonly signal: AbortSignalLike;
  /** As soon as each is there. */
  readonly onResult: (result: ToolResultPart) => void;
}

/** The error result of a call that was not carried out, so that no call is ever left without one. */
export function refused(call: ToolCallPart, refusal: Refusal, tools: readonly AgentTool[]): CarriedOut {
  const isOffered = tools.some(({ name }) => name === call.toolName);
  return { result: errorResult(call, REFUSAL_OUTPUTS[refusal]), isOffered, wasRun: false };
}

/**
 * Carries out calls side by side and gives one outcome for each, in their order. After an abort nobody is waited for:
 * what is not there yet is answered with an error, and comes too late.
 */
export async function carryOutCalls(round: Round): Promise<readonly CarriedOut[]> {
  const aborted = whenAborted(round.signal);
  try {
    return await Promise.all(
      round.calls.map(async (call) => {
        const outcome = await carryOut(call, round, aborted.promise);
        round.onResult(outcome.result);
        return outcome;
      }),
    );
  } finally {
    aborted.release();
  }
}

async function carryOut(
  call: ToolCallPart,
  { tools, signal }: Round,
  aborted: Promise<void>,
): Promise<CarriedOut> {
  const tool = tools.find(({ name }) => name === call.toolName);
  if (tool === undefined) {
    const output = `There is no tool "${call.toolName}".`;
    return { result: errorResult(call, output), isOffered: false, wasRun: false };
  }
  if (signal.aborted) return refused(call, "interrupted", tools);
  const result = await Promise.race([execute(tool, call, signal), aborted]);
  if (result === undefined || signal.aborted) {
    return { ...refused(call, "interrupted", tools), wasRun: true };
  }
  return { result, isOffered: true, wasRun: true };
}

async function execute(
  tool: AgentTool,
  call: ToolCallPart,
  signal: AbortSignalLike,
): Promise<ToolResultPart> {
  const { toolCallId, toolName } = call;
  try {
    const outcome = await tool.execute(call.input, { toolCallId, signal });
    if (typeof outcome === "string") return { type: "tool-result", toolCallId, toolName, output: outcome };
    const { output, isError } = outcome;
    if (typeof output !== "string") return errorResult(call, "The tool failed: it gave back no text.");
    return { type: "tool-result", toolCallId, toolName, output, ...(isError === true ? { isError } : {}) };
  } catch (error) {
    return errorResult(call, `The tool failed: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function errorResult({ toolCallId, toolName }: ToolCallPart, output: string): ToolResultPart {
  return { type: "tool-result", toolCallId, toolName, output, isError: true };
}
