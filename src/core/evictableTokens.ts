import type { ContextIndex } from "./contextIndex.ts";
import { BYTES_PER_TOKEN } from "./estimate.ts";
import { evictionCitationBytes, isEvictionCitation } from "./evictionCitation.ts";
import type { Message, Part, ToolResultPart } from "./messages.ts";
import { resultSegmentId } from "./messages.ts";
import type { Positions } from "./numberList.ts";
import { NumberList } from "./numberList.ts";
import type { CompactionPlan } from "./plan.ts";
import { isDearToRead, textBytes } from "./textBytes.ts";
import { isAttachment } from "./turns.ts";
import { isWellFormed } from "./utf8.ts";

/** How many texts eviction could take out, and how many tokens that wins. */
export interface Evictable {
  readonly count: number;
  readonly tokens: number;
}

/** A text that may not be evicted, or is not worth it. */
const STAYS = -1;

interface NewestResult {
  readonly at: number;
  readonly messageId: string;
  /** Tokens, or `STAYS`. */
  readonly win: number;
}

/**
 * What eviction could win of the messages of a context, kept while it grows. Everything counts as stored, and no
 * digest is made: digests that a text holds would make its citation longer by a few tokens.
 */
export class EvictableSums {
  readonly #positions: Positions;
  readonly #counts = new NumberList();
  readonly #tokens = new NumberList();
  readonly #newest = new Map<string, NewestResult>();
  #count = 0;
  #total = 0;

  /** `positions`: those of the messages that `isEvictable`, as an index keeps them. */
  constructor(positions: Positions) {
    this.#positions = positions;
  }

  /** How many messages are not summed up yet. */
  get waiting(): number {
    return this.#positions.length - this.#counts.length;
  }

  /** Sums up the next messages, at most so many. */
  sumUp(messages: readonly Message[], most = Number.POSITIVE_INFINITY): void {
    const end = Math.min(this.#positions.length, this.#counts.length + most);
    while (this.#counts.length < end) {
      const at = this.#positions.at(this.#counts.length);
      this.#counts.push(this.#count);
      this.#tokens.push(this.#total);
      const message = messages[at];
      if (message !== undefined) this.#take(message, at);
    }
  }

  /** All before a position. */
  before(position: number): Evictable {
    const end = this.#positions.countBelow(position);
    if (end >= this.#counts.length) return { count: this.#count, tokens: this.#total };
    return { count: this.#counts.at(end), tokens: this.#tokens.at(end) };
  }

  /** The newest result of each tool, over everything. */
  newest(): Iterable<NewestResult> {
    return this.#newest.values();
  }

  #take(message: Message, at: number): void {
    if (isAttachment(message)) {
      this.#add(winOfAttachment(message));
      return;
    }
    for (const part of message.content) {
      if (part.type !== "tool-result") continue;
      const win = isOneOfSeveral(part, message.content)
        ? STAYS
        : winOf(part, resultSegmentId(message.id, part.toolCallId));
      this.#add(win);
      this.#newest.set(part.toolName, { at, messageId: message.id, win });
    }
  }

  #add(win: number): void {
    if (win === STAYS) return;
    this.#count += 1;
    this.#total += win;
  }
}

/**
 * What eviction could win before the plan's cut, root, pins and the newest result of each tool apart; for a meter.
 * `sums`: those that the caller keeps of these very messages.
 */
export function evictableTokens(
  messages: readonly Message[],
  plan: Pick<CompactionPlan, "cut" | "rootId" | "pinnedIds">,
  index: Pick<ContextIndex, "evictables" | "positionOf">,
  sums: EvictableSums = new EvictableSums(index.evictables),
): Evictable {
  sums.sumUp(messages);
  let { count, tokens } = sums.before(plan.cut);
  const held = new Set(plan.pinnedIds);
  if (plan.rootId !== undefined) held.add(plan.rootId);
  for (const id of held) {
    const at = index.positionOf(id);
    if (at < 0 || at >= plan.cut) continue;
    const [through, before] = [sums.before(at + 1), sums.before(at)];
    count -= through.count - before.count;
    tokens -= through.tokens - before.tokens;
  }
  for (const { at, messageId, win } of sums.newest()) {
    if (at >= plan.cut || win === STAYS || held.has(messageId)) continue;
    count -= 1;
    tokens -= win;
  }
  return { count, tokens };
}

/** Results of one message that share a call id cannot be told apart and stay. */
function isOneOfSeveral({ toolCallId }: ToolResultPart, content: readonly Part[]): boolean {
  if (content.length === 1) return false;
  const sharing = content.filter((part) => part.type === "tool-result" && part.toolCallId === toolCallId);
  return sharing.length > 1;
}

function winOfAttachment(message: Message): number {
  const texts = message.content.filter((part) => part.type === "text");
  const [first] = texts;
  if (first === undefined) return STAYS;
  if (texts.length === 1) return winOf(first, message.id);
  return winOf({ type: "text", text: texts.map(({ text }) => text).join("\n") }, message.id);
}

/** Tokens that a citation in the place of this text wins, or `STAYS`. */
function winOf(part: Extract<Part, { type: "text" | "tool-result" }>, segmentId: string): number {
  const toolName = part.type === "tool-result" ? part.toolName : undefined;
  const bytes = textBytes(part);
  const citationBytes = evictionCitationBytes({ segmentId, toolName, bytes });
  if (bytes <= citationBytes) return STAYS;
  if (!isDearToRead(part)) {
    const text = part.type === "tool-result" ? part.output : part.text;
    if (!isWellFormed(text) || isEvictionCitation(text)) return STAYS;
  }
  return Math.floor((bytes - citationBytes) / BYTES_PER_TOKEN);
}
