import { CallPairs } from "./callPairs.ts";
import type { ContextIndex } from "./contextIndex.ts";
import { CompactionError } from "./errors.ts";
import type { Message } from "./messages.ts";

type Pairs = Pick<CallPairs, "pendingFrom" | "legalAtOrBelow">;

/**
 * The largest legal cut not above the request (clamped to the length), else 0. A cut is legal when no kept
 * tool result lacks its call before it in the kept part, and a call still pending at the very end is kept.
 * It only ever moves earlier (contract section 2).
 */
export function safeCut(context: readonly Message[], requested: number): number {
  const pairs = new CallPairs();
  for (const message of context) pairs.append(message);
  return legalCut(pairs, context.length, requested);
}

/** `safeCut` of an indexed context: a binary search. */
export function safeCutIn(index: ContextIndex, requested: number): number {
  return legalCut(index.pairs, index.length, requested);
}

function legalCut(pairs: Pairs, length: number, requested: number): number {
  if (Number.isNaN(requested)) {
    throw new CompactionError("invalid_options", "The requested cut is not a number; give a message index.");
  }
  let cut = Math.max(0, Math.min(Math.floor(requested), length));
  if (pairs.pendingFrom >= 0) cut = Math.min(cut, pairs.pendingFrom);
  return Math.max(0, pairs.legalAtOrBelow(cut));
}
