const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const strictDecoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export interface LineText {
  readonly number: number;
  /** As in the file, without the newline. */
  readonly text: string;
  readonly complete: boolean;
  /** Set when the bytes are not well-formed UTF-8: `text` then holds replacement characters. */
  readonly bytesBase64?: string;
}

export function decodeLine(line: { number: number; bytes: Uint8Array; complete: boolean }): LineText {
  const text = decoder.decode(line.bytes);
  const base = { number: line.number, text, complete: line.complete };
  if (!text.includes("\uFFFD") || isWellFormed(line.bytes)) return base;
  return { ...base, bytesBase64: Buffer.from(line.bytes).toString("base64") };
}

export function decodeText(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

function isWellFormed(bytes: Uint8Array): boolean {
  try {
    strictDecoder.decode(bytes);
    return true;
  } catch {
    return false;
  }
}

export type ParsedLine =
  | { readonly ok: true; readonly value: unknown; readonly strippedNuls: boolean }
  | { readonly ok: false; readonly reason: string };

/** A byte order mark and runs of NUL bytes around a line (left by a crash) do not count against it. */
export function parseLine(line: LineText): ParsedLine {
  const bare = stripMarks(line.text);
  try {
    return { ok: true, value: JSON.parse(bare), strippedNuls: line.text.includes("\0") };
  } catch {
    if (bare.trim() === "") return { ok: false, reason: "The line holds only NUL bytes." };
    if (!line.complete) return { ok: false, reason: "The last line is half-written." };
    return { ok: false, reason: "The line is not JSON." };
  }
}

const NUL = 0;
const BYTE_ORDER_MARK = 0xfeff;

export function stripMarks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isMark(text.charCodeAt(start))) start += 1;
  while (end > start && isMark(text.charCodeAt(end - 1))) end -= 1;
  return start === 0 && end === text.length ? text : text.slice(start, end);
}

function isMark(code: number): boolean {
  return code === NUL || code === BYTE_ORDER_MARK;
}
