import { Blobs } from "./blobs.ts";
import { DigestIndex } from "./digestIndex.ts";
import type { LogEntry } from "./entries.ts";
import { readableEntry } from "./entryShape.ts";
import { Listeners } from "./listeners.ts";
import { LogReader } from "./logReader.ts";
import { Replay } from "./replay.ts";
import type { Durability, OpenSession, ReadOnlyReason, SessionState } from "./session.ts";
import { SessionError } from "./session.ts";
import { closedError, newerFormatError, readOnlyError, takenOverError, writeError } from "./sessionErrors.ts";
import type { SessionEnvironment } from "./sessionFiles.ts";
import type { SessionPaths } from "./sessionPaths.ts";
import { isSessionId, sessionPaths } from "./sessionPaths.ts";
import { TaskQueue } from "./taskQueue.ts";
import { Writing } from "./writing.ts";

/**
 * Opens one session file: claims the right to write, then reads the whole log in slices. A session that another
 * window holds, or that a newer version wrote, opens read-only. Throws `not_found`.
 */
export async function openSessionFile(
  environment: SessionEnvironment,
  place: string,
  id: string,
  signal?: AbortSignal,
): Promise<OpenSession> {
  const paths = sessionPaths(place, id);
  if (!isSessionId(id) || (await environment.files.stat(paths.log)) === undefined) {
    throw new SessionError("not_found", `There is no session ${JSON.stringify(id)} in ${place}.`);
  }
  const session = new SessionFile(environment, id, paths);
  await session.load(signal);
  return session;
}

class SessionFile implements OpenSession {
  readonly id: string;
  readonly state: SessionState;
  readOnly: ReadOnlyReason | undefined;
  readonly #environment: SessionEnvironment;
  readonly #paths: SessionPaths;
  readonly #replay: Replay;
  readonly #reader: LogReader;
  readonly #blobs: Blobs;
  readonly #digests: DigestIndex;
  readonly #listeners = new Listeners();
  readonly #tasks = new TaskQueue();
  #writing: Writing | undefined;
  #closed = false;

  constructor(environment: SessionEnvironment, id: string, paths: SessionPaths) {
    this.id = id;
    this.#environment = environment;
    this.#paths = paths;
    this.#blobs = new Blobs({
      files: environment.files,
      folder: paths.blobs,
      failed: (kind, bytes) => this.#replay.report(kind, bytes, 0),
    });
    this.#digests = new DigestIndex((text) => environment.files.sha256(text));
    this.#replay = new Replay(id, (entry) => this.#blobs.restored(entry));
    this.#reader = new LogReader(environment.files, paths, this.#replay);
    this.state = this.#replay.state;
  }

  async load(signal?: AbortSignal): Promise<void> {
    await this.#begin({ force: false });
    try {
      await this.#catchUp(signal);
      this.#replay.reportMissingHeader();
      if (this.#replay.newerFormat) await this.#end({ reason: "newer_format" });
    } catch (error) {
      await this.#end(undefined);
      throw error;
    }
  }

  append(entries: readonly LogEntry[], durability: Durability): Promise<void> {
    try {
      if (this.#closed) throw closedError(entries);
      const readable = entries.map(readableEntry);
      if (readable.length === 0) return Promise.resolve();
      if (durability === "turn" && this.#tasks.isIdle && this.#appendAtOnce(readable)) {
        return Promise.resolve();
      }
      return this.#tasks.run(() => this.#append(readable, durability));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  async recover(digest: string): Promise<string> {
    let failure: SessionError | undefined;
    if (this.#blobs.isNamed(digest)) {
      try {
        return this.#blobs.textOf(digest);
      } catch (error) {
        if (!(error instanceof SessionError)) throw error;
        failure = error;
      }
    }
    await this.indexDigests();
    const text = this.#digests.find(digest, this.state.entries);
    if (text !== undefined) return text;
    throw (
      failure ?? new SessionError("not_found", `No text with SHA-256 ${digest} is stored in this session.`)
    );
  }

  isStored(digest: string): boolean {
    return this.#blobs.isIntact(digest) || this.#digests.find(digest, this.state.entries) !== undefined;
  }

  indexDigests(): Promise<void> {
    return this.#digests.prepare(() => this.state.entries);
  }

  takeOver(): Promise<void> {
    return this.#tasks.run(async () => {
      if (this.#closed) throw closedError([]);
      if (this.#replay.newerFormat) throw newerFormatError([]);
      if (this.#writing?.isHeld() === true) return;
      await this.#end(undefined);
      await this.#begin({ force: true });
      await this.#catchUp();
      this.#listeners.tell();
      if (this.readOnly !== undefined) throw readOnlyError(this.readOnly, []);
    });
  }

  refresh(): Promise<void> {
    return this.#tasks.run(async () => {
      if (this.#closed || this.#writing?.isCurrent() === true) return;
      const { entries } = this.state;
      const { length } = entries;
      const { readOnly } = this;
      if (this.#writing?.isHeld() === false) await this.#lose();
      if (this.readOnly?.reason === "other_window") await this.#begin({ force: false });
      await this.#catchUp();
      const isSame =
        this.state.entries === entries && entries.length === length && this.readOnly === readOnly;
      if (!isSame) this.#listeners.tell();
    });
  }

  onDidChange(listener: () => void): { dispose(): void } {
    return this.#listeners.add(listener);
  }

  close(): Promise<void> {
    return this.#tasks.run(async () => {
      if (this.#closed) return;
      this.#closed = true;
      this.#listeners.clear();
      await this.#end(this.readOnly);
    });
  }

  /** The common append, without a turn of the event loop: nothing large, nobody else, nothing under way. */
  #appendAtOnce(entries: readonly LogEntry[]): boolean {
    const writing = this.#writing;
    if (writing === undefined || !writing.isCurrent(entries)) return false;
    if (entries.some((entry) => this.#blobs.split(entry) !== undefined)) return false;
    const lines = writing.writer.write(entries);
    writing.sync.soon();
    this.#remember(writing, entries, lines);
    return true;
  }

  async #append(entries: readonly LogEntry[], durability: Durability): Promise<void> {
    if (this.#closed) throw closedError(entries);
    if (this.#writing === undefined) await this.#becomeWriter(entries);
    const inMemory: LogEntry[] = [];
    const inFile: LogEntry[] = [];
    for (const entry of entries) {
      const split = this.#blobs.split(entry);
      inMemory.push(split?.entry ?? entry);
      inFile.push(split?.line ?? entry);
      for (const { digest, text } of split?.texts ?? []) {
        await this.#blobs.write(digest, text).catch((cause: unknown) => {
          throw writeError(cause, entries);
        });
      }
    }
    const writing = await this.#currentWriting(entries);
    const lines = writing.writer.write(inFile);
    if (durability === "boundary") {
      try {
        await writing.sync.now();
      } catch (cause) {
        writing.writer.takeBack(entries);
        throw writeError(cause, entries);
      }
    } else writing.sync.soon();
    this.#remember(writing, inMemory, lines);
  }

  #remember(writing: Writing, entries: readonly LogEntry[], lines: number): void {
    this.#reader.skipTo(writing.writer.end, lines);
    this.#replay.add(entries);
    this.#listeners.tell();
  }

  async #becomeWriter(entries: readonly LogEntry[]): Promise<void> {
    if (this.#replay.newerFormat) throw newerFormatError(entries);
    await this.#begin({ force: false });
    if (this.#writing === undefined) throw readOnlyError(this.readOnly, entries);
    await this.#catchUp();
  }

  /** The right to write, with everything read that is in the file. */
  async #currentWriting(entries: readonly LogEntry[]): Promise<Writing> {
    for (;;) {
      const writing = this.#writing;
      if (writing?.isHeld() !== true) {
        await this.#lose();
        throw takenOverError(this.readOnly, entries);
      }
      if (writing.isCurrent(entries)) return writing;
      await this.#catchUp();
    }
  }

  /** Sets `#writing` or `readOnly`. */
  async #begin({ force }: { readonly force: boolean }): Promise<void> {
    const syncFailed = () => {
      this.#replay.report("sync_failed", 0, 0);
      this.#listeners.tell();
    };
    const begun = await Writing.begin(this.#environment, this.#paths, { force, syncFailed });
    if (begun instanceof Writing) {
      this.#writing = begun;
      this.readOnly = undefined;
    } else if (this.readOnly?.reason !== begun.reason || this.readOnly.holder !== begun.holder) {
      this.readOnly = begun;
    }
  }

  async #lose(): Promise<void> {
    const holder = this.#writing?.successor() ?? "";
    await this.#end({ reason: "other_window", holder });
    this.#listeners.tell();
  }

  async #end(readOnly: ReadOnlyReason | undefined): Promise<void> {
    this.readOnly = readOnly;
    const writing = this.#writing;
    this.#writing = undefined;
    await writing?.end();
  }

  /** Reads what others wrote, and where to go on from there. */
  async #catchUp(signal?: AbortSignal): Promise<void> {
    const writer =
      this.#writing !== undefined ? "self" : this.readOnly?.reason === "other_window" ? "other" : "nobody";
    const end = await this.#reader.readNew(writer, signal);
    this.#writing?.writer.moveTo(end);
  }
}
