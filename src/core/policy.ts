export const DEFAULT_KEEP_RECENT_TOKENS = 20_000;
export const DEFAULT_KEEP_RECENT_TURNS = 2;
export const DEFAULT_MIN_REMAINING = 16_384;
export const DEFAULT_CONTEXT_WINDOW = 128_000;

/** When to compact and how much to keep, all in tokens but for the turns. */
export interface CompactionPolicy {
  /** Replaces the discovered context window. */
  readonly window?: number;
  /** Context budget: tokens per request; default is the window. */
  readonly budget?: number;
  readonly minRemaining: number;
  readonly keepRecentTokens: number;
  readonly keepRecentTurns: number;
}

export const defaultPolicy: CompactionPolicy = Object.freeze({
  minRemaining: DEFAULT_MIN_REMAINING,
  keepRecentTokens: DEFAULT_KEEP_RECENT_TOKENS,
  keepRecentTurns: DEFAULT_KEEP_RECENT_TURNS,
});
