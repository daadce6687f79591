/** A small generator with a fixed sequence for a seed, so that samples are the same on every machine. */
export interface SeededRandom {
  /** 0 ≤ value < 1. */
  readonly next: () => number;
  /** An integer, both ends included. */
  readonly between: (low: number, high: number) => number;
  readonly pick: <T>(choices: readonly T[]) => T;
  /** So many lower-case hex digits. */
  readonly hex: (digits: number) => string;
}

/** Mulberry32. */
export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1));
  return {
    next,
    between,
    pick: (choices) => choices[between(0, choices.length - 1)] as (typeof choices)[number],
    hex: (digits) => Array.from({ length: digits }, () => between(0, 15).toString(16)).join(""),
  };
}
