import type { AbortSignalLike, Clock } from "../core/model.ts";

/** The machine's clock; `delay` settles early, without an error, when the signal is aborted. */
export const systemClock: Clock = {
  now: () => Date.now(),
  delay: (ms: number, signal: AbortSignalLike) =>
    new Promise((resolve) => {
      if (signal.aborted) {
        resolve();
        return;
      }
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal.addEventListener("abort", done);
    }),
};

/** Lets everything that waits in the event loop go first. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
