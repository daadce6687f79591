import type { Usage } from "../messages.ts";

/** What a call read and wrote, in whole tokens. The cache classes are part of `inputTokens`. */
export interface TokenClasses {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
}

export const NO_TOKENS: TokenClasses = Object.freeze({
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
});

/** No call has more; a report above it is no number of tokens. Sums of such numbers stay exact. */
export const MOST_TOKENS_OF_A_CALL = 1_000_000_000_000;

/**
 * A provider's report as numbers to book; undefined where it is none: missing, NaN, negative, a fraction, or an
 * input of nothing. Cache classes that cannot be are left out, so that all the input counts as uncached.
 */
export function readUsage(usage: Usage | undefined): TokenClasses | undefined {
  if (usage === undefined || !isCount(usage.inputTokens) || !isCount(usage.outputTokens)) return undefined;
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage;
  if (inputTokens === 0) return undefined;
  const hasClasses =
    isCount(cacheReadTokens) &&
    isCount(cacheWriteTokens) &&
    cacheReadTokens + cacheWriteTokens <= inputTokens;
  return hasClasses
    ? { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }
    : { ...NO_TOKENS, inputTokens, outputTokens };
}

export function addTokens(a: TokenClasses, b: TokenClasses): TokenClasses {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
  };
}

/** What a call counts in a budget of tokens: all that was read and written, cached or not. */
export function totalTokens({ inputTokens, outputTokens }: TokenClasses): number {
  return inputTokens + outputTokens;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= MOST_TOKENS_OF_A_CALL;
}
