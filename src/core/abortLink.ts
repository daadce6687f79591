import type { AbortSignalLike } from "./model.ts";

/** A signal of the core's own that also follows an outer one. `release` stops following. */
export interface AbortLink {
  readonly signal: AbortSignalLike;
  abort(): void;
  release(): void;
}

export function linkAbort(outer: AbortSignalLike): AbortLink {
  const listeners = new Set<() => void>();
  let aborted = outer.aborted;
  const abort = () => {
    if (aborted) return;
    aborted = true;
    for (const listener of [...listeners]) listener();
  };
  outer.addEventListener("abort", abort);
  return {
    signal: {
      get aborted() {
        return aborted;
      },
      addEventListener: (_type, listener) => {
        listeners.add(listener);
      },
      removeEventListener: (_type, listener) => {
        listeners.delete(listener);
      },
    },
    abort,
    release: () => outer.removeEventListener("abort", abort),
  };
}

/** Settles when the signal is aborted, at once if it is already; `release` lets go of the signal. */
export function whenAborted(signal: AbortSignalLike): { readonly promise: Promise<void>; release(): void } {
  let settle = () => {};
  const promise = new Promise<void>((resolve) => {
    settle = resolve;
  });
  if (signal.aborted) settle();
  else signal.addEventListener("abort", settle);
  return { promise, release: () => signal.removeEventListener("abort", settle) };
}
