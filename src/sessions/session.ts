import type { ChainEntry, LogEntry, SessionOrigin } from "./entries.ts";

export interface ReplayProblem {
  readonly kind:
    | "torn_tail"
    | "bad_line"
    | "nul_bytes"
    | "no_header"
    | "unknown_type"
    | "newer_format"
    | "missing_parent"
    | "byte_order_mark"
    | "missing_blob"
    | "altered_blob"
    | "sync_failed";
  /** From 1; 0 where no line is meant. */
  readonly line: number;
  readonly bytes: number;
}

/**
 * What the lines of a log add up to. One live object, kept up to date by every append at a cost that does not grow
 * with the session: `entries` and `branch` are the same arrays, grown in place. A new `branch` array stands there
 * after a `branch` or `boundary` entry; both are new after a failed append was taken back. Readers that need a
 * moment in time copy.
 */
export interface SessionState {
  readonly id: string;
  readonly title: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly origin?: SessionOrigin;
  /** All understood entries in the order of their lines. */
  readonly entries: readonly LogEntry[];
  /** The active branch, oldest first, starting after an import's last boundary: the entries themselves. */
  readonly branch: readonly ChainEntry[];
  /** All messages on the record, of every branch. */
  readonly messageCount: number;
  /** Id of the last entry of the active branch; what the next one follows. */
  readonly headId: string | null;
  /** In the order of their lines; at most `MAX_PROBLEMS_KEPT` of them. */
  readonly problems: readonly ReplayProblem[];
  readonly problemCount: number;
}

export const MAX_PROBLEMS_KEPT = 1000;

export type SessionErrorCode =
  | "not_found"
  | "read_only"
  | "write_failed"
  /** Another program removed, replaced or shortened the log while it was open. */
  | "file_changed"
  | "disk_full"
  | "altered_bytes"
  | "taken_over"
  | "newer_format"
  | "closed";

export class SessionError extends Error {
  override readonly name = "SessionError";
  readonly code: SessionErrorCode;
  /** Entries that a failed append did not write: nothing of them is in memory, the caller still has them. */
  readonly notWritten: readonly LogEntry[];
  constructor(
    code: SessionErrorCode,
    message: string,
    options?: { cause?: unknown; notWritten?: readonly LogEntry[] },
  ) {
    super(message, options);
    this.code = code;
    this.notWritten = options?.notWritten ?? [];
  }
}

/** How durable an append must be before it returns: `boundary` waits for the disk, `turn` is written and synced soon. */
export type Durability = "boundary" | "turn";

/** Why this window may not write. */
export interface ReadOnlyReason {
  readonly reason: "other_window" | "newer_format" | "storage";
  /** The window that holds the session, or what the storage answered, in words. */
  readonly holder?: string;
}

/**
 * One open session file. Memory changes only after the write.
 *
 * Texts over `BLOB_LIMIT_BYTES` stand in files beside the log. In memory such a part reads its text from there when
 * somebody asks for it (a getter with a small cache, hash checked), so every reader sees the whole text and the heap
 * stays small. Where the file is gone or altered the part says so in words, and `state.problems` names it.
 */
export interface OpenSession {
  readonly id: string;
  readonly state: SessionState;
  /** Undefined when this window may write. */
  readonly readOnly: undefined | ReadOnlyReason;
  /**
   * Appends in order, all or none of them. Throws `SessionError`; nothing in memory changes then. A window that is
   * read-only because of another one tries once more to become the writer: it does when the other is gone.
   */
  append(entries: readonly LogEntry[], durability: Durability): Promise<void>;
  /**
   * The stored text of a digest, hash checked: a blob, an output or the text of a message. Throws `not_found` or
   * `altered_bytes`.
   */
  recover(digest: string): Promise<string>;
  /** Whether `recover` has bytes for it. The first call reads all texts of the log, see `indexDigests`. */
  isStored(digest: string): boolean;
  /** Does the work of the first `isStored` beforehand, in slices that do not block the host. */
  indexDigests(): Promise<void>;
  /** Takes the write lock from the other window, which turns read-only at its next append. */
  takeOver(): Promise<void>;
  /** Reads what another window appended since, and becomes the writer if that window is gone. */
  refresh(): Promise<void>;
  onDidChange(listener: () => void): { dispose(): void };
  /** Waits for what is under way, syncs, and gives the lock back. */
  close(): Promise<void>;
}

export interface SessionSummary {
  readonly id: string;
  readonly title: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly messageCount: number;
  readonly generation: number;
  readonly bytes: number;
  readonly problems: number;
  /** Folder it lies in; there are several where a workspace folder was renamed or became multi-root. */
  readonly place: string;
}

export interface DeletedSession {
  readonly id: string;
  readonly title: string;
  readonly deletedAt: number;
}

/** All sessions of the open workspace. */
export interface SessionStore {
  list(): Promise<readonly SessionSummary[]>;
  /** Lists the sessions of these places too, from now on; what is open stays open. */
  addPlaces(paths: readonly string[]): Promise<void>;
  create(options: { title: string; entries?: readonly LogEntry[]; origin?: SessionOrigin }): Promise<string>;
  open(id: string): Promise<OpenSession>;
  /** The last messages of a session at once, without replaying it: newest last. */
  tail(id: string, count: number): Promise<readonly LogEntry[]>;
  rename(id: string, title: string): Promise<void>;
  /** Moves the session's files to the deleted folder, kept 30 days. */
  delete(id: string): Promise<void>;
  restore(id: string): Promise<void>;
  deleted(): Promise<readonly DeletedSession[]>;
  /** Sessions whose title or messages hold all words; newest first, with the message that matched. */
  search(
    words: string,
    signal: AbortSignal,
  ): AsyncIterable<{
    readonly session: SessionSummary;
    readonly messageId?: string;
    readonly excerpt: string;
  }>;
  onDidChange(listener: () => void): { dispose(): void };
  dispose(): Promise<void>;
}
