import type { Basis, Message } from "../../core/messages.ts";
import type {
  AttemptRecord,
  CommitmentRecord,
  CompactionRecord,
  EvictionRecord,
} from "../../core/records.ts";
import type { LogEntry } from "../../sessions/entries.ts";

/** A message of the record. Numbers count from 1 over the whole record, other branches included, and never change. */
export interface MessageItem {
  readonly kind: "message";
  readonly number: number;
  readonly message: Message;
  readonly at: number;
  readonly modelId?: string;
  readonly usageBasis?: Basis;
  readonly command?: string;
  /** What the person's hand did, where the message is such a statement and nothing typed in a chat. */
  readonly statement?: CommitmentRecord["action"];
}

/** What happened between messages. Neighbours of the same kind that only count are one item. */
export type NoteItem =
  | { readonly kind: "sidechain"; count: number; readonly linkedCallIds: Set<string> }
  | {
      readonly kind: "foreign";
      count: number;
      readonly firstLine: number;
      lastLine: number;
      /** Each once, the first few. */
      readonly reasons: string[];
    }
  | { readonly kind: "boundary"; readonly at: number }
  | { readonly kind: "eviction"; readonly at: number; readonly record: EvictionRecord }
  | { readonly kind: "compaction"; readonly at: number; readonly record: CompactionRecord }
  | { readonly kind: "attempt"; readonly at: number; readonly record: AttemptRecord }
  | { readonly kind: "undo"; readonly at: number; readonly runId: string }
  | { readonly kind: "branch"; readonly at: number; readonly from: string | null }
  | { readonly kind: "hand"; readonly at: number; readonly record: CommitmentRecord };

const SHOWN_REASONS = 3;

export type RecordItem = MessageItem | NoteItem;

export interface RecordCounts {
  messages: number;
  user: number;
  assistant: number;
  tool: number;
  system: number;
  notices: number;
  attachments: number;
  calls: number;
  results: number;
  images: number;
  sidechain: number;
  foreign: number;
  boundaries: number;
  /** By the person's hand. */
  statements: number;
}

/**
 * The whole record of a session as a list that only grows, made from the entries of its log. Each entry is looked at
 * once, however often the list is extended.
 */
export class TranscriptRecord {
  readonly items: RecordItem[] = [];
  readonly counts: RecordCounts = {
    messages: 0,
    user: 0,
    assistant: 0,
    tool: 0,
    system: 0,
    notices: 0,
    attachments: 0,
    calls: 0,
    results: 0,
    images: 0,
    sidechain: 0,
    foreign: 0,
    boundaries: 0,
    statements: 0,
  };
  readonly undoneRunIds = new Set<string>();
  /** The record has more than one branch, or begins before the branch does. */
  hasOtherBranches = false;
  readonly #positions = new Map<string, number>();
  #seen = 0;
  #lastSeen: LogEntry | undefined;

  /** False when `entries` does not continue what was seen: then a new record is needed. */
  continues(entries: readonly LogEntry[]): boolean {
    return this.#seen <= entries.length && (this.#seen === 0 || entries[this.#seen - 1] === this.#lastSeen);
  }

  /** Takes in what is new, at most `limit` entries; true when all of it is in. */
  extend(entries: readonly LogEntry[], limit = Number.POSITIVE_INFINITY): boolean {
    const end = Math.min(entries.length, this.#seen + limit);
    for (; this.#seen < end; this.#seen += 1) {
      const entry = entries[this.#seen] as LogEntry;
      this.#add(entry);
      this.#lastSeen = entry;
    }
    return this.#seen === entries.length;
  }

  /** Position in `items` of the message with this id, of the message a segment belongs to, or of a statement. */
  positionOf(segmentId: string): number | undefined {
    const exact = this.#positions.get(segmentId);
    if (exact !== undefined) return exact;
    for (let at = segmentId.lastIndexOf("#"); at > 0; at = segmentId.lastIndexOf("#", at - 1)) {
      const position = this.#positions.get(segmentId.slice(0, at));
      if (position !== undefined) return position;
    }
    return undefined;
  }

  /** The message with this id, or the one that a segment belongs to. */
  message(segmentId: string): MessageItem | undefined {
    const position = this.positionOf(segmentId);
    const item = position === undefined ? undefined : this.items[position];
    return item?.kind === "message" ? item : undefined;
  }

  #add(entry: LogEntry): void {
    switch (entry.type) {
      case "message":
        this.#addMessage({
          kind: "message",
          number: this.counts.messages + 1,
          message: entry.message,
          at: entry.at,
          ...(entry.modelId === undefined ? {} : { modelId: entry.modelId }),
          ...(entry.usageBasis === undefined ? {} : { usageBasis: entry.usageBasis }),
          ...(entry.command === undefined ? {} : { command: entry.command }),
        });
        break;
      case "commitment":
        if (entry.record.text === undefined) {
          this.items.push({ kind: "hand", at: entry.at, record: entry.record });
        } else {
          const { id, text, action } = entry.record;
          this.#addMessage({
            kind: "message",
            number: this.counts.messages + 1,
            message: { id, role: "user", content: [{ type: "text", text }] },
            at: entry.at,
            statement: action,
          });
        }
        break;
      case "sidechain": {
        this.counts.sidechain += 1;
        const last = this.items.at(-1);
        const note = last?.kind === "sidechain" ? last : undefined;
        const linkedCallIds = note?.linkedCallIds ?? new Set<string>();
        if (entry.linkedCallId !== undefined) linkedCallIds.add(entry.linkedCallId);
        if (note === undefined) this.items.push({ kind: "sidechain", count: 1, linkedCallIds });
        else note.count += 1;
        break;
      }
      case "foreign": {
        this.counts.foreign += 1;
        const last = this.items.at(-1);
        if (last?.kind === "foreign") {
          last.count += 1;
          last.lastLine = entry.line;
          const { reasons } = last;
          if (reasons.length < SHOWN_REASONS && !reasons.includes(entry.reason)) reasons.push(entry.reason);
        } else {
          const { line, reason } = entry;
          this.items.push({ kind: "foreign", count: 1, firstLine: line, lastLine: line, reasons: [reason] });
        }
        break;
      }
      case "boundary":
        this.counts.boundaries += 1;
        this.hasOtherBranches = true;
        this.items.push({ kind: "boundary", at: entry.at });
        break;
      case "branch":
        this.hasOtherBranches = true;
        this.items.push({ kind: "branch", at: entry.at, from: entry.from });
        break;
      case "undo":
        this.undoneRunIds.add(entry.runId);
        this.items.push({ kind: "undo", at: entry.at, runId: entry.runId });
        break;
      case "eviction":
        this.items.push({ kind: "eviction", at: entry.at, record: entry.record });
        break;
      case "compaction":
        this.items.push({ kind: "compaction", at: entry.at, record: entry.record });
        break;
      case "attempt":
        this.items.push({ kind: "attempt", at: entry.at, record: entry.record });
        break;
      case "header":
      case "title":
      case "model":
      case "usage":
      case "budget":
      case "automatic":
        break;
    }
  }

  #addMessage(item: MessageItem): void {
    const { counts } = this;
    const { message } = item;
    this.#positions.set(message.id, this.items.length);
    this.items.push(item);
    counts.messages += 1;
    if (item.statement !== undefined) counts.statements += 1;
    else if (message.kind === "notice") counts.notices += 1;
    else if (message.kind === "attachment") counts.attachments += 1;
    else counts[message.role] += 1;
    for (const part of message.content) {
      if (part.type === "tool-call") counts.calls += 1;
      else if (part.type === "tool-result") counts.results += 1;
      else if (part.type === "image") counts.images += 1;
    }
  }
}
