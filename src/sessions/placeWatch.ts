import type { SessionFiles } from "./sessionFiles.ts";

/** Changes of files come in bursts. */
const CHANGE_DELAY_MS = 100;

export interface PlaceChange {
  /** Sessions whose files changed; undefined = the system did not say which. */
  readonly ids: ReadonlySet<string> | undefined;
  /** A log changed, came or went: what a list shows may be old. */
  readonly logs: boolean;
}

/** Watches the folders of some places, as far as the system tells. */
export class PlaceWatch {
  readonly #files: SessionFiles;
  readonly #changed: (change: PlaceChange) => void;
  readonly #watches = new Map<string, { dispose(): void }>();
  #ids = new Set<string>();
  #isVague = false;
  #logs = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #disposed = false;

  constructor(files: SessionFiles, changed: (change: PlaceChange) => void) {
    this.#files = files;
    this.#changed = changed;
  }

  /** A folder that does not exist is left for the next call. */
  async add(folder: string): Promise<void> {
    if (this.#watches.has(folder)) return;
    if ((await this.#files.stat(folder).catch(() => undefined)) === undefined) return;
    if (this.#disposed || this.#watches.has(folder)) return;
    this.#watches.set(
      folder,
      this.#files.watch(folder, (name) => this.#fileChanged(name)),
    );
  }

  dispose(): void {
    this.#disposed = true;
    clearTimeout(this.#timer);
    for (const watch of this.#watches.values()) watch.dispose();
  }

  /** A file of claims changes with every sign of life: that is news for a waiting window, none for a list. */
  #fileChanged(name: string | undefined): void {
    const file = name === undefined ? undefined : /^(.+)\.(jsonl|claims)$/.exec(name);
    if (file === null || this.#disposed) return;
    if (file?.[1] === undefined) this.#isVague = true;
    else this.#ids.add(file[1]);
    this.#logs ||= file?.[2] !== "claims";
    this.#timer ??= setTimeout(() => this.#tell(), CHANGE_DELAY_MS);
    this.#timer.unref();
  }

  #tell(): void {
    const change = { ids: this.#isVague ? undefined : this.#ids, logs: this.#logs };
    this.#timer = undefined;
    this.#ids = new Set();
    this.#isVague = false;
    this.#logs = false;
    this.#changed(change);
  }
}
