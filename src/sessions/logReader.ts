import { readLines } from "./logLines.ts";
import type { LogEnd } from "./logWriter.ts";
import type { Replay } from "./replay.ts";
import type { SessionFiles } from "./sessionFiles.ts";
import { fileErrorCode } from "./sessionFiles.ts";
import type { SessionPaths } from "./sessionPaths.ts";

/** Who writes the log while it is read: this window, another one that lives, or nobody. */
export type LogWriterNow = "self" | "other" | "nobody";

/** Reads a log into a replay, each time from where it was. */
export class LogReader {
  readonly #files: SessionFiles;
  readonly #paths: SessionPaths;
  readonly #replay: Replay;
  /** The start of the next line to read. */
  #position = 0;

  constructor(files: SessionFiles, paths: SessionPaths, replay: Replay) {
    this.#files = files;
    this.#paths = paths;
    this.#replay = replay;
  }

  /** This program wrote what is there up to here, and knows it. */
  skipTo(position: number, lines: number): void {
    this.#position = position;
    this.#replay.skipLines(lines);
  }

  async readNew(writer: LogWriterNow, signal?: AbortSignal): Promise<LogEnd> {
    const handle = await this.#files.openForReading(this.#paths.log);
    try {
      const line = (bytes: Buffer) => this.#replay.line(bytes);
      const { end, rest } = await readLines(handle, this.#position, line, signal);
      this.#position = end - rest.length;
      // A last line without an end is torn, unless its writer lives and is in the middle of it.
      if (writer === "other") return { bytes: end, needsNewline: rest.length > 0, isTorn: false };
      return await this.#settleEnd(writer, end, rest);
    } finally {
      await handle.close();
    }
  }

  async #settleEnd(writer: LogWriterNow, end: number, rest: Buffer): Promise<LogEnd> {
    const needsNewline = rest.length > 0;
    let isTorn = false;
    if (needsNewline) {
      this.#position = end;
      isTorn = !this.#replay.lastLine(rest);
      if (isTorn && writer === "self") await this.#setAside(rest);
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
      const file = this.#files.openForAppending(this.#paths.torn, { create: true });
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
}
