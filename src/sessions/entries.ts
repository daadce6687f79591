import type { Basis, Message } from "../core/messages.ts";
import type { AttemptRecord, CommitmentRecord, CompactionRecord, EvictionRecord } from "../core/records.ts";

export const LOG_FORMAT_VERSION = 1;

/** Fields of every line. `at` is milliseconds since the epoch and may go back; order is the order of lines. */
interface EntryBase {
  readonly id: string;
  readonly at: number;
}

export interface HeaderEntry extends EntryBase {
  readonly type: "header";
  readonly format: typeof LOG_FORMAT_VERSION;
  readonly title: string;
  /** What the session was made from. */
  readonly origin?: {
    readonly kind: "import" | "capsule";
    readonly name: string;
    readonly format?: string;
    readonly sessionId?: string;
  };
}

/** `id` is the message's id. Large texts stand outside the log: see `blobs`. */
export interface MessageEntry extends EntryBase {
  readonly type: "message";
  readonly message: Message;
  /** Provider and model that wrote it. */
  readonly modelId?: string;
  /** `reported` from a live provider, `imported` from a file. */
  readonly usageBasis?: Basis;
  /** A slash command whose arguments the text is; such a message is no root. */
  readonly command?: string;
  /** Part index → digest and UTF-8 bytes of an output, text or image whose place in `message` holds "". */
  readonly blobs?: readonly { readonly part: number; readonly digest: string; readonly bytes: number }[];
}

/** A sub-agent's message: on the record, never in the context. */
export interface SidechainEntry extends EntryBase {
  readonly type: "sidechain";
  readonly linkedCallId?: string;
  readonly message: Message;
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
