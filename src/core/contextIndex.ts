import { CallPairs } from "./callPairs.ts";
import { estimateTokens, imageTokensOf } from "./estimate.ts";
import type { Message } from "./messages.ts";
import type { Positions } from "./numberList.ts";
import { NumberList } from "./numberList.ts";
import { isEvictable, startsTurn } from "./turns.ts";

/**
 * What a plan needs to know of a context, in typed arrays: a plan over 100,000 messages is a few binary
 * searches. It grows with its context and never shrinks; a new context (after a compaction, an eviction, an
 * undo) gets a new index.
 */
export interface ContextIndex {
  /** Messages indexed. */
  readonly length: number;
  /** Which calls and results belong together. */
  readonly pairs: Pick<CallPairs, "pendingFrom" | "legalAtOrBelow" | "legalAtOrAbove">;
  /** Positions of the messages that start a turn: the user sources. */
  readonly turnStarts: Positions;
  readonly systems: Positions;
  readonly capsules: Positions;
  /** Positions of messages with tool results, and of attachments. */
  readonly evictables: Positions;
  /** Position of the newest assistant message, -1 where none is: what follows, no model has read. */
  readonly lastAssistant: number;
  /** Sum of the estimates of the messages before a position, 0 … length. */
  tokensBefore(position: number): number;
  /** The part of `tokensBefore` that images make up. */
  imageTokensBefore(position: number): number;
  /** Position of the first message with this id; -1 where none has it. */
  positionOf(id: string): number;
}

/** An index that grows with its context: `append` costs amortized constant time and one estimate. */
export class GrowingContextIndex implements ContextIndex {
  length = 0;
  readonly pairs = new CallPairs();
  readonly turnStarts = new NumberList();
  readonly systems = new NumberList();
  readonly capsules = new NumberList();
  readonly evictables = new NumberList();
  lastAssistant = -1;
  readonly #tokens = new NumberList();
  readonly #withImages = new NumberList();
  readonly #imageTokens = new NumberList();
  readonly #ids: string[] = [];
  /** Positions that somebody asked for; they stay as they are while the index grows. */
  readonly #found = new Map<string, number>();

  constructor() {
    this.#tokens.push(0);
    this.#imageTokens.push(0);
  }

  /** `tokens`: the estimate of this very message, where the caller keeps it. */
  append(message: Message, tokens: number = estimateTokens(message)): void {
    const at = this.length++;
    this.#ids.push(message.id);
    this.#tokens.push(this.#tokens.at(at) + tokens);
    this.pairs.append(message);
    if (startsTurn(message)) this.turnStarts.push(at);
    if (message.role === "system") this.systems.push(at);
    if (message.role === "assistant") this.lastAssistant = at;
    if (message.kind === "capsule") this.capsules.push(at);
    if (isEvictable(message)) this.evictables.push(at);
    if (message.content.some((part) => part.type === "image")) {
      this.#imageTokens.push(this.#imageTokens.at(this.#withImages.length) + imageTokensOf(message));
      this.#withImages.push(at);
    }
  }

  tokensBefore(position: number): number {
    return this.#tokens.at(position);
  }

  imageTokensBefore(position: number): number {
    return this.#imageTokens.at(this.#withImages.countBelow(position));
  }

  positionOf(id: string): number {
    const known = this.#found.get(id);
    if (known !== undefined) return known;
    const position = this.#ids.indexOf(id);
    if (position >= 0) this.#found.set(id, position);
    return position;
  }
}

/** `estimate`: another way to get a message's estimate, such as a cache of `estimateTokens`. */
export function indexContext(
  messages: readonly Message[],
  estimate: (message: Message) => number = estimateTokens,
): GrowingContextIndex {
  const index = new GrowingContextIndex();
  for (const message of messages) index.append(message, estimate(message));
  return index;
}
