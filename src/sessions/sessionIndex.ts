import type { SessionSummary } from "./session.ts";
import type { FileStat, SessionFiles } from "./sessionFiles.ts";

export const INDEX_NAME = "index.json";
const INDEX_VERSION = 1;

/** A summary and the file that it was made from, as that file was then. */
interface IndexedSession extends FileStat {
  readonly summary: SessionSummary;
}

/**
 * Summaries of a place's sessions, kept in a file that may be lost or wrong at any time: an entry counts only while
 * size, time and identity of its log are the same, and the file as a whole only with its own digest.
 */
export class SessionIndex {
  readonly #files: SessionFiles;
  readonly #place: string;
  #sessions = new Map<string, IndexedSession>();
  #changed = false;

  constructor(files: SessionFiles, place: string) {
    this.#files = files;
    this.#place = place;
  }

  async load(): Promise<void> {
    try {
      const content = Buffer.from(await this.#files.read(this.#path)).toString("utf8");
      this.#sessions = parsedIndex(content, (text) => this.#files.sha256(text));
    } catch {
      this.#sessions = new Map();
    }
  }

  get(id: string, stat: FileStat): SessionSummary | undefined {
    const known = this.#sessions.get(id);
    const isSame =
      known !== undefined &&
      known.bytes === stat.bytes &&
      known.modifiedMs === stat.modifiedMs &&
      known.identity === stat.identity;
    return isSame ? { ...known.summary, place: this.#place } : undefined;
  }

  set(id: string, stat: FileStat, summary: SessionSummary): void {
    this.#sessions.set(id, { ...stat, summary });
    this.#changed = true;
  }

  /** Forgets sessions that are no more. */
  keepOnly(ids: ReadonlySet<string>): void {
    for (const id of this.#sessions.keys()) {
      if (ids.has(id)) continue;
      this.#sessions.delete(id);
      this.#changed = true;
    }
  }

  /** A failure is left for the next time: everything can be made again from the logs. */
  async save(): Promise<void> {
    if (!this.#changed) return;
    this.#changed = false;
    const sessions = JSON.stringify(Object.fromEntries(this.#sessions));
    const digest = this.#files.sha256(sessions);
    const content = `{"version":${INDEX_VERSION},"digest":"${digest}","sessions":${JSON.stringify(sessions)}}`;
    try {
      await this.#files.writeWhole(this.#path, [Buffer.from(content)]);
    } catch {
      this.#changed = true;
    }
  }

  get #path(): string {
    return `${this.#place}/${INDEX_NAME}`;
  }
}

function parsedIndex(content: string, sha256: (text: string) => string): Map<string, IndexedSession> {
  const index = JSON.parse(content) as { version?: unknown; digest?: unknown; sessions?: unknown };
  if (index.version !== INDEX_VERSION || typeof index.sessions !== "string") return new Map();
  if (sha256(index.sessions) !== index.digest) return new Map();
  return new Map(Object.entries(JSON.parse(index.sessions) as Record<string, IndexedSession>));
}
