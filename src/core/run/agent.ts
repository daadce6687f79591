import type { AbortSignalLike, ChatModel, Clock, ToolDefinition } from "../model.ts";
import type { CompactionPolicy } from "../policy.ts";

/** What a tool gives back: its output, or a failure that the model shall read. */
export type ToolOutcome = string | { readonly output: string; readonly isError?: boolean };

export interface AgentTool extends ToolDefinition {
  /** What it throws becomes an error result. What it gives back after the signal was aborted is dropped. */
  readonly execute: (
    input: unknown,
    call: { readonly toolCallId: string; readonly signal: AbortSignalLike },
  ) => ToolOutcome | Promise<ToolOutcome>;
}

/** Who works: a model, its tools, and what the core has not of its own: time and ids. */
export interface Agent {
  readonly model: ChatModel;
  readonly tools: readonly AgentTool[];
  /** System message of a session that the run begins. */
  readonly instructions?: string;
  /** Reply cap of one call, in tokens. Default: the model's limit, else 4096. */
  readonly maxOutputTokens?: number;
  /** Who writes capsules. Default: the model. */
  readonly summarizer?: ChatModel;
  /** Shapes compactions beside what the budget says of them. */
  readonly policy?: CompactionPolicy;
  /** Milliseconds since the epoch. */
  now(): number;
  /** An id that was never given before. */
  newId(): string;
  /**
   * Settles after a time, or early when the signal is aborted. Without it nothing is cut off in the middle: the
   * deadline is looked at between steps, and a silent summarizer is waited for.
   */
  delay?(ms: number, signal: AbortSignalLike): Promise<void>;
}

export const DEFAULT_OUTPUT_CAP_TOKENS = 4096;

/** The reply cap of a call of this agent, before any clamp. */
export function outputCapOf({ model, maxOutputTokens }: Pick<Agent, "model" | "maxOutputTokens">): number {
  return maxOutputTokens ?? model.limits.maxOutputTokens ?? DEFAULT_OUTPUT_CAP_TOKENS;
}

/** The agent's time; without a `delay` nothing ever times out. */
export function clockOf(agent: Pick<Agent, "now" | "delay">): Clock {
  return {
    now: () => agent.now(),
    delay: (ms, signal) => agent.delay?.(ms, signal) ?? new Promise(() => {}),
  };
}
