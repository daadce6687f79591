import type { ReadHandle } from "./sessionFiles.ts";

const NEWLINE = 0x0a;
/** One read and what is made of it stay near 2 ms, so that reading a log never blocks its host for long. */
export const READ_CHUNK_BYTES = 256 * 1024;

/** One line without its end. The bytes are only good during the call. */
export type LineReader = (bytes: Buffer) => void;

/** Cuts chunks into lines. A line over several chunks is joined once, so a long one costs no more than its length. */
export class LineSplitter {
  readonly #line: LineReader;
  #pieces: Buffer[] = [];
  #nulBytes = 0;

  constructor(line: LineReader) {
    this.#line = line;
  }

  push(chunk: Buffer): void {
    let start = 0;
    let end = chunk.indexOf(NEWLINE);
    while (end !== -1) {
      if (this.#pieces.length === 0 && this.#nulBytes === 0) this.#line(chunk.subarray(start, end));
      else this.#line(this.#joined(chunk.subarray(start, end)));
      start = end + 1;
      end = chunk.indexOf(NEWLINE, start);
    }
    if (start === chunk.length) return;
    const rest = chunk.subarray(start);
    // A hole that a power cut left may be gigabytes of NUL: it is counted, not kept.
    if (this.#pieces.length === 0 && rest.every(isNul)) this.#nulBytes += rest.length;
    else this.#pieces.push(Buffer.from(rest));
  }

  /** What stands after the last line end. */
  rest(): Buffer {
    return this.#pieces.length === 0 && this.#nulBytes === 0
      ? Buffer.alloc(0)
      : this.#joined(Buffer.alloc(0));
  }

  /** At most one NUL stands for a run of them before a line. */
  #joined(last: Buffer): Buffer {
    const lead = this.#nulBytes > 0 ? [Buffer.alloc(1)] : [];
    const joined = Buffer.concat([...lead, ...this.#pieces, last]);
    this.#pieces = [];
    this.#nulBytes = 0;
    return joined;
  }
}

function isNul(byte: number): boolean {
  return byte === 0;
}

/**
 * Reads a file from `from` to its end and gives its lines, one chunk ahead of the reader and with the event loop
 * turning between chunks. Returns the position after the last chunk, and what stands after the last line end.
 */
export async function readLines(
  handle: ReadHandle,
  from: number,
  line: LineReader,
  signal?: AbortSignal,
): Promise<{ readonly end: number; readonly rest: Buffer }> {
  const splitter = new LineSplitter(line);
  let ahead = Buffer.allocUnsafe(READ_CHUNK_BYTES);
  let current = Buffer.allocUnsafe(READ_CHUNK_BYTES);
  let position = from;
  let reading = handle.read(ahead, position);
  for (;;) {
    const count = await reading;
    signal?.throwIfAborted();
    if (count === 0) return { end: position, rest: splitter.rest() };
    position += count;
    [current, ahead] = [ahead, current];
    reading = handle.read(ahead, position);
    try {
      splitter.push(current.subarray(0, count));
    } catch (error) {
      await reading.catch(() => 0);
      throw error;
    }
  }
}

/** The lines of a file from its end backwards, newest first, until `line` returns false. */
export async function readLinesBackwards(
  handle: ReadHandle,
  line: (bytes: Buffer) => boolean,
): Promise<void> {
  let position = await handle.bytes();
  let later: Buffer[] = [];
  while (position > 0) {
    const length = Math.min(READ_CHUNK_BYTES, position);
    const chunk = Buffer.allocUnsafe(length);
    position -= length;
    const count = await handle.read(chunk, position);
    let end = count;
    for (let at = chunk.lastIndexOf(NEWLINE, end - 1); at !== -1 && end > 0; ) {
      const piece = chunk.subarray(at + 1, end);
      const whole = later.length === 0 ? piece : Buffer.concat([piece, ...later.reverse()]);
      later = [];
      if (!line(whole)) return;
      end = at;
      at = end === 0 ? -1 : chunk.lastIndexOf(NEWLINE, end - 1);
    }
    if (end > 0) later.push(chunk.subarray(0, end));
  }
  if (later.length > 0) line(Buffer.concat(later.reverse()));
}
