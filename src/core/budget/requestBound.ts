import { countText } from "../countText.ts";
import type { Message } from "../messages.ts";
import type { AbortSignalLike, ChatModel, Clock, ModelRequest, ToolDefinition } from "../model.ts";
import { knownWindow } from "../policy.ts";
import { MESSAGE_WRAPPER_TOKENS } from "../summaryStep.ts";
import { utf8Length } from "../utf8.ts";

/** So many texts are counted side by side. */
const COUNTS_AT_ONCE = 16;

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
  readonly #clock: Clock | undefined;

  /** Without a clock a counter that never answers is waited for until the signal is aborted. */
  constructor(model: ChatModel, clock?: Clock) {
    this.#model = model;
    this.#clock = clock;
  }

  async of(
    request: Pick<ModelRequest, "messages" | "tools">,
    signal: AbortSignalLike,
  ): Promise<RequestBound> {
    const counted = await this.#count(request, signal);
    if (counted === undefined) return this.byBytes(request);
    return { tokens: counted + wrapperTokens(request), basis: "counted" };
  }

  /** The same without asking anybody. */
  byBytes(request: Pick<ModelRequest, "messages" | "tools">): RequestBound {
    const window = knownWindow(this.#model.limits.maxInputTokens) ?? Number.POSITIVE_INFINITY;
    return {
      tokens: Math.min(requestJsonBytes(request) + wrapperTokens(request), window),
      basis: "estimated",
    };
  }

  /** Undefined where the model does not count, was cut off, holds an image, or gives a number nobody believes. */
  async #count(
    { messages, tools }: Pick<ModelRequest, "messages" | "tools">,
    signal: AbortSignalLike,
  ): Promise<number | undefined> {
    if (this.#model.countTokens === undefined || messages.some(hasImage)) return undefined;
    const parts = tools.length === 0 ? messages : [...messages, tools];
    const unknown = parts.filter((part) => !this.#counts.has(part));
    for (let at = 0; at < unknown.length; at += COUNTS_AT_ONCE) {
      const some = unknown.slice(at, at + COUNTS_AT_ONCE);
      const counts = await Promise.all(some.map((part) => this.#ask(jsonOf(part), signal)));
      for (const [index, count] of counts.entries()) {
        if (count === undefined) return undefined;
        this.#counts.set(some[index] as object, count);
      }
    }
    return parts.reduce((sum, part) => sum + (this.#counts.get(part) ?? 0), 0);
  }

  async #ask(text: string, signal: AbortSignalLike): Promise<number | undefined> {
    const clock = this.#clock;
    const count = await countText(this.#model, text, clock === undefined ? { signal } : { signal, clock });
    return count === undefined ? undefined : Math.ceil(count);
  }
}

function wrapperTokens({ messages }: Pick<ModelRequest, "messages">): number {
  return MESSAGE_WRAPPER_TOKENS * messages.length;
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
