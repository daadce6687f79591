import type { ContextSummary, ContextSummarySource } from "./capsule/contextSummary.ts";
import type { Message, Usage } from "./messages.ts";

/** The part of AbortSignal that the core uses, taken structurally: the core knows no DOM. */
export interface AbortSignalLike {
  readonly aborted: boolean;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** Time comes in as an argument. `delay` settles early, without an error, when the signal is aborted. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  delay(ms: number, signal: AbortSignalLike): Promise<void>;
}

export type FinishReason = "stop" | "length" | "tool-calls" | "content-filter" | "unknown";

export type ModelChunk =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string; readonly signature?: string }
  | {
      readonly type: "tool-call";
      readonly toolCallId: string;
      readonly toolName: string;
      readonly input: unknown;
    }
  | { readonly type: "usage"; readonly usage: Usage }
  | { readonly type: "finish"; readonly reason: FinishReason };

export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  /** JSON schema. */
  readonly inputSchema?: unknown;
}

export interface ModelRequest {
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDefinition[];
  /** Reply cap in tokens; a model that cannot cap its reply ignores it. */
  readonly maxOutputTokens?: number;
}

export interface ModelLimits {
  /** What a request may hold, in tokens; undefined = unknown. Where a provider limits input apart, that limit. */
  readonly maxInputTokens?: number;
  readonly maxOutputTokens?: number;
}

/** What a summarizer that is no language model works from: the messages themselves. */
export interface DraftInput {
  /** The messages that leave, oldest first, with their original outputs. */
  readonly messages: readonly Message[];
  readonly previous: ContextSummary | undefined;
  readonly sources: readonly ContextSummarySource[];
  /** The messages that follow and stay word for word. */
  readonly tail?: readonly Message[];
  readonly maxOutputTokens: number;
}

/** A language model as the core sees it. */
export interface ChatModel {
  /** Unique in the running product, e.g. `copilot/gpt-5` or `offline`. */
  readonly id: string;
  readonly vendor: string;
  readonly name: string;
  readonly limits: ModelLimits;
  /** A summarizer that is no language model: writes the draft (wire JSON) itself, free and without a network. */
  readonly writeDraft?: (input: DraftInput) => string;
  /**
   * Streams a reply. Throws `ModelError`, from the call or from the stream. After an abort it may end normally
   * or throw code `cancelled`: the caller checks the signal.
   */
  stream(request: ModelRequest, signal: AbortSignalLike): AsyncIterable<ModelChunk>;
  /** The provider's own count of a text in tokens; undefined = not counted (time-out, 0, NaN, error). */
  countTokens?(text: string, signal: AbortSignalLike): Promise<number | undefined>;
}

export const MODEL_ERROR_CODES = [
  "authentication",
  "permission",
  "rate",
  "quota",
  "overflow",
  "output_limit",
  "content_filter",
  "bad_request",
  "not_found",
  "blocked",
  "network",
  "timeout",
  "protocol",
  "cancelled",
  "unknown",
] as const;

export type ModelErrorCode = (typeof MODEL_ERROR_CODES)[number];

export class ModelError extends Error {
  override readonly name = "ModelError";
  readonly code: ModelErrorCode;
  readonly retryAfterMs: number | undefined;
  constructor(code: ModelErrorCode, message: string, options?: { cause?: unknown; retryAfterMs?: number }) {
    super(message, options);
    this.code = code;
    this.retryAfterMs = options?.retryAfterMs;
  }
}
