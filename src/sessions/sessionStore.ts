import type { NewSession } from "./createSession.ts";
import { createSession } from "./createSession.ts";
import { DeletedSessions } from "./deletedSessions.ts";
import type { LogEntry, TitleEntry } from "./entries.ts";
import type { DeletedSession, OpenSession, SessionStore, SessionSummary } from "./session.ts";
import { SessionError } from "./session.ts";
import { openSessionFile } from "./sessionFile.ts";
import type { SessionEnvironment } from "./sessionFiles.ts";
import { SessionIndex } from "./sessionIndex.ts";
import { isSessionId, LOG_SUFFIX, sessionPaths } from "./sessionPaths.ts";
import { SessionScan, summaryOf } from "./sessionScan.ts";
import { findInLog, holdsAll, searchWords } from "./sessionSearch.ts";
import { readSessionTail } from "./sessionTail.ts";
import { SharedSessions } from "./sharedSessions.ts";
import { WriteClaim } from "./writeClaim.ts";

/** Changes of files come in bursts. */
const CHANGE_DELAY_MS = 100;
/** Logs of other windows that are read on, not anew, when they grow. */
const MOST_KEPT_SCANS = 8;

/**
 * The sessions of a workspace. New ones go to the first place; those of the other places (the same folder under an
 * older name, or before it became one of several) are listed and used where they lie.
 */
export function openSessionStore(
  environment: SessionEnvironment,
  places: readonly [string, ...string[]],
): SessionStore {
  return new FolderStore(environment, places);
}

interface Place {
  readonly path: string;
  readonly index: SessionIndex;
  readonly deleted: DeletedSessions;
}

class FolderStore implements SessionStore {
  readonly #environment: SessionEnvironment;
  readonly #places: readonly Place[];
  readonly #ownPlace: string;
  readonly #shared = new SharedSessions();
  readonly #listeners = new Set<() => void>();
  readonly #watches = new Map<string, { dispose(): void }>();
  readonly #changedIds = new Set<string>();
  readonly #scans = new Map<string, SessionScan>();
  readonly #ready: Promise<void>;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #listing: Promise<readonly SessionSummary[]> | undefined;
  #listChanged = false;
  #disposed = false;

  constructor(environment: SessionEnvironment, places: readonly [string, ...string[]]) {
    const { files, now } = environment;
    this.#environment = environment;
    this.#ownPlace = places[0];
    this.#places = [...new Set(places)].map((path) => ({
      path,
      index: new SessionIndex(files, path),
      deleted: new DeletedSessions(files, path, now),
    }));
    this.#ready = this.#prepare();
  }

  /** One reading of the folders serves all who ask while it runs. */
  list(): Promise<readonly SessionSummary[]> {
    this.#listing ??= this.#list().finally(() => {
      this.#listing = undefined;
    });
    return this.#listing;
  }

  async create(options: NewSession): Promise<string> {
    const id = await createSession(this.#environment, this.#ownPlace, options);
    await this.#watch();
    this.#changed();
    return id;
  }

  async open(id: string): Promise<OpenSession> {
    const place = await this.#placeOf(id);
    return this.#shared.take(id, () => openSessionFile(this.#environment, place.path, id));
  }

  async tail(id: string, count: number): Promise<readonly LogEntry[]> {
    const place = await this.#placeOf(id);
    return readSessionTail(this.#environment, place.path, id, count);
  }

  async rename(id: string, title: string): Promise<void> {
    const entry: TitleEntry = {
      type: "title",
      id: this.#environment.newId(),
      at: this.#environment.now(),
      title,
    };
    const session = await this.open(id);
    try {
      await session.append([entry], "boundary");
    } finally {
      await session.close();
    }
    this.#changed();
  }

  async delete(id: string): Promise<void> {
    const place = await this.#placeOf(id);
    const paths = sessionPaths(place.path, id);
    const { title } = await this.#summary(place, id);
    await this.#shared.close(id);
    const claim = await WriteClaim.take(this.#environment, paths.claims, { force: false });
    if (!(claim instanceof WriteClaim)) {
      const holder = claim.heldBy === "" ? "another window" : claim.heldBy;
      throw new SessionError(
        "read_only",
        `The session is open in ${holder}. Close it there, then delete it.`,
      );
    }
    try {
      await place.deleted.add(id, title);
    } finally {
      await claim.release();
    }
    await this.#environment.files.remove(paths.claims);
    this.#scans.delete(`${place.path}/${id}`);
    this.#changed();
  }

  async restore(id: string): Promise<void> {
    for (const place of this.#places) {
      if (!isSessionId(id) || !(await place.deleted.has(id))) continue;
      await place.deleted.restore(id);
      this.#changed();
      return;
    }
    throw new SessionError("not_found", `There is no deleted session ${JSON.stringify(id)}.`);
  }

  async deleted(): Promise<readonly DeletedSession[]> {
    const lists = await Promise.all(this.#places.map((place) => place.deleted.list()));
    return lists.flat().sort((a, b) => b.deletedAt - a.deletedAt);
  }

  async *search(query: string, signal: AbortSignal): ReturnType<SessionStore["search"]> {
    const words = searchWords(query);
    if (words.length === 0) return;
    for (const session of await this.list()) {
      if (signal.aborted) return;
      if (holdsAll(session.title, words)) yield { session, excerpt: session.title };
      else {
        const match = await this.#matchIn(session, words, signal);
        if (match !== undefined) yield { session, ...match };
      }
    }
  }

  onDidChange(listener: () => void): { dispose(): void } {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  }

  async dispose(): Promise<void> {
    this.#disposed = true;
    clearTimeout(this.#timer);
    for (const watch of this.#watches.values()) watch.dispose();
    this.#listeners.clear();
    await this.#ready;
    await this.#listing?.catch(() => undefined);
    await this.#shared.closeAll();
  }

  /** An index that cannot be read and deleted sessions that cannot be purged are no reason to show no list. */
  async #prepare(): Promise<void> {
    for (const { index, deleted } of this.#places) {
      await index.load();
      await deleted.purge().catch(() => undefined);
    }
    await this.#watch();
  }

  async #list(): Promise<readonly SessionSummary[]> {
    await this.#ready;
    const found: SessionSummary[] = [];
    for (const place of this.#places) {
      const ids = (await this.#environment.files.list(place.path).catch(() => []))
        .filter((name) => name.endsWith(LOG_SUFFIX))
        .map((name) => name.slice(0, -LOG_SUFFIX.length))
        .filter(isSessionId);
      for (const id of ids) {
        // The same session in two places (a copied folder): the first place's is the one that `open` finds.
        if (found.some((session) => session.id === id)) continue;
        if (await this.#isThere(place, id)) found.push(await this.#summary(place, id));
      }
      place.index.keepOnly(new Set(ids));
      await place.index.save();
    }
    await this.#watch();
    return found.sort((a, b) => b.updatedAt - a.updatedAt);
  }

  async #isThere(place: Place, id: string): Promise<boolean> {
    const stat = await this.#environment.files.stat(sessionPaths(place.path, id).log).catch(() => undefined);
    return stat === undefined || !stat.isFolder;
  }

  /** A log that cannot be read is listed by its name: nothing on the disk is hidden. */
  async #summary(place: Place, id: string): Promise<SessionSummary> {
    const { files } = this.#environment;
    const unreadable = {
      id,
      title: id,
      createdAt: 0,
      updatedAt: 0,
      messageCount: 0,
      generation: 0,
      bytes: 0,
    };
    try {
      const stat = await files.stat(sessionPaths(place.path, id).log);
      if (stat === undefined) return { ...unreadable, problems: 1, place: place.path };
      const open = this.#shared.get(id);
      if (open !== undefined) return summaryOf(open.state, place.path, stat.bytes);
      const known = place.index.get(id, stat);
      if (known !== undefined) return known;
      const summary = await this.#scan(place, id);
      place.index.set(id, stat, summary);
      return summary;
    } catch {
      this.#scans.delete(`${place.path}/${id}`);
      return { ...unreadable, problems: 1, place: place.path };
    }
  }

  async #scan(place: Place, id: string): Promise<SessionSummary> {
    const key = `${place.path}/${id}`;
    const scan = this.#scans.get(key) ?? new SessionScan(this.#environment.files, place.path, id);
    this.#scans.delete(key);
    // Only what another window is writing changes again; the first reading of an old log is its last.
    if ((await WriteClaim.holder(this.#environment, sessionPaths(place.path, id).claims)) !== undefined) {
      this.#scans.set(key, scan);
    }
    for (const oldest of this.#scans.keys()) {
      if (this.#scans.size <= MOST_KEPT_SCANS) break;
      this.#scans.delete(oldest);
    }
    return scan.read();
  }

  async #matchIn(session: SessionSummary, words: readonly string[], signal: AbortSignal) {
    try {
      return await findInLog(this.#environment, session.place, session.id, words, signal);
    } catch {
      // A log that cannot be read holds no match; the list says that it cannot be read.
      return undefined;
    }
  }

  async #placeOf(id: string): Promise<Place> {
    if (isSessionId(id)) {
      for (const place of this.#places) {
        if ((await this.#environment.files.stat(sessionPaths(place.path, id).log)) !== undefined)
          return place;
      }
    }
    throw new SessionError("not_found", `There is no session ${JSON.stringify(id)} in this workspace.`);
  }

  /** A place that does not exist yet is watched once it does. */
  async #watch(): Promise<void> {
    for (const { path } of this.#places) {
      if (this.#watches.has(path) || this.#disposed) continue;
      if ((await this.#environment.files.stat(path).catch(() => undefined)) === undefined) continue;
      this.#watches.set(
        path,
        this.#environment.files.watch(path, (name) => this.#fileChanged(name)),
      );
    }
  }

  /** A file of claims changes with every sign of life: that is news for a waiting window, none for a list. */
  #fileChanged(name: string | undefined): void {
    const file = name === undefined ? undefined : /^(.+)\.(jsonl|claims)$/.exec(name);
    if (file === null) return;
    this.#changedIds.add(file?.[1] ?? "");
    this.#listChanged ||= file?.[2] !== "claims";
    this.#timer ??= setTimeout(() => this.#tellChanges(), CHANGE_DELAY_MS);
    this.#timer.unref();
  }

  #tellChanges(): void {
    this.#timer = undefined;
    const ids = new Set(this.#changedIds);
    this.#changedIds.clear();
    for (const session of this.#shared.open()) {
      // A session that cannot be read just now is read with the next change, or when somebody asks.
      if (ids.has(session.id) || ids.has("")) session.refresh().catch(() => undefined);
    }
    if (this.#listChanged) this.#changed();
    this.#listChanged = false;
  }

  #changed(): void {
    if (this.#disposed) return;
    for (const listener of this.#listeners) listener();
  }
}
