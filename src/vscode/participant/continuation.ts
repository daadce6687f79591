import type { Message } from "../../core/messages.ts";
import { isUserSource } from "../../core/messages.ts";
import type { BoundChat } from "./boundChat.ts";

/** What of a session decides where a chat goes on. */
export interface ContinuedSession {
  /** Messages of the active branch in record order, with the person's own statements. */
  readonly transcript: readonly Message[];
  readonly statementIds: ReadonlySet<string>;
  /** Entries of the active branch in order; a message's entry has the message's id. */
  readonly branch: readonly { readonly type: string; readonly id: string }[];
  /** Whether any branch of the record has this message. */
  isOnRecord(messageId: string): boolean;
}

export type Continuation =
  | { readonly at: "head" }
  | {
      readonly at: "earlier";
      /** The branch goes on after this entry; null = from the beginning. */
      readonly entryId: string | null;
      /** Number of the last message that stays in the branch; 0 = none. */
      readonly messageNumber: number;
      /** Messages that stay in the record, beside the branch. */
      readonly laterMessages: number;
    }
  | { readonly at: "other_branch"; readonly entryId: string }
  | { readonly at: "not_on_record" };

/**
 * Where the session goes on for a chat whose history ends at `bound` (contract section 8): at the head where both
 * end alike, else after what the history has, since the person edited or restored an earlier request.
 */
export function continuation(session: ContinuedSession, bound: BoundChat): Continuation {
  const messages = session.transcript.filter(({ id }) => !session.statementIds.has(id));
  const { lastMessageId } = bound;
  const last = lastMessageId === null ? -1 : messages.findIndex(({ id }) => id === lastMessageId);
  if (last < 0 && lastMessageId !== null) {
    return session.isOnRecord(lastMessageId)
      ? { at: "other_branch", entryId: lastMessageId }
      : { at: "not_on_record" };
  }
  const end = afterUnfinished(messages, last, bound.unfinishedMessages);
  if (end === messages.length - 1) return { at: "head" };
  return {
    at: "earlier",
    entryId: entryBefore(session.branch, messages[end + 1]),
    messageNumber: end + 1,
    laterMessages: messages.length - 1 - end,
  };
}

/** Index of the last message that belongs to the turns through `last` and so many unfinished ones. */
function afterUnfinished(messages: readonly Message[], last: number, unfinished: number): number {
  let end = last;
  for (let turns = 0; turns <= unfinished; turns += 1) {
    const question = messages.findIndex((message, at) => at > end && isUserSource(message));
    if (question < 0) return messages.length - 1;
    if (turns < unfinished) {
      end = question;
      continue;
    }
    // Attachments stand before the question that they belong to.
    let start = question;
    while (start - 1 > end && messages[start - 1]?.kind === "attachment") start -= 1;
    return unfinished === 0 ? last : start - 1;
  }
  return end;
}

/** What was written between the last message that stays and the first that does not (a compaction, a pin) stays. */
function entryBefore(
  branch: readonly { readonly id: string }[],
  firstLeft: Message | undefined,
): string | null {
  const index = branch.findIndex(({ id }) => id === firstLeft?.id);
  return index <= 0 ? null : (branch[index - 1]?.id ?? null);
}
