/** Longest stretch of our own work between two turns of the event loop; the extension host is shared. */
export const SLICE_MS = 8;

/** Cuts a long piece of work into slices, so that nothing waits for it. */
export interface Slices {
  /** Undefined while the slice has time left; else resolves in a later turn of the event loop. */
  pause(): Promise<void> | undefined;
}

export function createSlices(sliceMs = SLICE_MS): Slices {
  let endsAt = performance.now() + sliceMs;
  return {
    pause() {
      if (performance.now() < endsAt) return undefined;
      return new Promise((resolve) => {
        setImmediate(() => {
          endsAt = performance.now() + sliceMs;
          resolve();
        });
      });
    },
  };
}
