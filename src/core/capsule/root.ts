import type { Message } from "../messages.ts";
import { isUserSource, textOf } from "../messages.ts";

const BARE_COMMAND = /^\/[\p{L}\p{N}][\p{L}\p{N}_:.-]*$/u;

/**
 * A slash command with nothing after it, such as `/mode`. A command with arguments counts as user text, for its
 * arguments are what the person asked.
 */
export function isBareCommand(text: string): boolean {
  return BARE_COMMAND.test(text.trim());
}

/** The first user source that is no command: it stands word for word in every generation. */
export function rootOf(messages: readonly Message[]): Message | undefined {
  return messages.find((message) => isUserSource(message) && !isBareCommand(textOf(message)));
}
