import { whenAborted } from "../abortLink.ts";
import type { Message } from "../messages.ts";
import type { AbortSignalLike, ChatModel, ModelRequest, ToolDefinition } from "../model.ts";
import { knownWindow } from "../policy.ts";
import { MESSAGE_WRAPPER_TOKENS } from "../summaryStep.ts";
import { utf8Length } from "../utf8.ts";

/** A count below this share of the bytes is not believed (contract section 9, kind 9). */
const LEAST_COUNT_SHARE = 1 / 16;

/** The most tokens that a request can have, and where that comes from. */
export interface RequestBound {
  readonly tokens: number;
  readonly basis: "counted" | "estimated";
}

/**
 * Upper counts of requests to one model (contract section 6): what the model itself counts and 16 for each message,
 * or, where it does not count, min(UTF-8 bytes of the request's JSON and 16 for each message, its window), since no
 * tokenizer makes more tokens than bytes. A message is weighed once, however many requests it is part of.
 */
export class RequestBounds {
  readonly #model: ChatModel;
  readonly #counts = new WeakMap<object, number>();

  constructor(model: ChatModel) {
    this.#model = model;
  }

  async of(
    request: Pick<ModelRequest, "messages" | "tools">,
    signal: AbortSignalLike,
  ): Promise<RequestBound> {
    const wrappers = MESSAGE_WRAPPER_TOKENS * request.messages.length;
    const counted = await this.#count(request, signal);
    if (counted !== undefined) return { tokens: counted + wrappers, basis: "counted" };
    const window = knownWindow(this.#model.limits.maxInputTokens) ?? Number.POSITIVE_INFINITY;
    return { tokens: Math.min(requestJsonBytes(request) + wrappers, window), basis: "estimated" };
  }

  /** Undefined where the model does not count, was cut off, holds an image, or gives a number nobody believes. */
  async #count(
    { messages, tools }: Pick<ModelRequest, "messages" | "tools">,
    signal: AbortSignalLike,
  ): Promise<number | undefined> {
    if (this.#model.countTokens === undefined || messages.some(hasImage)) return undefined;
    let sum = 0;
    for (const part of tools.length === 0 ? messages : [...messages, tools]) {
      const count = this.#counts.get(part) ?? (await this.#ask(jsonOf(part), signal));
      if (count === undefined) return undefined;
      this.#counts.set(part, count);
      sum += count;
    }
    return sum;
  }

  async #ask(text: string, signal: AbortSignalLike): Promise<number | undefined> {
    const aborted = whenAborted(signal);
    try {
      const count = await Promise.race([this.#model.countTokens?.(text, signal), aborted.promise]);
      const least = utf8Length(text) * LEAST_COUNT_SHARE;
      return Number.isSafeInteger(count) && (count as number) >= least ? (count as number) : undefined;
    } catch {
      return undefined;
    } finally {
      aborted.release();
    }
  }
}

const knownBytes = new WeakMap<object, number>();

/** UTF-8 bytes of `{"messages":[…],"tools":[…]}` with role and content of each message. */
export function requestJsonBytes({ messages, tools }: Pick<ModelRequest, "messages" | "tools">): number {
  const commas = Math.max(0, messages.length - 1);
  return messages.reduce(
    (bytes, message) => bytes + jsonBytes(message),
    commas + utf8Length(`{"messages":[],"tools":${jsonOf(tools)}}`),
  );
}

function jsonBytes(message: Message): number {
  const known = knownBytes.get(message);
  if (known !== undefined) return known;
  const bytes = utf8Length(jsonOf(message));
  knownBytes.set(message, bytes);
  return bytes;
}

/** What a provider gets to read of it: ids, kinds and earlier reports stay here. */
function jsonOf(part: Message | readonly ToolDefinition[]): string {
  if ("role" in part) return JSON.stringify({ role: part.role, content: part.content });
  return JSON.stringify(
    part.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
  );
}

function hasImage({ content }: Message): boolean {
  return content.some((part) => part.type === "image");
}
