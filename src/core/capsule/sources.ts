import { sha256Hex } from "../digest.ts";
import { messageDigests } from "../messageDigests.ts";
import type { Message } from "../messages.ts";
import { isUserSource, resultSegmentId, textOf } from "../messages.ts";
import type { ContextSummarySource, SourceRole } from "./contextSummary.ts";

export interface SourceOptions {
  /** Ids of messages that remain in the context (root, pins, tail): listed, not required. */
  readonly stays?: ReadonlySet<string>;
}

/**
 * One source for each message and one for each tool result in it, in record order and by stable id. Required is
 * a user source that leaves the context and has text that is not blank.
 */
export function contextSummarySources(
  messages: readonly Message[],
  options?: SourceOptions,
): ContextSummarySource[] {
  const sources: ContextSummarySource[] = [];
  for (const message of messages) {
    const stays = options?.stays?.has(message.id) ?? false;
    const staying = stays ? ({ stays: true } as const) : {};
    const role = sourceRole(message);
    const text = textOf(message);
    const digests = messageDigests(message);
    const required = !stays && isUserSource(message) && text.trim() !== "";
    sources.push({ segmentId: message.id, digest: digests.text, role, required, text, ...staying });
    const resultIds = new Set<string>();
    for (const [at, part] of message.content.entries()) {
      if (part.type !== "tool-result") continue;
      const segmentId = resultSegmentId(message.id, part.toolCallId);
      // A second result of the same call in one message has no id of its own; its text is in the message's.
      if (resultIds.has(segmentId)) continue;
      resultIds.add(segmentId);
      const { output } = part;
      sources.push({
        segmentId,
        digest: digests.outputs.get(at) ?? sha256Hex(output),
        role: "tool",
        required: false,
        text: output,
        ...staying,
      });
    }
  }
  return sources;
}

/** Who said it: the kind of a user-role message that nobody typed, else the role. */
export function sourceRole(message: Message): SourceRole {
  return message.role === "user" && message.kind !== undefined ? message.kind : message.role;
}

/** Whether a person's own words stand in the source: the only ground for a critical anchor. */
export function isUserRole(source: ContextSummarySource): boolean {
  return source.role === "user";
}

/**
 * `[segmentId, digest]` of all that leaves in this transition: messages, and of a tool message its results. A
 * segment that was evicted before keeps the digest of its original, for what stands in the context is only its
 * citation, and nothing is stored under the digest of that.
 */
export function leavingSegments(
  sources: readonly ContextSummarySource[],
  left: ReadonlyMap<string, string>,
): [segmentId: string, digest: string][] {
  const originals = new Map<string, string>();
  for (const [digest, segmentId] of left) originals.set(segmentId, digest);
  const leaving: [string, string][] = [];
  for (const [index, source] of sources.entries()) {
    if (!mayLeave(source)) continue;
    const hasResults = sources[index + 1]?.segmentId.startsWith(`${source.segmentId}#`) ?? false;
    if (source.role === "tool" && hasResults) continue;
    leaving.push([source.segmentId, originals.get(source.segmentId) ?? source.digest]);
  }
  return leaving;
}

/** A capsule is replaced, never recovered; a system message stands in every request. */
export function mayLeave(source: ContextSummarySource): boolean {
  return source.stays !== true && source.role !== "capsule" && source.role !== "system" && source.text !== "";
}
