import { CompactionError } from "./errors.ts";
import type { Message, Part } from "./messages.ts";
import { resultSegmentId } from "./messages.ts";
import type { EvictionCandidate } from "./plan.ts";
import { isAttachment } from "./turns.ts";

/**
 * The messages with the citations in place of the evicted texts. Messages without one come back as they are,
 * and of the others everything but the text: the pair, ids, error flag and parts that are no text. Throws
 * `invalid_options` for a candidate of another context.
 */
export function evict(
  messages: readonly Message[],
  candidates: readonly EvictionCandidate[],
): readonly Message[] {
  if (candidates.length === 0) return messages;
  const evicted = [...messages];
  for (const { messageIndex, segmentId, citation } of candidates) {
    const message = evicted[messageIndex];
    const replaced = message && withCitations(message, (id) => (id === segmentId ? citation : undefined));
    if (replaced === undefined || replaced === message) {
      throw new CompactionError(
        "invalid_options",
        `This context has no segment "${segmentId}" at message ${messageIndex}; evict from the context that was planned.`,
      );
    }
    evicted[messageIndex] = replaced;
  }
  return evicted;
}

/**
 * One message with citations for those of its segments that have one; the very message where none has. The
 * texts of an attachment give way to one citation, before its other parts.
 */
export function withCitations(
  message: Message,
  citationOf: (segmentId: string) => string | undefined,
): Message {
  if (isAttachment(message)) {
    const citation = citationOf(message.id);
    if (citation === undefined) return message;
    const others = message.content.filter((part) => part.type !== "text");
    return { ...message, content: [{ type: "text", text: citation }, ...others] };
  }
  let changed = false;
  const content = message.content.map((part): Part => {
    if (part.type !== "tool-result") return part;
    const citation = citationOf(resultSegmentId(message.id, part.toolCallId));
    if (citation === undefined) return part;
    changed = true;
    return { ...part, output: citation };
  });
  return changed ? { ...message, content } : message;
}
