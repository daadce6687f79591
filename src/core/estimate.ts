import { imageTokens } from "./imageTokens.ts";
import type { Message, Part } from "./messages.ts";
import { textBytes } from "./textBytes.ts";
import { utf8Length } from "./utf8.ts";

export const BYTES_PER_TOKEN = 4;
export const MESSAGE_OVERHEAD_TOKENS = 4;

/**
 * Estimated tokens of a message: floor(UTF-8 bytes / 4) + 4, and images by their pixels (contract section 2).
 * It places the cut; it never fires a compaction by itself.
 */
export function estimateTokens(message: Message): number {
  let bytes = 0;
  for (const part of message.content) bytes += partBytes(part);
  return Math.floor(bytes / BYTES_PER_TOKEN) + MESSAGE_OVERHEAD_TOKENS + imageTokensOf(message);
}

/** Estimated tokens of all messages. */
export function estimateContext(messages: readonly Message[]): number {
  let tokens = 0;
  for (const message of messages) tokens += estimateTokens(message);
  return tokens;
}

/** The part of a message's estimate that its images make up. */
export function imageTokensOf(message: Message): number {
  let tokens = 0;
  for (const part of message.content) if (part.type === "image") tokens += imageTokens(part);
  return tokens;
}

function partBytes(part: Part): number {
  switch (part.type) {
    case "text":
    case "reasoning":
      return textBytes(part);
    case "tool-call":
      // An input of undefined has no JSON.
      return utf8Length(part.toolName) + utf8Length(JSON.stringify(part.input) ?? "");
    case "tool-result":
      return textBytes(part) + utf8Length(part.toolCallId) + utf8Length(part.toolName);
    case "image":
      return 0;
  }
}
