/**
 * The file system as the sessions need it. Paths are absolute, with "/" between names. Failures are errors with a
 * `code` as POSIX names it (ENOENT, ENOSPC, EIO, EACCES …).
 */
export interface SessionFiles {
  /** Undefined where nothing is. */
  stat(path: string): Promise<FileStat | undefined>;
  /** Names in a folder; none where the folder does not exist. */
  list(folder: string): Promise<readonly string[]>;
  makeFolder(folder: string): Promise<void>;
  read(path: string): Promise<Uint8Array>;
  /** For a text that somebody asks a message for. */
  readSync(path: string): Uint8Array;
  /** The whole file or nothing of it: a temporary file, synced, renamed; then the folder is synced. */
  writeWhole(path: string, chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Promise<void>;
  move(from: string, to: string): Promise<void>;
  /** A file, or a folder with all that is in it; nothing happens where nothing is. */
  remove(path: string): Promise<void>;
  openForReading(path: string): Promise<ReadHandle>;
  /** Keeps a descriptor on which every write goes to the end. Without `create` a missing file is ENOENT. */
  openForAppending(path: string, options: { readonly create: boolean }): AppendHandle;
  /** Tells of changes in a folder, by the name of the file where the system gives it; it may miss some. */
  watch(folder: string, changed: (name: string | undefined) => void): { dispose(): void };
  /** SHA-256 of the bytes, or of a string's UTF-8 bytes: 64 lower-case hex digits. */
  sha256(data: Uint8Array | string): string;
}

export interface FileStat {
  readonly bytes: number;
  readonly modifiedMs: number;
  readonly isFolder: boolean;
  /**
   * The same for the same file or folder after a rename or a move inside its file system, and for no other; "" where
   * the file system cannot tell.
   */
  readonly identity: string;
}

export interface ReadHandle {
  bytes(): Promise<number>;
  /** Fills `into` from the file at `position`; returns how much there was. */
  read(into: Uint8Array, position: number): Promise<number>;
  close(): Promise<void>;
}

export interface AppendHandle {
  /** Bytes in the file now, whoever wrote them; -1 once the file has no name any more. */
  bytes(): number;
  /** Returns how many bytes were written: fewer than given is no error. */
  append(data: Uint8Array): number;
  /** Waits until the bytes are on the disk. */
  datasync(): Promise<void>;
  readAll(): Uint8Array;
  /** Sets the time of the last change. */
  touch(timeMs: number): void;
  empty(): void;
  close(): Promise<void>;
}

/** The POSIX code of a file error, "" for any other error. */
export function fileErrorCode(error: unknown): string {
  if (typeof error !== "object" || error === null || !("code" in error)) return "";
  return typeof error.code === "string" ? error.code : "";
}

/** The running programs of this machine, to tell whether the holder of a lock still lives. */
export interface ProcessTable {
  /** This process. */
  readonly own: ProcessIdentity;
  /** Undefined = cannot be told from here: another machine, or a system that gives no start times. */
  isAlive(process: ProcessIdentity): boolean | undefined;
}

export interface ProcessIdentity {
  readonly pid: number;
  readonly host: string;
  /** Tells apart two processes that had the same pid; absent where the system does not say. */
  readonly startedAt?: string;
}

/** What the sessions get from outside. */
export interface SessionEnvironment {
  readonly files: SessionFiles;
  readonly processes: ProcessTable;
  /** Milliseconds since the epoch; may go back. */
  readonly now: () => number;
  readonly newId: () => string;
  /** This window, as another one names it to its person. */
  readonly windowName: string;
}
