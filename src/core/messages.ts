/**
 * The message model (contract section 1). A transcript is the whole record of a session and only grows; a
 * context is what is sent now: a projection of the transcript.
 */
export type Role = "system" | "user" | "assistant" | "tool";

/** What a user-role message is when a person did not type it. */
export type MessageKind = "capsule" | "notice" | "attachment";

export interface TextPart {
  readonly type: "text";
  readonly text: string;
}

export interface ReasoningPart {
  readonly type: "reasoning";
  readonly text: string;
  /** Opaque proof of the provider's; travels with the text as it came. */
  readonly signature?: string;
}

export interface ImagePart {
  readonly type: "image";
  readonly mediaType: string;
  /** Base64, without a data-URL prefix. */
  readonly data: string;
}

export interface ToolCallPart {
  readonly type: "tool-call";
  readonly toolCallId: string;
  readonly toolName: string;
  /** Any JSON value. */
  readonly input: unknown;
}

export interface ToolResultPart {
  readonly type: "tool-result";
  readonly toolCallId: string;
  readonly toolName: string;
  readonly output: string;
  readonly isError?: boolean;
}

export type Part = TextPart | ReasoningPart | ImagePart | ToolCallPart | ToolResultPart;

/** A provider's report for one request, in tokens. */
export interface Usage {
  /** Everything the model read, cached or not. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Part of `inputTokens`. */
  readonly cacheReadTokens?: number;
  /** Part of `inputTokens`. */
  readonly cacheWriteTokens?: number;
  readonly model?: string;
}

export interface Message {
  /** Stable and unique in a transcript; it is the segment id of the message. */
  readonly id: string;
  readonly role: Role;
  readonly content: readonly Part[];
  readonly usage?: Usage;
  readonly kind?: MessageKind;
}

/** Where a number comes from; the one vocabulary of the whole product. */
export type Basis =
  | "reported"
  | "counted"
  | "tokenized"
  | "projected"
  | "estimated"
  | "imported"
  | "unavailable";

/** Text of a message: its text parts joined by newlines; of a tool message, its outputs. */
export function textOf(message: Message): string {
  const pieces: string[] = [];
  for (const part of message.content) {
    if (part.type === "text" && message.role !== "tool") pieces.push(part.text);
    else if (part.type === "tool-result" && message.role === "tool") pieces.push(part.output);
  }
  return pieces.join("\n");
}

/** Only what a person typed is a user source: role user without a kind. */
export function isUserSource(message: Message): boolean {
  return message.role === "user" && message.kind === undefined;
}

/** Segment id of one tool result inside a message. */
export function resultSegmentId(messageId: string, toolCallId: string): string {
  return `${messageId}#${toolCallId}`;
}
