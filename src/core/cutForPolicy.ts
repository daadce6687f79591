import type { ContextIndex } from "./contextIndex.ts";
import { indexContext } from "./contextIndex.ts";
import type { Message } from "./messages.ts";
import type { CompactionPolicy } from "./policy.ts";
import { checkPolicy } from "./policy.ts";
import { safeCutIn } from "./safeCut.ts";

/**
 * Module A's rule alone: keep the newest messages up to `keepRecentTokens` of estimates (the message that
 * crosses is kept), but never fewer than `keepRecentTurns` turns; then `safeCut`. Gives the index of the first
 * kept message.
 */
export function cutForPolicy(context: readonly Message[], policy: CompactionPolicy): number {
  return cutForPolicyIn(indexContext(context), policy);
}

export function cutForPolicyIn(index: ContextIndex, policy: CompactionPolicy): number {
  checkPolicy(policy);
  const byTokens = cutByTokens(index, policy.keepRecentTokens);
  return safeCutIn(index, Math.min(byTokens, cutByTurns(index, policy.keepRecentTurns)));
}

/** The latest index from which on at least this many tokens are kept; 0 where the whole context has fewer. */
export function cutByTokens(index: ContextIndex, keepRecentTokens: number): number {
  if (keepRecentTokens <= 0) return index.length;
  const latestStart = index.tokensBefore(index.length) - keepRecentTokens;
  let low = 0;
  let high = index.length;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (index.tokensBefore(middle) <= latestStart) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Start of the n-th newest turn: the length for 0 turns, 0 where there are fewer. */
export function cutByTurns(index: ContextIndex, keepRecentTurns: number): number {
  if (keepRecentTurns === 0) return index.length;
  const turns = index.turnStarts;
  return keepRecentTurns > turns.length ? 0 : turns.at(turns.length - keepRecentTurns);
}
