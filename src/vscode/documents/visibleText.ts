/**
 * Text of a chat as a read-only document may show it: nothing in it can hide, reorder or break a line. Line feeds and
 * tabs stand as they are; every other control, bidirectional or line-separating character is shown as a visible sign.
 */

/** VS Code stops drawing a line at 10,000 characters; a longer one goes on in the next line, after `CONTINUED`. */
export const LINE_UNITS = 8_000;
export const CONTINUED = "↪ ";

/** Most bytes that one shown character takes: `<U+202E>`. */
const SIGN_BYTES = 8;
const CONTINUED_BYTES = 4;
const LINE_FEED = 0x0a;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the same, and what would end a line.
const UNSEEN_IN_LINE = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/;

function sign(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return "␡";
  return `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
}

/** The text with a visible sign for each character that could not be seen; CR LF is a line feed. */
export function visible(text: string): string {
  return text.toWellFormed().replaceAll("\r\n", "\n").replace(UNSEEN, sign);
}

/** One line of at most `limit` characters: blanks run together, `…` where it was cut. For labels and headings. */
export function oneLine(text: string, limit: number): string {
  const from = Math.max(0, text.search(/\S/));
  const start = text.slice(from, from + limit * 4);
  const line = visible(start).replace(/\s+/g, " ").trim();
  if (line.length <= limit && from + start.length >= text.trimEnd().length) return line;
  let end = Math.min(line.length, Math.max(0, limit - 1));
  if (isLowSurrogate(line.charCodeAt(end))) end -= 1;
  return `${line.slice(0, end)}…`;
}

/** Longest id or name inside a heading. */
export const FIELD_LENGTH = 120;

/** An id or a name inside a heading: on one line, and without the sign that stands between fields. */
export function field(text: string): string {
  const shown = UNSEEN_IN_LINE.test(text) || text.length > FIELD_LENGTH ? oneLine(text, FIELD_LENGTH) : text;
  const single = shown.toWellFormed().replaceAll("·", "•").trim();
  return single === "" ? "–" : single;
}

/** Lines as they stand in a document, each with the indent before it; an empty line stays empty. */
export function indentedLines(text: string, indent: string): string[] {
  const lines: string[] = [];
  for (const line of visible(text).split("\n")) {
    if (line === "") lines.push("");
    else if (line.length <= LINE_UNITS) lines.push(indent + line);
    else {
      let at = 0;
      while (at < line.length) {
        let end = Math.min(at + LINE_UNITS, line.length);
        if (end < line.length && isLowSurrogate(line.charCodeAt(end))) end -= 1;
        lines.push(indent + (at === 0 ? "" : CONTINUED) + line.slice(at, end));
        at = end;
      }
    }
  }
  return lines;
}

/** Bytes that one UTF-16 unit takes at most once it is shown, with the indent of a line that it may begin. */
function shownBytes(unit: number, indentBytes: number): number {
  if (unit === LINE_FEED) return 1 + indentBytes;
  if (unit < 0x20) return unit === 0x09 ? 1 : SIGN_BYTES;
  if (unit < 0x7f) return 1;
  if (unit < 0xa0 || unit === 0x061c) return SIGN_BYTES;
  if (unit < 0x800) return 2;
  if ((unit >= 0x200e && unit <= 0x200f) || (unit >= 0x2028 && unit <= 0x202e)) return SIGN_BYTES;
  if ((unit >= 0x2066 && unit <= 0x2069) || unit === 0xfeff) return SIGN_BYTES;
  return 3;
}

/** An upper bound of the UTF-8 bytes of `indentedLines(text, indent).join("\n")` and a line feed. */
export function shownBytesAtMost(text: string, indentBytes: number): number {
  let bytes = indentBytes + 1;
  for (let at = 0; at < text.length; at += 1) bytes += shownBytes(text.charCodeAt(at), indentBytes);
  // A sign is up to eight characters of a line, so that even bytes over LINE_UNITS bound the breaks.
  return bytes + Math.floor(bytes / (LINE_UNITS - 1)) * (indentBytes + CONTINUED_BYTES + 1);
}

export interface Excerpt {
  readonly head: string;
  readonly tail: string;
  /** UTF-16 units between them. */
  readonly omitted: number;
}

/** The beginning and the end of a text, together at most `limitBytes` when shown; `omitted` is 0 when all fits. */
export function excerpt(text: string, limitBytes: number, indentBytes: number): Excerpt {
  if (text.length <= limitBytes && shownBytesAtMost(text, indentBytes) <= limitBytes) {
    return { head: text, tail: "", omitted: 0 };
  }
  const breaks = Math.ceil(limitBytes / (LINE_UNITS - 1)) * (indentBytes + CONTINUED_BYTES + 1);
  const budget = Math.max(0, limitBytes - breaks - 2 * (indentBytes + 1));
  const tailBudget = Math.floor(budget / 5);
  let headEnd = 0;
  for (let left = budget - tailBudget; headEnd < text.length; headEnd += 1) {
    left -= shownBytes(text.charCodeAt(headEnd), indentBytes);
    if (left < 0) break;
  }
  if (isLowSurrogate(text.charCodeAt(headEnd))) headEnd -= 1;
  let tailStart = text.length;
  for (let left = tailBudget; tailStart > headEnd; tailStart -= 1) {
    left -= shownBytes(text.charCodeAt(tailStart - 1), indentBytes);
    if (left < 0) break;
  }
  if (isLowSurrogate(text.charCodeAt(tailStart))) tailStart += 1;
  headEnd = Math.max(0, headEnd);
  tailStart = Math.min(Math.max(tailStart, headEnd), text.length);
  return { head: text.slice(0, headEnd), tail: text.slice(tailStart), omitted: tailStart - headEnd };
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
