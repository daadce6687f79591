import type { EvictionCandidate } from "./plan.ts";

/** Every eviction breaks the provider's prompt cache once, so one wins at least this much … */
export const MIN_BATCH_TOKENS = 4096;
/** … or this share of a small ceiling … */
export const MIN_BATCH_SHARE = 0.05;

export interface EvictionNeed {
  readonly ceilingTokens: number;
  /** Estimated tokens to win to get under the line; undefined takes all there is (a manual run). */
  readonly neededTokens?: number | undefined;
}

/** min(4096, 5 % of the ceiling): what a batch has to win that is not enough by itself. */
export function minBatchTokens(ceilingTokens: number): number {
  return Math.min(MIN_BATCH_TOKENS, ceilingTokens * MIN_BATCH_SHARE);
}

/**
 * The oldest candidates that together win both the batch minimum and what is needed; all of them where they win
 * less than that but at least one of the two; else none: breaking the cache would not pay. Nothing
 * needed, nothing evicted.
 */
export function chooseEvictions(
  candidates: readonly EvictionCandidate[],
  { ceilingTokens, neededTokens = Number.POSITIVE_INFINITY }: EvictionNeed,
): readonly EvictionCandidate[] {
  const minimum = minBatchTokens(ceilingTokens);
  const target = Math.max(minimum, neededTokens);
  if (!(neededTokens > 0)) return [];
  let gained = 0;
  let count = 0;
  while (count < candidates.length && gained < target) gained += candidates[count++]?.gainTokens ?? 0;
  return gained >= Math.min(minimum, neededTokens) ? candidates.slice(0, count) : [];
}
