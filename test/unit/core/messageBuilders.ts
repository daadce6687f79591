import type { Message, MessageKind, Part } from "../../../src/core/messages.ts";

/** Short ways to write transcripts down; the id of a message is its first argument. */
export function system(id: string, text: string): Message {
  return { id, role: "system", content: [{ type: "text", text }] };
}

export function user(id: string, text: string, kind?: MessageKind): Message {
  return { id, role: "user", ...(kind === undefined ? {} : { kind }), content: [{ type: "text", text }] };
}

export function assistant(id: string, text: string): Message {
  return { id, role: "assistant", content: [{ type: "text", text }] };
}

/** An assistant message that calls the tool `read` once for each id. */
export function calls(id: string, ...toolCallIds: string[]): Message {
  const content = toolCallIds.map(
    (toolCallId): Part => ({ type: "tool-call", toolCallId, toolName: "read", input: {} }),
  );
  return { id, role: "assistant", content };
}

export function result(id: string, toolCallId: string, output = "done", toolName = "read"): Message {
  return { id, role: "tool", content: [{ type: "tool-result", toolCallId, toolName, output }] };
}

/** Text whose message has exactly this estimate (at least 4 tokens). */
export function textOfTokens(tokens: number): string {
  return "x".repeat((tokens - 4) * 4);
}

/** `m0`, `m1` … whose estimates are the given tokens, user and assistant in turn. */
export function chatOf(...tokens: number[]): Message[] {
  return tokens.map((count, at) => (at % 2 === 0 ? user : assistant)(`m${at}`, textOfTokens(count)));
}
