import type { NewSession } from "./createSession.ts";
import { createSession } from "./createSession.ts";
import type { LogEntry, TitleEntry } from "./entries.ts";
import { Listeners } from "./listeners.ts";
import type { PlaceChange } from "./placeWatch.ts";
import { PlaceWatch } from "./placeWatch.ts";
import type { DeletedSession, OpenSession, SessionStore, SessionSummary } from "./session.ts";
import { SessionError } from "./session.ts";
import { openSessionFile } from "./sessionFile.ts";
import type { SessionEnvironment } from "./sessionFiles.ts";
import { isSessionId, sessionPaths } from "./sessionPaths.ts";
import type { MessageMatch } from "./sessionSearch.ts";
import { findInLog, holdsAll, searchWords } from "./sessionSearch.ts";
import { readSessionTail } from "./sessionTail.ts";
import { SharedSessions } from "./sharedSessions.ts";
import { StoragePlace } from "./storagePlace.ts";
import { WriteClaim } from "./writeClaim.ts";

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

class FolderStore implements SessionStore {
  readonly #environment: SessionEnvironment;
  readonly #places: StoragePlace[];
  readonly #ownPlace: string;
  readonly #shared = new SharedSessions();
  readonly #listeners = new Listeners();
  readonly #watch: PlaceWatch;
  readonly #ready: Promise<void>;
  #listing: Promise<readonly SessionSummary[]> | undefined;

  constructor(environment: SessionEnvironment, places: readonly [string, ...string[]]) {
    this.#environment = environment;
    this.#ownPlace = places[0];
    this.#places = [...new Set(places)].map((path) => new StoragePlace(environment, path));
    this.#watch = new PlaceWatch(environment.files, (change) => this.#filesChanged(change));
    this.#ready = this.#prepare();
  }

  /** One reading of the folders serves all who ask while it runs. */
  list(): Promise<readonly SessionSummary[]> {
    this.#listing ??= this.#list().finally(() => {
      this.#listing = undefined;
    });
    return this.#listing;
  }

  async addPlaces(paths: readonly string[]): Promise<void> {
    await this.#ready;
    const known = new Set(this.#places.map(({ path }) => path));
    const added = [...new Set(paths)].filter((path) => !known.has(path));
    if (added.length === 0) return;
    const places = added.map((path) => new StoragePlace(this.#environment, path));
    for (const place of places) await place.prepare();
    this.#places.push(...places);
    await this.#watchAll();
    // A listing that began before does not hold them.
    await this.#listing?.catch(() => undefined);
    this.#listeners.tell();
  }

  async create(options: NewSession): Promise<string> {
    const id = await createSession(this.#environment, this.#ownPlace, options);
    await this.#watch.add(this.#ownPlace);
    this.#listeners.tell();
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
    const { newId, now } = this.#environment;
    const entry: TitleEntry = { type: "title", id: newId(), at: now(), title };
    const session = await this.open(id);
    try {
      await session.append([entry], "boundary");
    } finally {
      await session.close();
    }
    this.#listeners.tell();
  }

  async delete(id: string): Promise<void> {
    const place = await this.#placeOf(id);
    const { claims } = sessionPaths(place.path, id);
    const { title } = await place.summary(id, this.#shared.get(id)?.state);
    await this.#shared.close(id);
    const claim = await WriteClaim.take(this.#environment, claims, { force: false });
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
    await this.#environment.files.remove(claims);
    place.forget(id);
    this.#listeners.tell();
  }

  async restore(id: string): Promise<void> {
    for (const { deleted } of this.#places) {
      if (!isSessionId(id) || !(await deleted.has(id))) continue;
      await deleted.restore(id);
      this.#listeners.tell();
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
    return this.#listeners.add(listener);
  }

  async dispose(): Promise<void> {
    this.#watch.dispose();
    this.#listeners.clear();
    await this.#ready;
    await this.#listing?.catch(() => undefined);
    await this.#shared.closeAll();
  }

  async #prepare(): Promise<void> {
    for (const place of this.#places) await place.prepare();
    await this.#watchAll();
  }

  async #list(): Promise<readonly SessionSummary[]> {
    await this.#ready;
    const found = new Map<string, SessionSummary>();
    for (const place of this.#places) {
      for (const session of await place.list((id) => this.#shared.get(id)?.state)) {
        // The same session in two places (a copied folder): the first place's is the one that `open` finds.
        if (!found.has(session.id)) found.set(session.id, session);
      }
    }
    await this.#watchAll();
    return [...found.values()].sort((a, b) => b.updatedAt - a.updatedAt);
  }

  async #matchIn(
    session: SessionSummary,
    words: readonly string[],
    signal: AbortSignal,
  ): Promise<MessageMatch | undefined> {
    try {
      return await findInLog(this.#environment, session.place, session.id, words, signal);
    } catch {
      // A log that cannot be read holds no match; the list says that it cannot be read.
      return undefined;
    }
  }

  async #placeOf(id: string): Promise<StoragePlace> {
    for (const place of this.#places) if (await place.has(id)) return place;
    throw new SessionError("not_found", `There is no session ${JSON.stringify(id)} in this workspace.`);
  }

  /** A place that does not exist yet is watched once it does. */
  async #watchAll(): Promise<void> {
    for (const { path } of this.#places) await this.#watch.add(path);
  }

  #filesChanged({ ids, logs }: PlaceChange): void {
    for (const session of this.#shared.open()) {
      // A session that cannot be read just now is read with the next change, or when somebody asks.
      if (ids === undefined || ids.has(session.id)) session.refresh().catch(() => undefined);
    }
    if (logs) this.#listeners.tell();
  }
}
