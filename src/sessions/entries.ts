import type { Basis, Message } from "../core/messages.ts";
import type {
  AttemptRecord,
  CommitmentRecord,
  CompactionRecord,
  EvictionRecord,
  UsageReading,
} from "../core/records.ts";

export const LOG_FORMAT_VERSION = 1;

/** Fields of every line. `at` is milliseconds since the epoch and may go back; order is the order of lines. */
interface EntryBase {
  readonly id: string;
  readonly at: number;
}

/** What a session was made from. */
export interface SessionOrigin {
  readonly kind: "import" | "capsule";
  readonly name: string;
  readonly format?: string;
  readonly sessionId?: string;
}

export interface HeaderEntry extends EntryBase {
  readonly type: "header";
  readonly format: typeof LOG_FORMAT_VERSION;
  readonly title: string;
  readonly origin?: SessionOrigin;
}

/** An output, text or image whose place in the line holds "": the file is named by the SHA-256 of its UTF-8 bytes. */
export interface BlobReference {
  /** Index in the message's content. */
  readonly part: number;
  readonly digest: string;
  readonly bytes: number;
}

/** `id` is the message's id, the same as `message.id`. */
export interface MessageEntry extends EntryBase {
  readonly type: "message";
  readonly message: Message;
  /** Provider and model that wrote it. */
  readonly modelId?: string;
  /** `reported` from a live provider, `imported` from a file. */
  readonly usageBasis?: Basis;
  /** A slash command whose arguments the text is; such a message is no root. */
  readonly command?: string;
  /** In a log line only: texts that stand in files beside the log. An entry in memory has them in their places. */
  readonly blobs?: readonly BlobReference[];
}

/** A sub-agent's message: on the record, never in the context. */
export interface SidechainEntry extends EntryBase {
  readonly type: "sidechain";
  readonly linkedCallId?: string;
  readonly message: Message;
  readonly blobs?: readonly BlobReference[];
}

/** A line of an imported file that nobody understood, kept as it was. */
export interface ForeignEntry extends EntryBase {
  readonly type: "foreign";
  readonly line: number;
  readonly text: string;
  readonly reason: string;
}

/** Where an imported file had been compacted by somebody else; the context starts after the last of them. */
export interface BoundaryEntry extends EntryBase {
  readonly type: "boundary";
}

export interface EvictionEntry extends EntryBase {
  readonly type: "eviction";
  readonly record: EvictionRecord;
}

export interface CompactionEntry extends EntryBase {
  readonly type: "compaction";
  readonly record: CompactionRecord;
}

export interface AttemptEntry extends EntryBase {
  readonly type: "attempt";
  readonly record: AttemptRecord;
}

export interface UndoEntry extends EntryBase {
  readonly type: "undo";
  readonly runId: string;
  /** Tokens of the context before and after, by our own measure. */
  readonly before: number;
  readonly after: number;
}

/** From here on the branch continues after the entry `from`; null = from the beginning. */
export interface BranchEntry extends EntryBase {
  readonly type: "branch";
  readonly from: string | null;
}

export interface CommitmentEntry extends EntryBase {
  readonly type: "commitment";
  readonly record: CommitmentRecord;
}

export interface ModelEntry extends EntryBase {
  readonly type: "model";
  readonly modelId: string;
  readonly name: string;
  readonly maxInputTokens?: number;
}

/** A provider's number for a whole request that is no message's own usage. */
export interface UsageEntry extends EntryBase {
  readonly type: "usage";
  readonly reading: UsageReading;
}

export interface TitleEntry extends EntryBase {
  readonly type: "title";
  readonly title: string;
}

export interface BudgetEntry extends EntryBase {
  readonly type: "budget";
  readonly budget: unknown;
}

/** Whether window pressure may act by itself again, after an undo. */
export interface AutomaticEntry extends EntryBase {
  readonly type: "automatic";
  readonly allowed: boolean;
}

export type LogEntry =
  | HeaderEntry
  | MessageEntry
  | SidechainEntry
  | ForeignEntry
  | BoundaryEntry
  | EvictionEntry
  | CompactionEntry
  | AttemptEntry
  | UndoEntry
  | BranchEntry
  | CommitmentEntry
  | ModelEntry
  | UsageEntry
  | TitleEntry
  | BudgetEntry
  | AutomaticEntry;

/** An entry of a type that this version does not know: kept as it is, part of no projection. */
export interface UnknownEntry {
  readonly type: string;
  readonly raw: string;
}

/**
 * Entries that follow one another on a branch, each the child of the branch's head when it was written. All but
 * `boundary` are items of a projection as they stand.
 */
export type ChainEntry =
  | MessageEntry
  | EvictionEntry
  | CompactionEntry
  | AttemptEntry
  | UndoEntry
  | CommitmentEntry
  | UsageEntry;

/** Entries that `state.branch` holds. */
export function isChainEntry(entry: LogEntry): entry is ChainEntry {
  switch (entry.type) {
    case "message":
    case "eviction":
    case "compaction":
    case "attempt":
    case "undo":
    case "commitment":
    case "usage":
      return true;
    default:
      return false;
  }
}

/**
 * Stands before the lines of an append that has several, or that follows a failed one. It is no entry: it says
 * which lines count. The `lines` after it, each begun with a space, count once all of them are in the file.
 */
export interface AppendMark {
  readonly type: "append";
  readonly lines: number;
  /** UTF-8 bytes of those lines with their ends: tells a last line that was cut off from one that went bad later. */
  readonly bytes: number;
  /** Ids of entries just before it that were written and are not to count: they never became durable. */
  readonly voids?: readonly string[];
  /** What stands before it is the torn end of a write. */
  readonly torn?: true;
}
