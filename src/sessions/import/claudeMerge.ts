import type { Part, Usage } from "../../core/messages.ts";
import { compactJson } from "./jsonValues.ts";
import type { DraftMessage } from "./sessionDraft.ts";

interface AssistantLine {
  readonly parts: readonly Part[];
  readonly usage: Usage | undefined;
  readonly stopReason: string | undefined;
}

/**
 * Adds another line of the same message id. A line that repeats what is there and goes on is a snapshot and takes its
 * place; others add their parts. Usage is one report for the whole message, repeated or growing line by line: the one
 * with the most output counts, they are never added up. Returns the index of the line's first part.
 */
export function mergeAssistantLine(reply: DraftMessage, line: AssistantLine): number {
  const { message } = reply;
  const before = message.usage;
  if (line.usage !== undefined && (before === undefined || line.usage.outputTokens >= before.outputTokens)) {
    message.usage = line.usage;
  }
  if (line.stopReason !== undefined) reply.stopReason = line.stopReason;
  if (isSnapshotOf(message.content, line.parts)) {
    message.content = [...line.parts];
    return 0;
  }
  const from = message.content.length;
  for (const part of line.parts) {
    const known =
      part.type === "tool-call" && part.toolCallId !== ""
        ? indexOfCall(message.content, part.toolCallId)
        : -1;
    if (known >= 0) message.content[known] = part;
    else message.content.push(part);
  }
  return from;
}

function isSnapshotOf(earlier: readonly Part[], later: readonly Part[]): boolean {
  if (earlier.length === 0 || later.length < earlier.length) return false;
  return earlier.every((part, index) => {
    const grown = later[index];
    return grown !== undefined && growsInto(part, grown);
  });
}

function growsInto(part: Part, grown: Part): boolean {
  if (part.type === "text" && grown.type === "text") return grown.text.startsWith(part.text);
  if (part.type === "reasoning" && grown.type === "reasoning") return grown.text.startsWith(part.text);
  if (part.type === "tool-call" && grown.type === "tool-call" && part.toolCallId !== "") {
    return part.toolCallId === grown.toolCallId;
  }
  return compactJson(part) === compactJson(grown);
}

function indexOfCall(parts: readonly Part[], toolCallId: string): number {
  return parts.findIndex((part) => part.type === "tool-call" && part.toolCallId === toolCallId);
}
