import type { Message } from "../core/messages.ts";
import { textOf } from "../core/messages.ts";
import type { LogEntry } from "./entries.ts";

/** Hex digits of a digest that fit a number exactly. */
const KEY_DIGITS = 13;
const SLICE_MS = 8;

/**
 * Finds the text of a digest among the entries of a log: the output of a tool result, or the text of a message. It
 * keeps 52 bits of each digest and looks the text up and hashes it again on a hit, so it is small and never wrong.
 * Hashing starts with the first question; entries that come later are hashed with the next one.
 */
export class DigestIndex {
  readonly #sha256: (text: string) => string;
  /** Key of a digest → index of the entry. */
  readonly #byKey = new Map<number, number>();
  #entries: readonly LogEntry[] = [];
  #hashed = 0;

  constructor(sha256: (text: string) => string) {
    this.#sha256 = sha256;
  }

  /** Hashes what is new, giving way to others every few milliseconds. */
  async prepare(entries: () => readonly LogEntry[]): Promise<void> {
    for (;;) {
      const until = performance.now() + SLICE_MS;
      if (this.#hashUntil(entries(), until)) return;
      await new Promise((resume) => setImmediate(resume));
    }
  }

  /** The stored text with this digest; undefined where none is. */
  find(digest: string, entries: readonly LogEntry[]): string | undefined {
    this.#hashUntil(entries, Number.POSITIVE_INFINITY);
    const at = this.#byKey.get(keyOf(digest));
    if (at === undefined) return undefined;
    const found = this.#textIn(entries[at], digest);
    if (found !== undefined) return found;
    // Two digests that share their first 52 bits: rare, or made on purpose.
    for (const entry of entries) {
      const text = this.#textIn(entry, digest);
      if (text !== undefined) return text;
    }
    return undefined;
  }

  #hashUntil(entries: readonly LogEntry[], until: number): boolean {
    if (entries !== this.#entries) {
      this.#entries = entries;
      this.#byKey.clear();
      this.#hashed = 0;
    }
    while (this.#hashed < entries.length) {
      const at = this.#hashed;
      for (const text of inlineTexts(entries[at])) this.#byKey.set(keyOf(this.#sha256(text)), at);
      this.#hashed += 1;
      if (performance.now() >= until) return this.#hashed === entries.length;
    }
    return true;
  }

  #textIn(entry: LogEntry | undefined, digest: string): string | undefined {
    for (const text of inlineTexts(entry)) if (this.#sha256(text) === digest) return text;
    return undefined;
  }
}

function keyOf(digest: string): number {
  return Number.parseInt(digest.slice(0, KEY_DIGITS), 16);
}

function messageOf(entry: LogEntry | undefined): Message | undefined {
  return entry?.type === "message" || entry?.type === "sidechain" ? entry.message : undefined;
}

/** The texts of an entry that a segment's digest may name; texts in files are found by their names. */
function* inlineTexts(entry: LogEntry | undefined): Iterable<string> {
  const message = messageOf(entry);
  if (message === undefined) {
    if (entry?.type === "commitment" && entry.record.text !== undefined) yield entry.record.text;
    return;
  }
  let standsInFiles = false;
  for (const part of message.content) {
    const isInFile = Object.values(Object.getOwnPropertyDescriptors(part)).some(
      (field) => field.get !== undefined,
    );
    standsInFiles ||= isInFile;
    if (part.type === "tool-result" && !isInFile) yield part.output;
  }
  // A message of one text in a file has that file's digest; several texts are joined, so they must be read.
  if (message.role !== "tool" && !(standsInFiles && message.content.length === 1)) yield textOf(message);
}
