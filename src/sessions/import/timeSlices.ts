import { ImportAborted } from "./importChunks.ts";

/**
 * Work between two turns of the event loop. Short, because the engine's own collection of fresh memory (up to 14 ms
 * here while a large file is read) falls on top of a slice.
 */
const SLICE_MS = 3;

/** Lets long work give the event loop its turn: `if (slices.isOver()) await slices.next();` */
export class TimeSlices {
  #startedAt = performance.now();
  readonly #signal: AbortSignal | undefined;

  constructor(signal?: AbortSignal) {
    this.#signal = signal;
  }

  isOver(): boolean {
    return performance.now() - this.#startedAt >= SLICE_MS;
  }

  /** Throws `ImportAborted` when the person cancelled meanwhile. */
  async next(): Promise<void> {
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
    if (this.#signal?.aborted === true) throw new ImportAborted();
    this.#startedAt = performance.now();
  }
}
