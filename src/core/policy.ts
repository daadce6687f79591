import { CompactionError } from "./errors.ts";

export const DEFAULT_KEEP_RECENT_TOKENS = 20_000;
export const DEFAULT_KEEP_RECENT_TURNS = 2;
export const DEFAULT_MIN_REMAINING = 16_384;
export const DEFAULT_CONTEXT_WINDOW = 128_000;

/** On a small ceiling, less than `minRemaining` is held free: this share of it. */
export const MAX_REMAINING_SHARE = 0.25;

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

/**
 * min(window, context budget) in tokens. `window` is what was discovered of the model, undefined where unknown
 * (so are 0, negative numbers and NaN); the policy's window replaces it. Undefined: unknown, whatever the budget.
 */
export function ceiling(policy: CompactionPolicy, window: number | undefined): number | undefined {
  checkPolicy(policy);
  const effective = policy.window ?? knownWindow(window);
  return effective === undefined ? undefined : Math.min(effective, policy.budget ?? effective);
}

/** Used tokens from which on window pressure fires: ceiling - effective minRemaining; undefined = unknown window. */
export function triggerLine(policy: CompactionPolicy, window: number | undefined): number | undefined {
  const limit = ceiling(policy, window);
  return limit === undefined ? undefined : limit - effectiveMinRemaining(policy, limit);
}

/** min(setting, 25 % of the ceiling), whole tokens. */
export function effectiveMinRemaining(policy: CompactionPolicy, ceilingTokens: number): number {
  return Math.min(policy.minRemaining, Math.floor(ceilingTokens * MAX_REMAINING_SHARE));
}

/** Compares, inclusively, and nothing else. Without a known window or a believable number it is never time. */
export function shouldCompact(
  policy: CompactionPolicy,
  window: number | undefined,
  usedTokens: number | undefined,
): boolean {
  const line = triggerLine(policy, window);
  if (line === undefined || usedTokens === undefined) return false;
  return Number.isFinite(usedTokens) && usedTokens > 0 && usedTokens >= line;
}

/** Throws `invalid_options` for a policy that cannot work. */
export function checkPolicy(policy: CompactionPolicy): void {
  if (policy.window !== undefined) requireTokens("window", policy.window, 1);
  if (policy.budget !== undefined) requireTokens("budget", policy.budget, 1);
  requireTokens("minRemaining", policy.minRemaining, 0);
  requireTokens("keepRecentTokens", policy.keepRecentTokens, 0);
  requireTokens("keepRecentTurns", policy.keepRecentTurns, 0);
}

/** Throws `invalid_options` unless the value is a safe integer of at least `least`. */
export function requireTokens(name: string, value: number, least: number): void {
  if (Number.isSafeInteger(value) && value >= least) return;
  throw new CompactionError(
    "invalid_options",
    `"${name}" is ${String(value)}; give a whole number of at least ${least}.`,
  );
}

/** A discovered window as a number of whole tokens; undefined for anything that cannot be one. */
export function knownWindow(window: number | undefined): number | undefined {
  return window !== undefined && Number.isFinite(window) && window >= 1 ? Math.floor(window) : undefined;
}
