import type { SeededRandom } from "./seededRandom.mts";

/** The time at which every sample begins; a sample knows no other clock. */
const FIRST_MS = Date.UTC(2026, 2, 2, 8, 0, 0);

export interface StoryClock {
  /** The next moment, a few seconds later, in ISO 8601. */
  tick(): string;
  nowMs(): number;
}

export function storyClock(random: SeededRandom): StoryClock {
  let ms = FIRST_MS;
  return {
    tick: () => {
      ms += random.between(900, 42_000);
      return new Date(ms).toISOString();
    },
    nowMs: () => ms,
  };
}
