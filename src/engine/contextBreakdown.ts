import { estimateTokens, imageTokensOf } from "../core/estimate.ts";
import type { Message } from "../core/messages.ts";
import type { MeterReading } from "./liveSession.ts";

type Kind = keyof MeterReading["breakdown"];

/** Our own estimate of a context, tokens by kind; grows with it. */
export class ContextBreakdown {
  readonly #tokens: Record<Kind, number> = {
    system: 0,
    user: 0,
    assistant: 0,
    toolResults: 0,
    capsule: 0,
    images: 0,
  };

  add(message: Message, tokens: number = estimateTokens(message)): void {
    const images = imageTokensOf(message);
    this.#tokens.images += images;
    this.#tokens[kindOf(message)] += tokens - images;
  }

  get tokens(): MeterReading["breakdown"] {
    return { ...this.#tokens };
  }
}

function kindOf(message: Message): Kind {
  if (message.kind === "capsule") return "capsule";
  switch (message.role) {
    case "system":
      return "system";
    case "user":
      return "user";
    case "assistant":
      return "assistant";
    case "tool":
      return "toolResults";
  }
}
