import { Blobs } from "./blobs.ts";
import { DigestIndex } from "./digestIndex.ts";
import type { LogEntry } from "./entries.ts";
import { readableEntry } from "./entryShape.ts";
import { readLines } from "./logLines.ts";
import type { LogEnd } from "./logWriter.ts";
import { LogWriter, writeError } from "./logWriter.ts";
import { Replay } from "./replay.ts";
import type { Durability, OpenSession, ReadOnlyReason, SessionState } from "./session.ts";
import { SessionError } from "./session.ts";
import type { AppendHandle, SessionEnvironment } from "./sessionFiles.ts";
import { fileErrorCode } from "./sessionFiles.ts";
import type { SessionPaths } from "./sessionPaths.ts";
import { isSessionId, sessionPaths } from "./sessionPaths.ts";
import { SyncSchedule } from "./syncSchedule.ts";
import { WriteClaim } from "./writeClaim.ts";

/** The right to write and what it takes. */
interface Writing {
  readonly claim: WriteClaim;
  readonly file: AppendHandle;
  readonly writer: LogWriter;
  readonly sync: SyncSchedule;
}

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
  readonly #blobs: Blobs;
  readonly #digests: DigestIndex;
  readonly #listeners = new Set<() => void>();
  #writing: Writing | undefined;
  /** How far the log was read: the start of a line. */
  #position = 0;
  #closed = false;
  /** Settles when all that was begun is done; undefined = nothing is under way. */
  #underWay: Promise<void> | undefined;

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
    this.state = this.#replay.state;
  }

  async load(signal?: AbortSignal): Promise<void> {
    await this.#claim({ force: false });
    try {
      const end = await this.#readNew(signal);
      this.#replay.reportMissingHeader();
      if (this.#writing !== undefined) this.#writing.writer.moveTo(end);
      if (this.#replay.newerFormat) await this.#stopWriting({ reason: "newer_format" });
    } catch (error) {
      await this.#stopWriting(undefined);
      throw error;
    }
  }

  append(entries: readonly LogEntry[], durability: Durability): Promise<void> {
    try {
      if (this.#closed) throw closedError(entries);
      const readable = entries.map(readableEntry);
      if (readable.length === 0) return Promise.resolve();
      if (durability === "turn" && this.#underWay === undefined && this.#appendAtOnce(readable)) {
        return Promise.resolve();
      }
      return this.#inTurn(() => this.#append(readable, durability));
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
    return this.#inTurn(async () => {
      if (this.#closed) throw closedError([]);
      if (this.#replay.newerFormat) throw newerFormatError([]);
      if (this.#writing?.claim.isHeld() === true) return;
      await this.#stopWriting(undefined);
      await this.#claim({ force: true });
      await this.#catchUp();
      this.#changed();
      if (this.readOnly !== undefined) throw readOnlyError(this.readOnly, []);
    });
  }

  refresh(): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#closed || this.#isCurrent()) return;
      const entriesBefore = this.state.entries;
      const countBefore = entriesBefore.length;
      const readOnlyBefore = this.readOnly;
      if (this.#writing?.claim.isHeld() === false) await this.#loseClaim();
      if (this.readOnly?.reason === "other_window" && !this.#replay.newerFormat)
        await this.#claim({ force: false });
      await this.#catchUp();
      const isSame = this.state.entries === entriesBefore && this.state.entries.length === countBefore;
      if (!isSame || this.readOnly !== readOnlyBefore) this.#changed();
    });
  }

  onDidChange(listener: () => void): { dispose(): void } {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  }

  close(): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#closed) return;
      this.#closed = true;
      this.#listeners.clear();
      const writing = this.#writing;
      try {
        if (writing?.writer.hasVoids === true && writing.claim.isHeld()) writing.writer.write([]);
      } finally {
        await this.#stopWriting(this.readOnly);
      }
    });
  }

  /** The common append, without a turn of the event loop: nothing large, nobody else, nothing under way. */
  #appendAtOnce(entries: readonly LogEntry[]): boolean {
    const writing = this.#writing;
    if (writing === undefined || !this.#isCurrent(entries)) return false;
    if (entries.some((entry) => this.#blobs.split(entry) !== undefined)) return false;
    const lines = writing.writer.write(entries);
    this.#remember(writing, entries, lines);
    writing.sync.soon();
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
    const writing = await this.#writingAtEnd(entries);
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

  /** The right to write, with everything read that is in the file. */
  async #writingAtEnd(entries: readonly LogEntry[]): Promise<Writing> {
    for (;;) {
      const writing = this.#writing;
      if (writing === undefined || !writing.claim.isHeld()) {
        await this.#loseClaim();
        throw takenOverError(this.readOnly, entries);
      }
      if (writing.writer.isAtEnd(entries)) return writing;
      await this.#catchUp();
    }
  }

  #remember(writing: Writing, entries: readonly LogEntry[], lines: number): void {
    this.#position = writing.writer.end;
    this.#replay.skipLines(lines);
    this.#replay.add(entries);
    this.#changed();
  }

  async #becomeWriter(entries: readonly LogEntry[]): Promise<void> {
    if (this.#replay.newerFormat) throw newerFormatError(entries);
    await this.#claim({ force: false });
    if (this.#writing === undefined) throw readOnlyError(this.readOnly, entries);
    await this.#catchUp();
  }

  /** Sets `#writing` or `readOnly`. */
  async #claim(options: { readonly force: boolean }): Promise<void> {
    const { files } = this.#environment;
    let claim: WriteClaim | undefined;
    try {
      const taken = await WriteClaim.take(this.#environment, this.#paths.claims, options);
      if (!(taken instanceof WriteClaim)) {
        const isKnown = this.readOnly?.reason === "other_window" && this.readOnly.holder === taken.heldBy;
        if (!isKnown) this.readOnly = { reason: "other_window", holder: taken.heldBy };
        return;
      }
      claim = taken;
      const file = files.openForAppending(this.#paths.log, { create: false });
      const writer = new LogWriter(file, { bytes: -1, needsNewline: false, isTorn: false });
      const sync = new SyncSchedule(file, () => {
        this.#replay.report("sync_failed", 0, 0);
        this.#changed();
      });
      this.#writing = { claim, file, writer, sync };
      this.readOnly = undefined;
    } catch (error) {
      await claim?.release().catch(() => undefined);
      const code = fileErrorCode(error);
      if (code === "") throw error;
      this.readOnly = { reason: "storage", holder: code };
    }
  }

  async #loseClaim(): Promise<void> {
    const holder = this.#writing?.claim.successor() ?? "";
    await this.#stopWriting({ reason: "other_window", holder });
    this.#changed();
  }

  async #stopWriting(readOnly: ReadOnlyReason | undefined): Promise<void> {
    this.readOnly = readOnly;
    const writing = this.#writing;
    this.#writing = undefined;
    if (writing === undefined) return;
    try {
      await writing.sync.finish();
    } finally {
      await writing.file.close();
      await writing.claim.release();
    }
  }

  /** The writer itself wrote all that is in the file. */
  #isCurrent(notWritten?: readonly LogEntry[]): boolean {
    const writing = this.#writing;
    return writing?.claim.isHeld() === true && writing.writer.isAtEnd(notWritten);
  }

  /** Reads what others wrote, and where to go on from there. */
  async #catchUp(): Promise<void> {
    const end = await this.#readNew();
    this.#writing?.writer.moveTo(end);
  }

  async #readNew(signal?: AbortSignal): Promise<LogEnd> {
    const handle = await this.#environment.files.openForReading(this.#paths.log);
    try {
      const { end, rest } = await readLines(
        handle,
        this.#position,
        (line) => this.#replay.line(line),
        signal,
      );
      this.#position = end - rest.length;
      return await this.#settleEnd(end, rest);
    } finally {
      await handle.close();
    }
  }

  /** A last line without an end is torn, unless its writer lives and is in the middle of it. */
  async #settleEnd(end: number, rest: Buffer): Promise<LogEnd> {
    const { holder } = this.readOnly ?? {};
    if (this.#writing === undefined && this.readOnly?.reason === "other_window" && holder !== undefined) {
      return { bytes: end, needsNewline: rest.length > 0, isTorn: false };
    }
    const needsNewline = rest.length > 0;
    let isTorn = false;
    if (needsNewline) {
      this.#position = end;
      isTorn = !this.#replay.lastLine(rest);
      if (isTorn && this.#writing !== undefined) await this.#setAside(rest);
    }
    if (this.#replay.isInsideAppend) {
      isTorn = true;
      this.#replay.dropOpenAppend();
    }
    return { bytes: end, needsNewline, isTorn };
  }

  /** The bytes stay in the log as well, so a copy that fails loses nothing. */
  async #setAside(torn: Buffer): Promise<void> {
    try {
      const file = this.#environment.files.openForAppending(this.#paths.torn, { create: true });
      try {
        const copy = Buffer.concat([torn, Buffer.from("\n")]);
        if (!Buffer.from(file.readAll()).subarray(-copy.length).equals(copy)) file.append(copy);
      } finally {
        await file.close();
      }
    } catch (error) {
      if (fileErrorCode(error) === "") throw error;
    }
  }

  #inTurn<T>(task: () => Promise<T>): Promise<T> {
    const run = this.#underWay === undefined ? task() : this.#underWay.then(task);
    const settled = run.then(
      () => undefined,
      () => undefined,
    );
    const underWay = settled.then(() => {
      if (this.#underWay === underWay) this.#underWay = undefined;
    });
    this.#underWay = underWay;
    return run;
  }

  #changed(): void {
    for (const listener of this.#listeners) {
      try {
        listener();
      } catch (error) {
        // A listener's fault is not the writer's: the entries are in the file.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}

function closedError(notWritten: readonly LogEntry[]): SessionError {
  return new SessionError("closed", "The session was closed. Open it again.", { notWritten });
}

function newerFormatError(notWritten: readonly LogEntry[]): SessionError {
  return new SessionError(
    "newer_format",
    "A newer version of Context Capsule wrote this session: it can be read here, not changed. Update the extension.",
    { notWritten },
  );
}

function readOnlyError(readOnly: ReadOnlyReason | undefined, notWritten: readonly LogEntry[]): SessionError {
  const holder = readOnly?.holder ?? "";
  const words =
    readOnly?.reason === "storage"
      ? `The session's storage cannot be written (${holder}). Check the folder's permissions and the disk.`
      : `The session is open in ${holder === "" ? "another window" : holder}. Take it over to write here.`;
  return new SessionError("read_only", words, { notWritten });
}

function takenOverError(readOnly: ReadOnlyReason | undefined, notWritten: readonly LogEntry[]): SessionError {
  const holder = readOnly?.holder ?? "";
  const entries = notWritten.length === 1 ? "1 entry was" : `${notWritten.length} entries were`;
  return new SessionError(
    "taken_over",
    `${holder === "" ? "Another window" : holder} took this session over: ${entries} not written here. Take the session back to go on.`,
    { notWritten },
  );
}
