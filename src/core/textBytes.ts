import type { Part } from "./messages.ts";
import { utf8Length } from "./utf8.ts";

const known = new WeakMap<Part, number>();

/**
 * Says how many UTF-8 bytes the text of a part has, where asking for the text is dear: it stands in a file. Such a
 * text is well-formed and large.
 */
export function rememberTextBytes(part: Part, bytes: number): void {
  known.set(part, bytes);
}

/** UTF-8 bytes of the output of a tool result, or of a text; nothing is read where they were remembered. */
export function textBytes(part: Extract<Part, { type: "text" | "reasoning" | "tool-result" }>): number {
  return known.get(part) ?? utf8Length(part.type === "tool-result" ? part.output : part.text);
}

/** Whether somebody said the size of this part's text, so that asking for the text is dear. */
export function isDearToRead(part: Part): boolean {
  return known.has(part);
}
