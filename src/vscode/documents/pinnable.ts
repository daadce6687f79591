import type { Message } from "../../core/messages.ts";

/** What the engine lets a person pin: a call without its result, or the other way round, could not be sent. */
export function isPinnable(message: Message): boolean {
  if (message.role === "system" || message.role === "tool" || message.kind === "capsule") return false;
  return message.content.every((part) => part.type !== "tool-call" && part.type !== "tool-result");
}
