import type { ContextIndex } from "./contextIndex.ts";
import { safeCutIn } from "./safeCut.ts";

/** A round is one assistant message with all its tool results. */

/**
 * The latest cut that keeps all that no model has read yet, with the round it belongs to: results of the newest
 * calls, and messages typed after the newest answer.
 */
export function unreadFrom(index: ContextIndex): number {
  return safeCutIn(index, index.lastAssistant + 1);
}

/** The next round boundary after a legal cut; the length where there is none. */
export function nextBoundary(index: ContextIndex, cut: number): number {
  return Math.min(index.length, index.pairs.legalAtOrAbove(cut + 1));
}

/**
 * First and last position of the smallest run of messages around one that holds the calls of all its results:
 * what has to stay together so that the message can stay.
 */
export function wholeRound(index: ContextIndex, position: number): { first: number; last: number } {
  const first = Math.max(0, index.pairs.legalAtOrBelow(position));
  return { first, last: nextBoundary(index, position) - 1 };
}
