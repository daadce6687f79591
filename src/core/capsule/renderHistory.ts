import type { Message, Part } from "../messages.ts";
import { resultSegmentId } from "../messages.ts";
import { utf8Length } from "../utf8.ts";
import { sourceRole } from "./sources.ts";

/** Outputs and tool inputs above this many UTF-8 bytes are cut in the middle. */
export const HISTORY_OUTPUT_BYTES = 4000;

export interface HistoryOptions {
  /** UTF-8 bytes that an output or a tool input may have; default 4000. */
  readonly maxOutputBytes?: number;
  /** UTF-8 bytes that the text of one part may have; default no limit. */
  readonly maxTextBytes?: number;
}

const LINE_BREAK = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/;

/**
 * The history as text for a summarizer. Heading lines start with `##`, and every line of what was said is quoted
 * by `| `, so that no content can pass for a heading. Capsules are left out (the previous one travels in the
 * instruction, once), as are system messages and reasoning.
 */
export function renderHistory(messages: readonly Message[], options: HistoryOptions = {}): string {
  const lines: string[] = [];
  for (const message of messages) {
    if (message.kind === "capsule" || message.role === "system") continue;
    lines.push(`## message ${JSON.stringify({ id: message.id, role: sourceRole(message) })}`);
    for (const part of message.content) lines.push(...partLines(message, part, options));
  }
  return lines.join("\n");
}

function partLines(message: Message, part: Part, options: HistoryOptions): string[] {
  const outputBytes = options.maxOutputBytes ?? HISTORY_OUTPUT_BYTES;
  switch (part.type) {
    case "text": {
      const limit = options.maxTextBytes;
      return quoted(limit === undefined ? part.text : cutInTheMiddle(part.text, limit));
    }
    case "image":
      return [`## image ${JSON.stringify({ mediaType: part.mediaType })}`];
    case "tool-call": {
      const heading = JSON.stringify({ id: part.toolCallId, tool: part.toolName });
      const input = JSON.stringify(part.input) ?? "";
      return [`## tool call ${heading}`, ...quoted(cutInTheMiddle(input, outputBytes))];
    }
    case "tool-result": {
      const id = resultSegmentId(message.id, part.toolCallId);
      const heading = JSON.stringify({
        id,
        tool: part.toolName,
        ...(part.isError === true ? { error: true } : {}),
      });
      return [`## tool result ${heading}`, ...quoted(cutInTheMiddle(part.output, outputBytes))];
    }
    case "reasoning":
      return [];
  }
}

function quoted(text: string): string[] {
  return text.split(LINE_BREAK).map((line) => `| ${line}`);
}

/** The text with its middle left out where it has more bytes than that, saying how many are missing. */
export function cutInTheMiddle(text: string, maxBytes: number): string {
  const bytes = utf8Length(text);
  if (bytes <= maxBytes) return text;
  const half = Math.floor(maxBytes / 2);
  const head = text.slice(0, unitsWithin(text, half));
  const tail = text.slice(text.length - unitsWithinFromEnd(text, half));
  const missing = bytes - utf8Length(head) - utf8Length(tail);
  return `${head}\n[… ${missing} bytes of ${bytes} left out …]\n${tail}`;
}

/** How many units from the start fit into so many bytes, no surrogate pair divided. */
function unitsWithin(text: string, maxBytes: number): number {
  let bytes = 0;
  let at = 0;
  while (at < text.length) {
    const units = (text.codePointAt(at) as number) > 0xffff ? 2 : 1;
    bytes += utf8Length(text.slice(at, at + units));
    if (bytes > maxBytes) break;
    at += units;
  }
  return at;
}

function unitsWithinFromEnd(text: string, maxBytes: number): number {
  let bytes = 0;
  let at = text.length;
  while (at > 0) {
    const units = at > 1 && (text.codePointAt(at - 2) as number) > 0xffff ? 2 : 1;
    bytes += utf8Length(text.slice(at - units, at));
    if (bytes > maxBytes) break;
    at -= units;
  }
  return text.length - at;
}
