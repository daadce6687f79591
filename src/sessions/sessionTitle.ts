export const MAX_TITLE_CHARACTERS = 200;

/** Controls, line separators, and signs that reorder what is written: a title is shown in many places, on one line. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]+/g;

/** A stored title as everybody reads it; undefined where nothing is left of it. The record keeps it as it was given. */
export function readableTitle(stored: string): string | undefined {
  const line = stored.toWellFormed().replace(UNSEEN, " ").replace(/\s+/g, " ").trim();
  if (line === "") return undefined;
  const characters = Array.from(line.slice(0, 2 * MAX_TITLE_CHARACTERS + 1));
  if (characters.length <= MAX_TITLE_CHARACTERS) return line;
  return `${characters.slice(0, MAX_TITLE_CHARACTERS - 1).join("")}…`;
}
