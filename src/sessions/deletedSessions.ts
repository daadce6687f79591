import type { DeletedSession } from "./session.ts";
import { SessionError } from "./session.ts";
import type { SessionFiles } from "./sessionFiles.ts";
import { sessionPaths } from "./sessionPaths.ts";

export const DELETED_FOLDER = "deleted";
export const KEEP_DELETED_DAYS = 30;
const DAY_MS = 24 * 60 * 60 * 1000;
const MARKER_NAME = "deleted.json";

/** The deleted sessions of one place: each a folder with the session's files and a note of title and time. */
export class DeletedSessions {
  readonly #files: SessionFiles;
  readonly #place: string;
  readonly #now: () => number;

  constructor(files: SessionFiles, place: string, now: () => number) {
    this.#files = files;
    this.#place = place;
    this.#now = now;
  }

  /** The log goes first, so that a session is either in the list, whole, or here. */
  async add(id: string, title: string): Promise<void> {
    const folder = this.#folderOf(id);
    await this.#files.makeFolder(folder);
    const marker = JSON.stringify({ id, title, deletedAt: this.#now() });
    await this.#files.writeWhole(`${folder}/${MARKER_NAME}`, [Buffer.from(marker)]);
    const from = sessionPaths(this.#place, id);
    const to = sessionPaths(folder, id);
    await this.#files.move(from.log, to.log);
    await this.#moveIfThere(from.torn, to.torn);
    await this.#moveIfThere(from.blobs, to.blobs);
  }

  /** The log goes last. */
  async restore(id: string): Promise<void> {
    const folder = this.#folderOf(id);
    const from = sessionPaths(folder, id);
    const to = sessionPaths(this.#place, id);
    if ((await this.#files.stat(to.log)) !== undefined) {
      throw new SessionError("write_failed", `A session ${id} is in the list already. Nothing was restored.`);
    }
    await this.#moveIfThere(from.blobs, to.blobs);
    await this.#moveIfThere(from.torn, to.torn);
    await this.#files.move(from.log, to.log);
    await this.#files.remove(folder);
  }

  async has(id: string): Promise<boolean> {
    return (await this.#files.stat(sessionPaths(this.#folderOf(id), id).log)) !== undefined;
  }

  async list(): Promise<readonly DeletedSession[]> {
    const found: DeletedSession[] = [];
    for (const id of await this.#files.list(this.#folder)) {
      if (await this.has(id)) found.push(await this.#marker(id));
    }
    return found.sort((a, b) => b.deletedAt - a.deletedAt);
  }

  /** Removes for good what was deleted more than 30 days ago. */
  async purge(): Promise<void> {
    for (const id of await this.#files.list(this.#folder)) {
      const { deletedAt } = await this.#marker(id);
      if (this.#now() - deletedAt > KEEP_DELETED_DAYS * DAY_MS) await this.#files.remove(this.#folderOf(id));
    }
  }

  get #folder(): string {
    return `${this.#place}/${DELETED_FOLDER}`;
  }

  #folderOf(id: string): string {
    return `${this.#folder}/${id}`;
  }

  async #marker(id: string): Promise<DeletedSession> {
    try {
      const content = await this.#files.read(`${this.#folderOf(id)}/${MARKER_NAME}`);
      const marker = JSON.parse(Buffer.from(content).toString("utf8")) as Partial<DeletedSession>;
      if (typeof marker.title === "string" && typeof marker.deletedAt === "number") {
        return { id, title: marker.title, deletedAt: marker.deletedAt };
      }
    } catch {
      // The folder's own time stands in for a note that is gone.
    }
    const stat = await this.#files.stat(this.#folderOf(id));
    return { id, title: id, deletedAt: stat?.modifiedMs ?? this.#now() };
  }

  /** A move that was interrupted once goes on: what is at its goal already stays there. */
  async #moveIfThere(from: string, to: string): Promise<void> {
    const source = await this.#files.stat(from);
    if (source === undefined) return;
    const target = await this.#files.stat(to);
    if (!source.isFolder || target === undefined) {
      await this.#files.move(from, to);
      return;
    }
    for (const name of await this.#files.list(from))
      await this.#files.move(`${from}/${name}`, `${to}/${name}`);
    await this.#files.remove(from);
  }
}
