import { estimateTokens } from "../core/estimate.ts";
import type { Message } from "../core/messages.ts";
import { NumberList } from "../core/numberList.ts";
import { inSlices } from "./sliced.ts";

/** Estimates of a session's messages, each made once. */
export class MessageEstimates {
  /** In the order in which they came. */
  readonly #messages: Message[] = [];
  readonly #tokens = new NumberList();
  /** Costs more than many an estimate, so it is made when somebody asks out of order. */
  #byMessage: Map<Message, number> | undefined;

  of(message: Message): number {
    this.#byMessage ??= new Map(this.#messages.map((known, at) => [known, this.#tokens.at(at)]));
    return this.#byMessage.get(message) ?? this.#add(message);
  }

  /**
   * For a list in the session's order, all of it or parts, with capsules between and citations in the place of
   * outputs: nothing is looked up by hash. What stands after the last known message counts as new.
   */
  inOrder(): (message: Message) => number {
    let next = 0;
    return (message) => {
      const expected = this.#messages[next];
      if (expected === message) return this.#tokens.at(next++);
      if (expected === undefined) {
        next += 1;
        return this.#byMessage?.get(message) ?? this.#add(message);
      }
      if (expected.id === message.id) {
        next += 1;
        return estimateTokens(message);
      }
      const at = this.#messages.indexOf(message, next);
      if (at < 0) return estimateTokens(message);
      next = at + 1;
      return this.#tokens.at(at);
    };
  }

  /** Makes `of` quick, in slices. */
  async prepare(pause: () => Promise<void>): Promise<void> {
    if (this.#byMessage !== undefined) return;
    const byMessage = new Map<Message, number>();
    const keep = (message: Message, at: number): void => void byMessage.set(message, this.#tokens.at(at));
    await inSlices(this.#messages, keep, pause);
    this.#byMessage ??= byMessage;
  }

  #add(message: Message): number {
    const tokens = estimateTokens(message);
    this.#messages.push(message);
    this.#tokens.push(tokens);
    this.#byMessage?.set(message, tokens);
    return tokens;
  }
}
