const NEWLINE = 0x0a;

export interface ByteLine {
  /** From 1. */
  readonly number: number;
  /** Without the newline. A view of a chunk or of a joined copy: read it before the next chunk is asked for. */
  readonly bytes: Uint8Array;
  /** False for what stands behind the last newline of the file. */
  readonly complete: boolean;
}

/**
 * Cuts a byte stream into lines, linear in its length however it is chunked. A chunk may be reused by its owner as
 * soon as its lines are read: what reaches into the next chunk is copied.
 */
export class LineSplitter {
  #number = 0;
  #carry: Uint8Array[] = [];
  #carryBytes = 0;

  /** Bytes of the line that no newline has ended yet. */
  get pendingBytes(): number {
    return this.#carryBytes;
  }

  *push(chunk: Uint8Array): Generator<ByteLine> {
    let start = 0;
    while (start < chunk.length) {
      const end = chunk.indexOf(NEWLINE, start);
      if (end < 0) {
        this.#carry.push(chunk.slice(start));
        this.#carryBytes += chunk.length - start;
        return;
      }
      yield this.#line(chunk.subarray(start, end), true);
      start = end + 1;
    }
  }

  /** What stands behind the last newline, if anything does. */
  *end(): Generator<ByteLine> {
    if (this.#carryBytes > 0) yield this.#line(new Uint8Array(0), false);
  }

  #line(tail: Uint8Array, complete: boolean): ByteLine {
    this.#number += 1;
    if (this.#carryBytes === 0) return { number: this.#number, bytes: tail, complete };
    const bytes = joinBytes([...this.#carry, tail], this.#carryBytes + tail.length);
    this.#carry = [];
    this.#carryBytes = 0;
    return { number: this.#number, bytes, complete };
  }
}

export function joinBytes(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const joined = new Uint8Array(length);
  let offset = 0;
  for (const piece of pieces) {
    joined.set(piece, offset);
    offset += piece.length;
  }
  return joined;
}
