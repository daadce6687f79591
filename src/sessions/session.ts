import type { BranchItem } from "../core/records.ts";
import type { LogEntry } from "./entries.ts";

export interface ReplayProblem {
  readonly kind:
    | "torn_tail"
    | "bad_line"
    | "nul_bytes"
    | "no_header"
    | "unknown_type"
    | "newer_format"
    | "missing_parent";
  /** From 1. */
  readonly line: number;
  readonly bytes: number;
}

/** What the lines of a log add up to. Kept up to date by every append; never recomputed as a whole. */
export interface SessionState {
  readonly id: string;
  readonly title: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly origin?: { readonly kind: "import" | "capsule"; readonly name: string };
  /** All understood entries in the order of their lines. */
  readonly entries: readonly LogEntry[];
  /** The active branch, oldest first, starting after an import's last boundary. */
  readonly branch: readonly BranchItem[];
  /** Id of the last entry of the active branch; what the next one follows. */
  readonly headId: string | null;
  readonly problems: readonly ReplayProblem[];
}

export type SessionErrorCode =
  | "not_found"
  | "read_only"
  | "write_failed"
  | "disk_full"
  | "altered_bytes"
  | "taken_over"
  | "newer_format"
  | "closed";

export class SessionError extends Error {
  override readonly name = "SessionError";
  readonly code: SessionErrorCode;
  constructor(code: SessionErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

/** How durable an append must be before it returns: `boundary` waits for the disk, `turn` is written and synced soon. */
export type Durability = "boundary" | "turn";

/** One open session file. Memory changes only after the write. */
export interface OpenSession {
  readonly id: string;
  readonly state: SessionState;
  /** Undefined when this window may write; else why it may not. */
  readonly readOnly:
    | undefined
    | { readonly reason: "other_window" | "newer_format"; readonly holder?: string };
  /** Appends in order, all lines in one write. Throws `SessionError`; nothing in memory changes then. */
  append(entries: readonly LogEntry[], durability: Durability): Promise<void>;
  /** The stored text of a digest, hash checked: a blob, or an output or text inside the log. */
  recover(digest: string): Promise<string>;
  isStored(digest: string): boolean;
  /** Takes the write lock from the other window, which turns read-only. */
  takeOver(): Promise<void>;
  onDidChange(listener: () => void): { dispose(): void };
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
  /** Storage place it lies in; more than one where a folder was renamed or became multi-root. */
  readonly place: string;
}

/** All sessions of the open workspace. */
export interface SessionStore {
  list(): Promise<readonly SessionSummary[]>;
  create(options: {
    title: string;
    entries?: readonly LogEntry[];
    origin?: SessionState["origin"];
  }): Promise<string>;
  open(id: string): Promise<OpenSession>;
  /** The last messages of a session at once, without replaying it: newest last. */
  tail(id: string, count: number): Promise<readonly LogEntry[]>;
  rename(id: string, title: string): Promise<void>;
  /** Moves the session's files to the deleted folder, kept 30 days. */
  delete(id: string): Promise<void>;
  restore(id: string): Promise<void>;
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
}
