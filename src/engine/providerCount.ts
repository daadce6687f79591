import { countText } from "../core/countText.ts";
import { imageTokensOf } from "../core/estimate.ts";
import type { Message, Part } from "../core/messages.ts";
import type { ChatModel } from "../core/model.ts";

/**
 * A model's own count of a context, message by message, on strings only (counts of message objects are not to be
 * believed). Each message is counted once for a model.
 */
export class ProviderCount {
  #model: ChatModel;
  readonly #counts = new WeakMap<Message, number>();

  constructor(model: ChatModel) {
    this.#model = model;
  }

  /** The same model, as its provider offers it now; what was counted stays. */
  offeredAs(model: ChatModel): void {
    this.#model = model;
  }

  get modelId(): string {
    return this.#model.id;
  }

  /** Tokens of all messages; undefined = not counted: no counter, a time-out, or a number nobody believes. */
  async count(messages: readonly Message[], signal: AbortSignal): Promise<number | undefined> {
    if (this.#model.countTokens === undefined) return undefined;
    let sum = 0;
    for (const message of messages) {
      const known = this.#counts.get(message) ?? (await this.#countOne(message, signal));
      if (known === undefined || signal.aborted) return undefined;
      this.#counts.set(message, known);
      sum += known;
    }
    return sum;
  }

  async #countOne(message: Message, signal: AbortSignal): Promise<number | undefined> {
    const text = message.content.map(textOfPart).filter(Boolean).join("\n");
    const images = imageTokensOf(message);
    if (text === "") return images;
    const tokens = await countText(this.#model, text, { signal });
    return tokens === undefined ? undefined : tokens + images;
  }
}

function textOfPart(part: Part): string {
  switch (part.type) {
    case "text":
    case "reasoning":
      return part.text;
    case "tool-call":
      return `${part.toolName} ${JSON.stringify(part.input) ?? ""}`;
    case "tool-result":
      return part.output;
    case "image":
      return "";
  }
}
