import { isBareCommand } from "../capsule/root.ts";
import type { Message } from "../messages.ts";
import { isUserSource, textOf } from "../messages.ts";

export interface SpendPinOptions {
  readonly rootId: string | undefined;
  /** Estimated tokens that the pins may have together, the root apart. */
  readonly pinnedUserTokens: number;
  readonly estimate: (message: Message) => number;
}

/**
 * What a spend compaction pins beside the person's own pins (contract section 6): the oldest user messages after the
 * root, as far as the budget of tokens goes. The root stands whatever it weighs.
 */
export function spendPins(messages: readonly Message[], options: SpendPinOptions): readonly string[] {
  const pinned: string[] = [];
  let tokens = 0;
  for (const message of messages) {
    if (!isUserSource(message) || message.id === options.rootId || isBareCommand(textOf(message))) continue;
    tokens += options.estimate(message);
    if (tokens > options.pinnedUserTokens) break;
    pinned.push(message.id);
  }
  return pinned;
}
