import type { Message } from "../core/messages.ts";

/** Whether a person may pin the message. A call without its result, or the other way round, would stand alone in a request. */
export function isPinnable(message: Message): boolean {
  if (message.role === "system" || message.kind === "capsule") return false;
  return message.content.every((part) => part.type !== "tool-call" && part.type !== "tool-result");
}
