import { sha256Hex } from "./digest.ts";
import type { Message } from "./messages.ts";
import { textOf } from "./messages.ts";

/** SHA-256 of what a message says. */
export interface MessageDigests {
  /** Of its text. */
  readonly text: string;
  /** Of its outputs, by the position of their parts. */
  readonly outputs: ReadonlyMap<number, string>;
}

/** A run asks for the same digests several times, and the next run again. */
const known = new WeakMap<Message, MessageDigests>();

/** Made once for each message; whoever works in slices asks for them beforehand. */
export function messageDigests(message: Message): MessageDigests {
  let digests = known.get(message);
  if (digests === undefined) {
    digests = digestsOf(message);
    known.set(message, digests);
  }
  return digests;
}

function digestsOf(message: Message): MessageDigests {
  const text = textOf(message);
  const digest = sha256Hex(text);
  const outputs = new Map<number, string>();
  for (const [at, part] of message.content.entries()) {
    if (part.type !== "tool-result") continue;
    const isAllOfTheText = message.role === "tool" && message.content.length === 1;
    outputs.set(at, isAllOfTheText ? digest : sha256Hex(part.output));
  }
  return { text: digest, outputs };
}
