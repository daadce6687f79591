import type { Message } from "./messages.ts";
import { NumberList } from "./numberList.ts";

/** A call that no result answers. */
export interface OpenCall {
  /** Position of its message. */
  readonly at: number;
  readonly toolCallId: string;
}

const NO_CALL = -1;

/**
 * Which results belong to which calls, and which cuts would part them. Ids may be reused: a result pairs with
 * the nearest earlier unanswered call of its id. Each pair (call at p, result at r) forbids the cuts p+1 … r,
 * an orphan all up to itself; these ranges are kept merged and in order, so that appending costs amortized
 * constant time and asking for a legal cut is a binary search.
 */
export class CallPairs {
  length = 0;
  /** Open calls since the newest round began: most results answer one of these, so no map is asked for them. */
  #recent: OpenCall[] = [];
  /** Open calls of the rounds before it. */
  readonly #unanswered = new Map<string, number[]>();
  readonly #rangeAfter = new NumberList();
  readonly #rangeThrough = new NumberList();
  #lastRoundAt = NO_CALL;
  #lastRoundOpen = 0;

  append(message: Message): void {
    const at = this.length++;
    if (message.role !== "tool") this.#beginRound(at);
    for (const part of message.content) {
      if (part.type === "tool-call") this.#addCall(at, part.toolCallId);
      else if (part.type === "tool-result") this.#addResult(at, part.toolCallId);
    }
  }

  /** Position of the message whose calls are still pending at the very end; -1 where none is. */
  get pendingFrom(): number {
    return this.#lastRoundOpen > 0 ? this.#lastRoundAt : NO_CALL;
  }

  /** Largest legal cut at or below the given one; -1 where an orphan leaves none. */
  legalAtOrBelow(cut: number): number {
    const range = this.#rangeOver(cut);
    return range < 0 ? cut : this.#rangeAfter.at(range);
  }

  /** Smallest legal cut at or above the given one. */
  legalAtOrAbove(cut: number): number {
    const range = this.#rangeOver(cut);
    return range < 0 ? cut : this.#rangeThrough.at(range) + 1;
  }

  /** Every call without a result, in order. */
  openCalls(): OpenCall[] {
    const open: OpenCall[] = [];
    for (const [toolCallId, positions] of this.#unanswered) {
      for (const at of positions) open.push({ at, toolCallId });
    }
    return [...open, ...this.#recent].sort((a, b) => a.at - b.at);
  }

  #beginRound(at: number): void {
    for (const call of this.#recent) {
      const positions = this.#unanswered.get(call.toolCallId);
      if (positions === undefined) this.#unanswered.set(call.toolCallId, [call.at]);
      else positions.push(call.at);
    }
    if (this.#recent.length > 0) this.#recent = [];
    this.#lastRoundAt = at;
    this.#lastRoundOpen = 0;
  }

  #addCall(at: number, toolCallId: string): void {
    this.#recent.push({ at, toolCallId });
    if (at === this.#lastRoundAt) this.#lastRoundOpen++;
  }

  #addResult(at: number, toolCallId: string): void {
    const call = this.#takeCall(toolCallId);
    if (call !== NO_CALL && call === this.#lastRoundAt) this.#lastRoundOpen--;
    if (call < at) this.#forbid(call, at);
  }

  /** Position of the nearest earlier unanswered call, which is answered now. */
  #takeCall(toolCallId: string): number {
    const recent = this.#recent.findLastIndex((call) => call.toolCallId === toolCallId);
    if (recent >= 0) return this.#recent.splice(recent, 1)[0]?.at ?? NO_CALL;
    const positions = this.#unanswered.size === 0 ? undefined : this.#unanswered.get(toolCallId);
    const call = positions?.pop() ?? NO_CALL;
    if (positions?.length === 0) this.#unanswered.delete(toolCallId);
    return call;
  }

  /** Forbids the cuts after `after` up to and with `through`, which is never below an earlier one. */
  #forbid(after: number, through: number): void {
    let from = after;
    while (this.#rangeThrough.at(this.#rangeThrough.length - 1) >= after) {
      from = Math.min(from, this.#rangeAfter.at(this.#rangeAfter.length - 1));
      this.#rangeAfter.pop();
      this.#rangeThrough.pop();
    }
    this.#rangeAfter.push(from);
    this.#rangeThrough.push(through);
  }

  /** The range that forbids this cut; -1 where none does. */
  #rangeOver(cut: number): number {
    const range = this.#rangeThrough.countBelow(cut);
    return range < this.#rangeThrough.length && this.#rangeAfter.at(range) < cut ? range : -1;
  }
}
