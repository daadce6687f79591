import * as vscode from "vscode";
import type { LiveSession } from "../engine/liveSession.ts";
import type { OpenSession, SessionStore } from "../sessions/session.ts";

export interface ActiveSessionOptions {
  /** Reads the code of the rooms below on first use. */
  readonly openStore: () => Promise<SessionStore>;
  readonly openLive: (file: OpenSession) => Promise<LiveSession>;
  /** Remembers the active session over a reload of the window. */
  readonly workspaceState: vscode.Memento;
}

export type NewSession = Parameters<SessionStore["create"]>[0];

const ACTIVE_SESSION_KEY = "activeSessionId";

interface OpenedSession {
  readonly live: Promise<LiveSession>;
  holders: number;
}

/**
 * The only owner of the session store and of every live session of this window. One of them is active: the meter and
 * the Capsules view show it. Others are open as long as somebody uses them (a chat, a run, a document).
 */
export class ActiveSession implements vscode.Disposable {
  readonly #options: ActiveSessionOptions;
  readonly #opened = new Map<string, OpenedSession>();
  readonly #closing = new Map<string, Promise<void>>();
  readonly #activeChanged = new vscode.EventEmitter<LiveSession | undefined>();
  readonly #changed = new vscode.EventEmitter<LiveSession>();
  readonly #listChanged = new vscode.EventEmitter<void>();
  #storeChanges: { dispose(): void } | undefined;
  #store: Promise<SessionStore> | undefined;
  #current: LiveSession | undefined;
  #currentChanges: { dispose(): void } | undefined;
  /** Switches happen one after the other. */
  #switching: Promise<unknown> = Promise.resolve();

  /** Another session is active, or none. */
  readonly onDidChangeActive = this.#activeChanged.event;
  /** The active session itself changed: its meter, its context, its file. */
  readonly onDidChange = this.#changed.event;
  /** Sessions were made, renamed, deleted or found, here or in another window. */
  readonly onDidChangeList = this.#listChanged.event;

  constructor(options: ActiveSessionOptions) {
    this.#options = options;
  }

  get current(): LiveSession | undefined {
    return this.#current;
  }

  /** Id of the session that was active when this window was last open; known before anything is read from disk. */
  get rememberedId(): string | undefined {
    return this.#options.workspaceState.get<string>(ACTIVE_SESSION_KEY);
  }

  /** The store, opened on first use; a failed attempt is not remembered. */
  store(): Promise<SessionStore> {
    this.#store ??= this.#options.openStore().then(
      (store) => {
        this.#storeChanges = store.onDidChange(() => this.#listChanged.fire());
        return store;
      },
      (error: unknown) => {
        this.#store = undefined;
        throw error;
      },
    );
    return this.#store;
  }

  /** Opens what was active before the reload; undefined where nothing was, or where it is gone. */
  async restore(): Promise<LiveSession | undefined> {
    const id = this.rememberedId;
    if (id === undefined || this.#current !== undefined) return this.#current;
    const known = await (await this.store()).list();
    if (known.some((session) => session.id === id)) return this.activate(id);
    await this.#remember(undefined);
    return undefined;
  }

  /** Makes a session the active one. Throws `SessionError`; the one active before stays then. */
  activate(id: string): Promise<LiveSession> {
    return this.#inTurn(async () => {
      if (this.#current?.id === id) return this.#current;
      const live = await this.#hold(id);
      await this.#replaceCurrent(live);
      return live;
    });
  }

  /** Makes a new session and activates it. */
  async create(session: NewSession): Promise<LiveSession> {
    const id = await (await this.store()).create(session);
    return this.activate(id);
  }

  /** No session is active afterwards. */
  deactivate(): Promise<void> {
    return this.#inTurn(() => this.#replaceCurrent(undefined));
  }

  /** Gives a live session for as long as `use` runs, whichever is active meanwhile. */
  async borrow<Result>(id: string, use: (live: LiveSession) => Promise<Result>): Promise<Result> {
    const live = await this.#hold(id);
    try {
      return await use(live);
    } finally {
      await this.#release(id);
    }
  }

  /** Whether somebody besides the views uses this session: a run, a chat, a document that loads. */
  isBusy(id: string): boolean {
    const holders = this.#opened.get(id)?.holders ?? 0;
    return holders > (this.#current?.id === id ? 1 : 0);
  }

  /** Lists the sessions of these places too. A store that nobody has opened yet finds them by itself. */
  async addPlaces(paths: readonly string[]): Promise<void> {
    await (await this.#store)?.addPlaces(paths);
  }

  /** Every session that is open in this window, the active one included. */
  async openSessions(): Promise<readonly LiveSession[]> {
    const settled = await Promise.allSettled([...this.#opened.values()].map(({ live }) => live));
    return settled.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  }

  dispose(): void {
    void this.close();
  }

  /** Closes all files; waits for them. What was active is remembered for the next start. */
  async close(): Promise<void> {
    this.#currentChanges?.dispose();
    const open = await this.openSessions();
    this.#opened.clear();
    this.#current = undefined;
    await Promise.allSettled(open.map((live) => live.dispose()));
    await this.#closeStore();
    for (const emitter of [this.#activeChanged, this.#changed, this.#listChanged]) emitter.dispose();
  }

  async #closeStore(): Promise<void> {
    this.#storeChanges?.dispose();
    const store = await this.#store?.catch(() => undefined);
    this.#store = undefined;
    await store?.dispose();
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#switching.then(work, work);
    this.#switching = result.catch(() => {});
    return result;
  }

  async #replaceCurrent(live: LiveSession | undefined): Promise<void> {
    const before = this.#current;
    if (before === live) return;
    this.#currentChanges?.dispose();
    this.#current = live;
    this.#currentChanges = live?.onDidChange(() => this.#changed.fire(live));
    await this.#remember(live?.id);
    this.#activeChanged.fire(live);
    if (before !== undefined) await this.#release(before.id);
  }

  async #remember(id: string | undefined): Promise<void> {
    await this.#options.workspaceState.update(ACTIVE_SESSION_KEY, id);
  }

  async #hold(id: string): Promise<LiveSession> {
    let opened = this.#opened.get(id);
    if (opened === undefined) {
      opened = { live: this.#open(id), holders: 0 };
      this.#opened.set(id, opened);
    }
    opened.holders += 1;
    try {
      return await opened.live;
    } catch (error) {
      if (this.#opened.get(id) === opened) this.#opened.delete(id);
      throw error;
    }
  }

  async #open(id: string): Promise<LiveSession> {
    await this.#closing.get(id);
    const file = await (await this.store()).open(id);
    try {
      return await this.#options.openLive(file);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  async #release(id: string): Promise<void> {
    const opened = this.#opened.get(id);
    if (opened === undefined) return;
    opened.holders -= 1;
    if (opened.holders > 0) return;
    this.#opened.delete(id);
    const closed = opened.live.then((live) => live.dispose()).finally(() => this.#closing.delete(id));
    this.#closing.set(id, closed);
    await closed;
  }
}
