import type { LogEntry } from "./entries.ts";
import { LogWriter } from "./logWriter.ts";
import type { ReadOnlyReason } from "./session.ts";
import type { AppendHandle, SessionEnvironment } from "./sessionFiles.ts";
import { fileErrorCode } from "./sessionFiles.ts";
import type { SessionPaths } from "./sessionPaths.ts";
import { SyncSchedule } from "./syncSchedule.ts";
import { WriteClaim } from "./writeClaim.ts";

/** One window's time as the writer of a session: the claim and all that it takes to write. */
export class Writing {
  readonly writer: LogWriter;
  readonly sync: SyncSchedule;
  readonly #claim: WriteClaim;
  readonly #file: AppendHandle;

  private constructor(claim: WriteClaim, file: AppendHandle, syncFailed: () => void) {
    this.#claim = claim;
    this.#file = file;
    this.writer = new LogWriter(file);
    this.sync = new SyncSchedule(file, syncFailed);
  }

  /** The right to write, or why this window does not get it. `force` takes it from a living window. */
  static async begin(
    environment: SessionEnvironment,
    paths: SessionPaths,
    options: { readonly force: boolean; readonly syncFailed: () => void },
  ): Promise<Writing | ReadOnlyReason> {
    let claim: WriteClaim | undefined;
    try {
      const taken = await WriteClaim.take(environment, paths.claims, options);
      if (!(taken instanceof WriteClaim)) return { reason: "other_window", holder: taken.heldBy };
      claim = taken;
      const file = environment.files.openForAppending(paths.log, { create: false });
      return new Writing(claim, file, options.syncFailed);
    } catch (error) {
      await claim?.release().catch(() => undefined);
      const code = fileErrorCode(error);
      if (code === "") throw error;
      return { reason: "storage", holder: code };
    }
  }

  isHeld(): boolean {
    return this.#claim.isHeld();
  }

  /** This window is the writer and wrote or read all that is in the file. */
  isCurrent(notWritten?: readonly LogEntry[]): boolean {
    return this.#claim.isHeld() && this.writer.isAtEnd(notWritten);
  }

  /** The window that took over. */
  successor(): string {
    return this.#claim.successor();
  }

  async end(): Promise<void> {
    try {
      if (this.writer.hasVoids && this.isCurrent()) this.writer.write([]);
    } finally {
      try {
        await this.sync.finish();
      } finally {
        await this.#file.close();
        await this.#claim.release();
      }
    }
  }
}
