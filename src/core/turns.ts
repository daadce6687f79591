import type { Message } from "./messages.ts";
import { isUserSource } from "./messages.ts";

/** A turn is a real user message and all up to the next one; capsules, notices and attachments start none. */
export function startsTurn(message: Message): boolean {
  return isUserSource(message);
}

/**
 * Moves a cut that stands before a turn, or among the attachments that were given with it, to the first of
 * those attachments: a kept request keeps what was attached to it. Never moves it later.
 */
export function includeAttachments(messages: readonly Message[], cut: number): number {
  const message = messages[cut];
  if (message === undefined || !(startsTurn(message) || isAttachment(message))) return cut;
  let first = cut;
  while (isAttachment(messages[first - 1])) first--;
  return first;
}

/** The attachments directly before the user message at a position. */
export function attachmentsOf(messages: readonly Message[], userAt: number): readonly Message[] {
  return messages.slice(includeAttachments(messages, userAt), userAt);
}

export function isAttachment(message: Message | undefined): boolean {
  return message?.kind === "attachment";
}

/** It holds a text that eviction might replace: a tool result, or an attachment's own. */
export function isEvictable(message: Message): boolean {
  return isAttachment(message) || message.content.some((part) => part.type === "tool-result");
}
