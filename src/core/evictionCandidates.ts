import type { ContextIndex } from "./contextIndex.ts";
import { sha256Hex } from "./digest.ts";
import { BYTES_PER_TOKEN } from "./estimate.ts";
import { evictionCitation, heldDigests, isEvictionCitation, isLongerThan } from "./evictionCitation.ts";
import { messageDigests } from "./messageDigests.ts";
import type { Message, ToolResultPart } from "./messages.ts";
import { resultSegmentId, textOf } from "./messages.ts";
import type { Positions } from "./numberList.ts";
import { NumberList } from "./numberList.ts";
import type { CompactionPlan, EvictionCandidate } from "./plan.ts";
import { isAttachment, isEvictable } from "./turns.ts";
import { isWellFormed, utf8Length } from "./utf8.ts";

export interface EvictionOptions {
  /** Whether the text with this digest can be fetched back. Default: nothing is stored, nothing is evictable. */
  readonly isStored?: ((digest: string) => boolean) | undefined;
  /** The SHA-256 of a result's output (of an attachment's text, without a call id), where the caller has it. */
  readonly digestOf?: ((messageId: string, toolCallId?: string) => string | undefined) | undefined;
  /** Name of the tool that gives evicted texts back, where the session offers one. */
  readonly recallToolName?: string | undefined;
  /** Stop looking once the candidates win this many estimated tokens. */
  readonly enoughTokens?: number | undefined;
  /** Index of these very messages, where the caller keeps one. */
  readonly index?: ContextIndex | undefined;
}

/**
 * What eviction may take out, oldest first (contract section 4, rung 1): a tool result or an attachment outside
 * tail, root and pins, that is not the newest result of its tool in the whole list, longer than its citation,
 * well-formed UTF-16, stored, and no citation itself. Only messages that the index marks are looked at; what
 * costs most (the digest) comes last.
 */
export function evictionCandidates(
  messages: readonly Message[],
  plan: Pick<CompactionPlan, "cut" | "rootId" | "pinnedIds">,
  options: EvictionOptions,
): EvictionCandidate[] {
  const { isStored, enoughTokens = Number.POSITIVE_INFINITY } = options;
  if (isStored === undefined) return [];
  const evictables = options.index?.evictables ?? evictablePositions(messages);
  const heldIds = new Set(plan.pinnedIds);
  if (plan.rootId !== undefined) heldIds.add(plan.rootId);
  const newest = newestResults(messages, evictables);
  const candidates: EvictionCandidate[] = [];
  let gained = 0;
  const before = evictables.countBelow(plan.cut);
  for (let i = 0; i < before && gained < enoughTokens; i++) {
    const messageIndex = evictables.at(i);
    const message = messages[messageIndex];
    if (message === undefined || heldIds.has(message.id)) continue;
    for (const text of evictableTexts(message)) {
      if (text.part !== undefined && newest.has(text.part)) continue;
      const candidate = candidateFor({ message, messageIndex, ...text }, isStored, options);
      if (candidate === undefined) continue;
      candidates.push(candidate);
      gained += candidate.gainTokens;
    }
  }
  return candidates;
}

interface EvictableText {
  readonly text: string;
  /** The tool result; undefined for an attachment. */
  readonly part: ToolResultPart | undefined;
}

/** The texts of a message that eviction may replace; results that share a call id cannot be told apart and stay. */
function evictableTexts(message: Message): EvictableText[] {
  if (isAttachment(message)) return [{ text: textOf(message), part: undefined }];
  const results = resultsOf(message);
  const seen = new Map<string, number>();
  for (const { toolCallId } of results) seen.set(toolCallId, (seen.get(toolCallId) ?? 0) + 1);
  return results
    .filter((part) => seen.get(part.toolCallId) === 1)
    .map((part) => ({ text: part.output, part }));
}

function candidateFor(
  { message, messageIndex, text, part }: EvictableText & { message: Message; messageIndex: number },
  isStored: (digest: string) => boolean,
  { digestOf, recallToolName }: EvictionOptions,
): EvictionCandidate | undefined {
  const segmentId = part === undefined ? message.id : resultSegmentId(message.id, part.toolCallId);
  const bytes = utf8Length(text);
  const cited = { segmentId, toolName: part?.toolName, bytes, recallToolName };
  const shortest = evictionCitation({ ...cited, digest: "0".repeat(64) });
  if (!isLongerThan(bytes, shortest) || !isWellFormed(text) || isEvictionCitation(text)) return undefined;
  const digest = digestOf?.(message.id, part?.toolCallId) ?? digestIn(message, part);
  if (!isStored(digest)) return undefined;
  const citation = evictionCitation({ ...cited, digest, heldDigests: heldDigests(text, isStored) });
  if (!isLongerThan(bytes, citation)) return undefined;
  return {
    messageIndex,
    messageId: message.id,
    segmentId,
    ...(part === undefined ? {} : { toolCallId: part.toolCallId, toolName: part.toolName }),
    digest,
    bytes,
    gainTokens: Math.floor((bytes - utf8Length(citation)) / BYTES_PER_TOKEN),
    citation,
  };
}

function digestIn(message: Message, part: ToolResultPart | undefined): string {
  const { text, outputs } = messageDigests(message);
  return part === undefined ? text : (outputs.get(message.content.indexOf(part)) ?? sha256Hex(part.output));
}

/** The newest result of each tool over the whole list: those stay. */
function newestResults(messages: readonly Message[], evictables: Positions): Set<ToolResultPart> {
  const newest = new Map<string, ToolResultPart>();
  for (let i = 0; i < evictables.length; i++) {
    const message = messages[evictables.at(i)];
    if (message === undefined) continue;
    for (const part of resultsOf(message)) newest.set(part.toolName, part);
  }
  return new Set(newest.values());
}

function evictablePositions(messages: readonly Message[]): Positions {
  const positions = new NumberList();
  messages.forEach((message, at) => {
    if (isEvictable(message)) positions.push(at);
  });
  return positions;
}

function resultsOf(message: Message): ToolResultPart[] {
  return message.content.filter((part): part is ToolResultPart => part.type === "tool-result");
}
