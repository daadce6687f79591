import { sha256Hex } from "../core/digest.ts";
import type { Message } from "../core/messages.ts";
import { textOf } from "../core/messages.ts";
import type { ContextState } from "../core/projection.ts";
import { contextHash } from "../core/projection.ts";
import type { CompactionReceipt, CompactionRecord } from "../core/records.ts";
import type { LogEntry } from "./entries.ts";

export interface ContinuedEntriesOptions {
  readonly newId: () => string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/**
 * Entries of a new session that goes on from another one's capsule: its system message, root and pins, the capsule
 * with all its commitments, and an empty tail. Undefined where there is no capsule. What left stays in the session it
 * came from; here its digests stay known, so that the capsule's citations remain valid.
 */
export function continuedEntries(
  context: ContextState,
  options: ContinuedEntriesOptions,
): readonly LogEntry[] | undefined {
  const { summary, messages } = context;
  const capsuleAt = messages.findIndex(({ kind }) => kind === "capsule");
  const capsule = messages[capsuleAt];
  const receipt = lastReceipt(context);
  if (summary === undefined || capsule === undefined || receipt === undefined) return undefined;

  const { newId, now: at } = options;
  const held = withSomething(messages.slice(0, capsuleAt), newId);
  const record: CompactionRecord = {
    runId: newId(),
    receipt,
    beforeHash: contextHash(held, sha256Hex),
    throughMessageId: held.at(-1)?.id,
    summary,
    capsuleText: textOf(capsule),
    firstKeptMessageId: undefined,
    firstKeptOrdinal: held.length,
    rootId: context.rootId,
    heldIds: held.map(({ id }) => id),
    left: [...context.left].map(([digest, segmentId]) => [segmentId, digest] as const),
  };
  return [
    ...held.map((message) => ({ type: "message", id: message.id, at, message }) as const),
    ...held
      .filter(({ id }) => context.pinnedIds.has(id))
      .map(({ id: messageId }) => {
        const id = newId();
        return { type: "commitment", id, at, record: { id, action: "pin", messageId } } as const;
      }),
    { type: "compaction", id: newId(), at, record },
  ];
}

/** A boundary needs a message before it. */
function withSomething(held: readonly Message[], newId: () => string): readonly Message[] {
  if (held.length > 0) return held;
  return [
    {
      id: newId(),
      role: "user",
      kind: "notice",
      content: [{ type: "text", text: "This session goes on from another one's capsule." }],
    },
  ];
}

function lastReceipt({ generations }: ContextState): CompactionReceipt | undefined {
  return generations.findLast(({ undone, receipt }) => !undone && receipt !== undefined)?.receipt;
}
