import type { Message } from "./messages.ts";

/** Finds the messages of a branch by id; made when first asked. */
export class TranscriptLookup {
  readonly #transcript: readonly Message[];
  readonly #statementIds: ReadonlySet<string>;
  #positions: Map<string, number> | undefined;

  constructor(transcript: readonly Message[], statementIds: ReadonlySet<string>) {
    this.#transcript = transcript;
    this.#statementIds = statementIds;
  }

  get lastId(): string | undefined {
    return this.#transcript.at(-1)?.id;
  }

  /** The message as it was written, with outputs that eviction took out of the context. */
  originalOf(message: Message): Message {
    const at = this.#positionOf(message.id);
    return at === undefined ? message : (this.#transcript[at] as Message);
  }

  /** Number of the branch's own messages before this one; the person's statements are not counted. Undefined id: of all. */
  ordinalOf(messageId: string | undefined): number {
    const end = messageId === undefined ? undefined : this.#positionOf(messageId);
    let ordinal = 0;
    for (const message of this.#transcript.slice(0, end))
      if (!this.#statementIds.has(message.id)) ordinal += 1;
    return ordinal;
  }

  /** Number of a segment's message, from 1, as people see it. */
  numberOf(segmentId: string): number | undefined {
    const at = this.#positionOf(segmentId) ?? this.#positionOf(segmentId.split("#", 1)[0] ?? "");
    return at === undefined ? undefined : at + 1;
  }

  #positionOf(id: string): number | undefined {
    this.#positions ??= new Map(this.#transcript.map((message, at) => [message.id, at]));
    return this.#positions.get(id);
  }
}
