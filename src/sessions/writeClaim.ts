import type { AppendHandle, ProcessIdentity, SessionEnvironment } from "./sessionFiles.ts";

/** A holder that cannot be seen from here is taken for gone after this long without a sign of life. */
export const SILENT_HOLDER_MS = 60_000;
const SIGN_OF_LIFE_MS = 15_000;
/** The file of claims starts anew at this size. */
const MOST_CLAIM_BYTES = 64 * 1024;

/** A window that wants to write a session, as one line of its file of claims. */
interface Claim extends ProcessIdentity {
  readonly token: string;
  readonly window: string;
}

/**
 * The right to write one session. Claims are lines appended to a file beside the log, and the last line names the
 * holder: to take over is to append, so two windows at once cannot both come out as the holder, and a holder sees by
 * the size of the file that it no longer is one. A line `{ released }` gives the right back. The file is never
 * removed: a claim on a removed file would be seen by nobody.
 *
 * A lock library was tried first. Those that are well kept (proper-lockfile) cannot tell a dead holder from a silent
 * one before a time-out, name no holder and know no takeover; after a killed host the session would stay read-only.
 */
export class WriteClaim {
  readonly #file: AppendHandle;
  readonly #token: string;
  readonly #timer: ReturnType<typeof setInterval>;
  #knownBytes: number;
  #lost = false;

  private constructor(file: AppendHandle, token: string, environment: SessionEnvironment) {
    this.#file = file;
    this.#token = token;
    this.#knownBytes = file.bytes();
    this.#timer = setInterval(() => this.#showLife(environment.now()), SIGN_OF_LIFE_MS);
    this.#timer.unref();
  }

  /** The claim, or the name of the living window that has it. `force` takes it from a living one. */
  static async take(
    environment: SessionEnvironment,
    path: string,
    options: { readonly force: boolean },
  ): Promise<WriteClaim | { readonly heldBy: string }> {
    const file = environment.files.openForAppending(path, { create: true });
    try {
      const holder = lastClaim(file.readAll());
      if (holder !== undefined && !options.force && (await lives(environment, path, holder))) {
        await file.close();
        return { heldBy: holder.window };
      }
      if (file.bytes() > MOST_CLAIM_BYTES) file.empty();
      const claim: Claim = {
        ...environment.processes.own,
        token: environment.newId(),
        window: environment.windowName,
      };
      writeLine(file, claim);
      file.touch(environment.now());
      const last = lastClaim(file.readAll());
      if (last?.token === claim.token) return new WriteClaim(file, claim.token, environment);
      await file.close();
      return { heldBy: last?.window ?? "" };
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** The window that holds a session now; undefined = nobody who lives. */
  static async holder(environment: SessionEnvironment, path: string): Promise<string | undefined> {
    if ((await environment.files.stat(path)) === undefined) return undefined;
    const claim = lastClaim(await environment.files.read(path));
    return claim !== undefined && (await lives(environment, path, claim)) ? claim.window : undefined;
  }

  /** Whether this window still is the holder; one look at the file's size. */
  isHeld(): boolean {
    if (this.#lost) return false;
    const bytes = this.#file.bytes();
    if (bytes === this.#knownBytes) return true;
    this.#lost = lastClaim(this.#file.readAll())?.token !== this.#token;
    this.#knownBytes = bytes;
    return !this.#lost;
  }

  /** Who has it now, after this window lost it. */
  successor(): string {
    return lastClaim(this.#file.readAll())?.window ?? "";
  }

  async release(): Promise<void> {
    clearInterval(this.#timer);
    try {
      if (this.isHeld()) writeLine(this.#file, { released: this.#token });
    } finally {
      await this.#file.close();
    }
  }

  #showLife(timeMs: number): void {
    try {
      if (this.isHeld()) this.#file.touch(timeMs);
    } catch {
      // A sign of life that fails is made good by the next one.
    }
  }
}

/** A line that a crash cut off must not swallow the next one. */
function writeLine(file: AppendHandle, value: unknown): void {
  const line = Buffer.from(`\n${JSON.stringify(value)}\n`);
  let written = 0;
  while (written < line.length) {
    const count = file.append(line.subarray(written));
    if (count === 0) throw Object.assign(new Error("Nothing could be written."), { code: "ENOSPC" });
    written += count;
  }
}

function lastClaim(content: Uint8Array): Claim | undefined {
  const lines = Buffer.from(content.buffer, content.byteOffset, content.byteLength)
    .toString("utf8")
    .split("\n");
  const released = new Set<unknown>();
  for (const line of lines.reverse()) {
    const value = parsed(line);
    if (value === undefined) continue;
    if ("released" in value) released.add(value.released);
    else if (isClaim(value)) return released.has(value.token) ? undefined : value;
  }
  return undefined;
}

function parsed(line: string): object | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function isClaim(value: object): value is Claim {
  const claim = value as Partial<Record<keyof Claim, unknown>>;
  return (
    typeof claim.token === "string" &&
    typeof claim.window === "string" &&
    typeof claim.host === "string" &&
    typeof claim.pid === "number" &&
    (claim.startedAt === undefined || typeof claim.startedAt === "string")
  );
}

async function lives(environment: SessionEnvironment, path: string, claim: Claim): Promise<boolean> {
  const seen = environment.processes.isAlive(claim);
  if (seen !== undefined) return seen;
  const stat = await environment.files.stat(path);
  // A file from the future is a clock that went back, not a dead holder.
  return stat !== undefined && environment.now() - stat.modifiedMs < SILENT_HOLDER_MS;
}
