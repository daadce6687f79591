import type { MeterRecord } from "../budget/meterRecord.ts";
import type { CompactionContext, CompactionJournal } from "../compactOptions.ts";
import { sha256Hex } from "../digest.ts";
import { CompactionError } from "../errors.ts";
import type { Message } from "../messages.ts";
import type { ContextState } from "../projection.ts";
import { appendMessage, projectContext } from "../projection.ts";
import type { BranchItem } from "../records.ts";
import type { RunItem, RunSession } from "./runSession.ts";

/** A session that nobody stores: what a run works in where none is given. */
export class MemorySession implements RunSession {
  readonly branch: BranchItem[] = [];
  readonly meterRecords: MeterRecord[] = [];
  readonly journal: CompactionJournal = {
    eviction: async (record) => this.#fold({ type: "eviction", record }),
    compaction: async (record) => this.#fold({ type: "compaction", record }),
    attempt: async (record) => void this.branch.push({ type: "attempt", record }),
  };
  #state: ContextState;
  /** Originals by digest, of the first so many messages of the transcript. */
  readonly #originals = new Map<string, string>();
  #digested = 0;

  constructor(messages: readonly Message[] = []) {
    for (const message of messages) this.branch.push({ type: "message", message });
    this.#state = projectContext(this.branch);
  }

  get state(): ContextState {
    return this.#state;
  }

  messages(): readonly Message[] {
    return this.#state.messages;
  }

  snapshot(): CompactionContext {
    const { messages, transcript } = this.#state;
    return { ...this.#state, messages: messages.slice(), transcript: transcript.slice() };
  }

  async append(items: readonly RunItem[]): Promise<void> {
    for (const item of items) {
      if (item.type === "meter") this.meterRecords.push(item.record);
      else {
        this.branch.push({ type: "message", message: item.message });
        this.#state = appendMessage(this.#state, item.message);
      }
    }
  }

  isStored(digest: string): boolean {
    return this.#digests().has(digest);
  }

  wasAttempted(contentHash: string): boolean {
    return this.branch.some((item) => item.type === "attempt" && item.record.contentHash === contentHash);
  }

  /** The text with this digest. Throws `not_stored` where the session never held it. */
  recover(digest: string): string {
    const text = this.#digests().get(digest);
    if (text !== undefined) return text;
    throw new CompactionError("not_stored", `The session holds no text with the digest ${digest}.`);
  }

  #fold(item: BranchItem): void {
    this.branch.push(item);
    this.#state = projectContext(this.branch);
  }

  #digests(): ReadonlyMap<string, string> {
    const { transcript } = this.#state;
    for (; this.#digested < transcript.length; this.#digested += 1) {
      for (const text of evictableTexts(transcript[this.#digested] as Message)) {
        this.#originals.set(sha256Hex(text), text);
      }
    }
    return this.#originals;
  }
}

/** The outputs of a message, or the text of an attachment. */
function evictableTexts(message: Message): string[] {
  if (message.kind === "attachment") {
    return [message.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n")];
  }
  return message.content.flatMap((part) => (part.type === "tool-result" ? [part.output] : []));
}
