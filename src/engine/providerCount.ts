import { imageTokensOf } from "../core/estimate.ts";
import type { Message, Part } from "../core/messages.ts";
import type { ChatModel } from "../core/model.ts";
import { utf8Length } from "../core/utf8.ts";

/** A count under this share of the bytes is not believed (contract section 9, kind 9). */
const LEAST_TOKENS_PER_BYTE = 1 / 16;
/** Short texts prove nothing about a counter. */
const LEAST_BYTES_TO_DOUBT = 64;

/**
 * A model's own count of a context, message by message, on strings only (counts of message objects are not to be
 * believed). Each message is counted once for a model.
 */
export class ProviderCount {
  readonly #model: ChatModel;
  readonly #counts = new WeakMap<Message, number>();

  constructor(model: ChatModel) {
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
    const tokens = await this.#model.countTokens?.(text, signal);
    if (tokens === undefined || !Number.isFinite(tokens) || tokens <= 0) return undefined;
    const bytes = utf8Length(text);
    if (bytes >= LEAST_BYTES_TO_DOUBT && tokens < bytes * LEAST_TOKENS_PER_BYTE) return undefined;
    return tokens + images;
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
