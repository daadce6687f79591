import type { AppendMark, LogEntry } from "./entries.ts";
import { removedError, shortenedError, writeError } from "./sessionErrors.ts";
import type { AppendHandle } from "./sessionFiles.ts";

const NEWLINE = "\n";
const NEWLINE_BYTE = 0x0a;
/** Tells one who reads backwards that a mark comes before this line. */
export const MARKED_LINE_START = " ";

/** What stands at the end of a log, for the one who appends next. */
export interface LogEnd {
  readonly bytes: number;
  /** The last line has no end: the next one begins with one. */
  readonly needsNewline: boolean;
  /** The last line, or the append that it belongs to, is not whole. */
  readonly isTorn: boolean;
}

/**
 * The end of one log. Every append is one write to the end of the file, never anything else. After a write that
 * failed in part the next one starts on a line of its own and says with a mark what does not count.
 */
export class LogWriter {
  readonly #file: AppendHandle;
  /** Where the file ends if nobody else wrote. */
  #end = -1;
  #needsNewline = false;
  #isTorn = false;
  /** Ids of entries that are in the file, whole, and do not count. */
  #voids: string[] = [];

  /** Somebody has to read the file to its end first: see `moveTo`. */
  constructor(file: AppendHandle) {
    this.#file = file;
  }

  get end(): number {
    return this.#end;
  }

  get hasVoids(): boolean {
    return this.#voids.length > 0;
  }

  /** Whether the file ends where this writer left it; false = somebody else wrote. Throws where bytes are gone. */
  isAtEnd(notWritten: readonly LogEntry[] = []): boolean {
    const bytes = this.#file.bytes();
    if (bytes === -1) throw removedError(notWritten);
    if (bytes < this.#end) throw shortenedError(notWritten);
    return bytes === this.#end;
  }

  /** Goes on from an end that was read. */
  moveTo(end: LogEnd): void {
    this.#end = end.bytes;
    this.#needsNewline = end.needsNewline;
    this.#isTorn = end.isTorn;
    this.#voids = [];
  }

  /** Writes the entries, all or none of which count. Returns the number of lines. */
  write(entries: readonly LogEntry[]): number {
    const isMarked = this.#isMarked(entries.length);
    const start = isMarked ? MARKED_LINE_START : "";
    let text = "";
    for (const entry of entries) text += start + JSON.stringify(entry) + NEWLINE;
    if (isMarked) text = JSON.stringify(this.#markFor(entries.length, text)) + NEWLINE + text;
    if (this.#needsNewline) text = NEWLINE + text;
    this.#writeAll(encoded(text), entries);
    this.#needsNewline = false;
    this.#isTorn = false;
    this.#voids = [];
    return isMarked ? entries.length + 1 : entries.length;
  }

  /** These entries, just written, never became durable: the next append says so. */
  takeBack(entries: readonly LogEntry[]): void {
    this.#voids.push(...entries.map((entry) => entry.id));
  }

  #isMarked(lines: number): boolean {
    return lines !== 1 || this.#isTorn || this.#voids.length > 0;
  }

  #markFor(lines: number, text: string): AppendMark {
    const voids = this.#voids.length > 0 ? { voids: this.#voids } : {};
    const torn = this.#isTorn ? { torn: true as const } : {};
    return { type: "append", lines, bytes: Buffer.byteLength(text), ...voids, ...torn };
  }

  #writeAll(bytes: Buffer, entries: readonly LogEntry[]): void {
    const start = this.#end;
    let written = 0;
    try {
      while (written < bytes.length) {
        const count = this.#file.append(written === 0 ? bytes : bytes.subarray(written));
        if (count === 0) throw Object.assign(new Error("Nothing more could be written."), { code: "ENOSPC" });
        written += count;
      }
      this.#end += written;
    } catch (cause) {
      this.#settleFailure(bytes, this.#reallyWritten(start, bytes.length) ?? written, entries);
      throw writeError(cause, entries);
    }
  }

  /** A write that reports an error may have written all the same. */
  #reallyWritten(start: number, most: number): number | undefined {
    try {
      const count = this.#file.bytes() - start;
      return count >= 0 && count <= most ? count : undefined;
    } catch {
      return undefined;
    }
  }

  /** What a failed write left behind. The last byte is a line end: without it the line is whole all the same. */
  #settleFailure(bytes: Buffer, written: number, entries: readonly LogEntry[]): void {
    this.#end += written;
    if (written === 0) return;
    const isWhole = written >= bytes.length - 1;
    if (isWhole) this.takeBack(entries);
    else this.#isTorn = true;
    this.#needsNewline = bytes[written - 1] !== NEWLINE_BYTE;
  }
}

/** Used again for every write: a write is done when `append` returns. */
const scratch = Buffer.allocUnsafe(64 * 1024);
const MOST_BYTES_PER_UNIT = 3;

function encoded(text: string): Buffer {
  if (text.length * MOST_BYTES_PER_UNIT > scratch.length) return Buffer.from(text);
  return scratch.subarray(0, scratch.write(text));
}
