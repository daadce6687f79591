import { DeletedSessions } from "./deletedSessions.ts";
import type { SessionState, SessionSummary } from "./session.ts";
import type { SessionEnvironment } from "./sessionFiles.ts";
import { SessionIndex } from "./sessionIndex.ts";
import { isSessionId, LOG_SUFFIX, sessionPaths } from "./sessionPaths.ts";
import { SessionScan, summaryOf } from "./sessionScan.ts";
import { WriteClaim } from "./writeClaim.ts";

/** Logs of other windows that are read on, not anew, when they grow. */
const MOST_KEPT_SCANS = 8;

/** One folder with sessions in it. */
export class StoragePlace {
  readonly path: string;
  readonly deleted: DeletedSessions;
  readonly #environment: SessionEnvironment;
  readonly #index: SessionIndex;
  readonly #scans = new Map<string, SessionScan>();

  constructor(environment: SessionEnvironment, path: string) {
    this.path = path;
    this.deleted = new DeletedSessions(environment.files, path, environment.now);
    this.#environment = environment;
    this.#index = new SessionIndex(environment.files, path);
  }

  /** Deleted sessions that cannot be purged are no reason to show no list. */
  async prepare(): Promise<void> {
    await this.#index.load();
    await this.deleted.purge().catch(() => undefined);
  }

  async has(id: string): Promise<boolean> {
    if (!isSessionId(id)) return false;
    const stat = await this.#environment.files.stat(sessionPaths(this.path, id).log).catch(() => undefined);
    return stat !== undefined && !stat.isFolder;
  }

  /** All sessions of the folder; `stateOf` gives the state of one that is open in this window. */
  async list(stateOf: (id: string) => SessionState | undefined): Promise<readonly SessionSummary[]> {
    const names = await this.#environment.files.list(this.path).catch(() => []);
    const ids = names
      .filter((name) => name.endsWith(LOG_SUFFIX))
      .map((name) => name.slice(0, -LOG_SUFFIX.length))
      .filter(isSessionId);
    const found: SessionSummary[] = [];
    for (const id of ids) if (await this.#isNoFolder(id)) found.push(await this.summary(id, stateOf(id)));
    this.#index.keepOnly(new Set(ids));
    await this.#index.save();
    return found;
  }

  /** A log that cannot be read is listed by its name: nothing on the disk is hidden. */
  async summary(id: string, state: SessionState | undefined): Promise<SessionSummary> {
    try {
      const stat = await this.#environment.files.stat(sessionPaths(this.path, id).log);
      if (stat === undefined) return unreadable(id, this.path);
      if (state !== undefined) return summaryOf(state, this.path, stat.bytes);
      const known = this.#index.get(id, stat);
      if (known !== undefined) return known;
      const summary = await this.#scan(id);
      this.#index.set(id, stat, summary);
      return summary;
    } catch {
      this.forget(id);
      return unreadable(id, this.path);
    }
  }

  /** The session's files are no more where they were. */
  forget(id: string): void {
    this.#scans.delete(id);
  }

  async #isNoFolder(id: string): Promise<boolean> {
    const stat = await this.#environment.files.stat(sessionPaths(this.path, id).log).catch(() => undefined);
    return stat?.isFolder !== true;
  }

  async #scan(id: string): Promise<SessionSummary> {
    const scan = this.#scans.get(id) ?? new SessionScan(this.#environment.files, this.path, id);
    this.#scans.delete(id);
    // Only what another window is writing changes again; the first reading of an old log is its last.
    const { claims } = sessionPaths(this.path, id);
    if ((await WriteClaim.holder(this.#environment, claims)) !== undefined) this.#scans.set(id, scan);
    for (const oldest of this.#scans.keys()) {
      if (this.#scans.size <= MOST_KEPT_SCANS) break;
      this.#scans.delete(oldest);
    }
    return scan.read();
  }
}

function unreadable(id: string, place: string): SessionSummary {
  return {
    id,
    title: id,
    createdAt: 0,
    updatedAt: 0,
    messageCount: 0,
    generation: 0,
    bytes: 0,
    problems: 1,
    place,
  };
}
