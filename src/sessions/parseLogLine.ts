import type { ReplayProblem } from "./session.ts";

/** What stands in one line of a log: usually one value. */
export interface ParsedLine {
  readonly values: readonly unknown[];
  readonly blank: boolean;
  /** What was wrong with the line although its values could be read. */
  readonly damage?: ReplayProblem["kind"];
}

const BLANK: ParsedLine = { values: [], blank: true };
const NUL = "\0";
const BYTE_ORDER_MARK = "\u{FEFF}";

/**
 * Parses a line. A byte order mark and runs of NUL (what a power cut leaves in place of a write) are cut out; what
 * stands before and after them is read for itself.
 */
export function parseLogLine(bytes: Buffer): ParsedLine {
  if (bytes.length === 0) return BLANK;
  let text: string;
  try {
    // "latin1" of pure ASCII would be no faster: Node decodes UTF-8 with vector instructions.
    text = bytes.toString("utf8");
    return { values: [JSON.parse(text)], blank: false };
  } catch {
    return salvage(bytes);
  }
}

function salvage(bytes: Buffer): ParsedLine {
  let text: string;
  try {
    text = bytes.toString("utf8");
  } catch {
    // Longer than the longest string there can be.
    return { values: [], blank: false };
  }
  const hasNul = text.includes(NUL);
  const hasMark = text.includes(BYTE_ORDER_MARK);
  if (text.trim() === "") return hasMark ? { ...BLANK, damage: "byte_order_mark" } : BLANK;
  if (!hasNul && !hasMark) return { values: [], blank: false };
  const pieces = text
    .split(/[\0\u{FEFF}]+/u)
    .map((piece) => piece.trim())
    .filter((piece) => piece !== "");
  const damage = hasNul ? "nul_bytes" : "byte_order_mark";
  if (pieces.length === 0) return { ...BLANK, damage };
  const values: unknown[] = [];
  for (const piece of pieces) {
    try {
      values.push(JSON.parse(piece));
    } catch {
      // A piece of a line: the damage is reported for the line as a whole.
    }
  }
  return values.length === 0 ? { values, blank: false } : { values, blank: false, damage };
}
