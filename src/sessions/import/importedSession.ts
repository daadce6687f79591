import type { Message } from "../../core/messages.ts";

/**
 * What reading another agent's session file gives. Nothing here knows of our own log: whoever owns it maps these
 * records to entries. The same bytes give the same records (no clock, no randomness).
 */
export type ImportFormat = "openai" | "claude-code" | "pi";

export interface ImportInput {
  /** Shown in reasons; a path or a bare name. It never decides the format. */
  readonly fileName: string;
  /** The file from its first byte. Chunk borders carry no meaning. */
  readonly chunks: AsyncIterable<Uint8Array>;
  readonly signal?: AbortSignal;
  /** Called with the sum of bytes read so far, after each chunk. */
  readonly onProgress?: (bytesRead: number) => void;
}

export type ImportFailureCode =
  | "cancelled"
  | "empty"
  | "not_json"
  | "unknown_format"
  | "too_large"
  | "read_failed";

export type ImportResult =
  | { readonly ok: true; readonly imported: ImportedSession }
  | {
      readonly ok: false;
      readonly code: ImportFailureCode;
      /** One or two sentences for a person: what is wrong and what to do. */
      readonly reason: string;
      readonly cause?: unknown;
    };

export interface ImportedSession {
  readonly format: ImportFormat;
  /** The file's own id of the session. */
  readonly sourceSessionId?: string;
  /** The file's own title, else the first line a person typed. Never taken from a summary of a compaction. */
  readonly title?: string;
  /** Milliseconds since 1970 of the earliest time stamp that names its zone. */
  readonly createdAt?: number;
  /** Model of the last reply. */
  readonly model?: string;
  /**
   * In transcript order. The context of the session is exactly the `message` records from `contextStart` on, in this
   * order; records of other types are never in it.
   */
  readonly records: readonly ImportedRecord[];
  /** First message of the context; without an id the context is empty. */
  readonly contextStart: { readonly messageId: string | undefined };
  readonly report: ImportReport;
}

export type ImportedRecord =
  | ImportedMessage
  | ImportedSidechainMessage
  | ImportedOutsideMessage
  | ImportedBoundary
  | ImportedMetadata
  | ImportedUnknown;

interface FromLine {
  /** Line of the file that began it, from 1; of a JSON document, the position in its list of messages, from 1. */
  readonly line: number;
  /** Milliseconds since 1970. */
  readonly at?: number;
}

/** A message of the transcript. Its id is unique over all records of the import. */
export interface ImportedMessage extends FromLine {
  readonly type: "message";
  readonly message: Message;
  readonly usageBasis: "imported";
  /** The slash command whose arguments this text is ("/review"), or that this text is; such a message is no root. */
  readonly command?: string;
  /** The file's own word for how a reply ended ("stop", "aborted", "tool_use" …). */
  readonly stopReason?: string;
  /** What the file says went wrong with this reply. */
  readonly errorText?: string;
}

/** A message of a sub-agent: a record of its own, never in the context. */
export interface ImportedSidechainMessage extends FromLine {
  readonly type: "sidechain";
  readonly message: Message;
  /** The call that started the sub-agent, when the file tells. */
  readonly linkedCallId?: string;
  readonly agentId?: string;
}

/** A message the file keeps but its own agent no longer sends: rewound, or cut out by a partial compaction. */
export interface ImportedOutsideMessage extends FromLine {
  readonly type: "outside";
  readonly message: Message;
  readonly reason: "rewound" | "compacted";
}

/**
 * A compaction made by the other agent. Its summary is somebody's text, not a capsule of ours: where it is still
 * sent, it is the message `summaryMessageId` (role user, kind notice) right behind this record.
 */
export interface ImportedBoundary extends FromLine {
  readonly type: "boundary";
  /** Empty when the file holds no summary. */
  readonly summaryText: string;
  readonly summaryMessageId?: string;
  /** Last message of the file before the compaction ran. */
  readonly afterMessageId?: string;
  /** "manual" or "auto", as the file says. */
  readonly trigger?: string;
  readonly tokensBefore?: number;
}

/** A line that is known and is no message (titles, modes, snapshots …), kept as it is. */
export interface ImportedMetadata extends FromLine {
  readonly type: "metadata";
  readonly recordType: string;
  readonly text: string;
}

/** A line nobody could read, kept as it is. */
export interface ImportedUnknown extends FromLine {
  readonly type: "unknown";
  readonly text: string;
  readonly reason: string;
  /** The exact bytes, where they are not well-formed UTF-8 and `text` cannot give them back. */
  readonly bytesBase64?: string;
}

/**
 * Counts of one import. Each line that is not blank is counted once:
 * `lines = messageLines + sidechainLines + outsideLines + boundaryLines + metadataLines + unknownLines`.
 */
export interface ImportReport {
  readonly format: ImportFormat;
  /** What `lines` counts: lines of a JSONL file, or messages in the list of a JSON document. */
  readonly unit: "line" | "message";
  readonly lines: number;
  readonly messageLines: number;
  readonly sidechainLines: number;
  readonly outsideLines: number;
  readonly boundaryLines: number;
  readonly metadataLines: number;
  readonly unknownLines: number;
  /** Messages of the transcript, notices included. */
  readonly messages: number;
  /** Of those: typed by a person. */
  readonly userMessages: number;
  /** Of those: role user, but not typed by a person (notices and attachments). */
  readonly notices: number;
  /** Tool calls, their results, and calls without one, in the transcript. `calls = results + openCalls`. */
  readonly calls: number;
  readonly results: number;
  readonly openCalls: number;
  /** Results without an earlier unanswered call; they became notices. */
  readonly orphanResults: number;
  /** Messages of sub-agents, and their calls and results. */
  readonly sidechain: { readonly messages: number; readonly calls: number; readonly results: number };
  /** Messages outside the current branch. */
  readonly outside: number;
  /** Replies that were aborted or interrupted. */
  readonly abortedTurns: number;
  /** Where the session was already compacted, in the order of the records. */
  readonly boundaries: readonly {
    readonly line: number;
    readonly afterMessageId?: string;
    readonly trigger?: string;
    readonly tokensBefore?: number;
  }[];
  /** Sentences about anything that a person should know (damage, parts left as text …). */
  readonly notes: readonly string[];
}
