import type { OpenSession } from "./session.ts";

interface Shared {
  readonly opened: Promise<OpenSession>;
  session: OpenSession | undefined;
  readers: number;
}

/** One open file a session, however many ask for it in this window; it closes with the last of them. */
export class SharedSessions {
  readonly #shared = new Map<string, Shared>();

  /** Sessions that are open now. */
  *open(): Iterable<OpenSession> {
    for (const { session } of this.#shared.values()) if (session !== undefined) yield session;
  }

  get(id: string): OpenSession | undefined {
    return this.#shared.get(id)?.session;
  }

  async take(id: string, open: () => Promise<OpenSession>): Promise<OpenSession> {
    let shared = this.#shared.get(id);
    if (shared === undefined) {
      const created: Shared = { opened: open(), session: undefined, readers: 0 };
      shared = created;
      this.#shared.set(id, created);
      created.opened.then(
        (session) => {
          created.session = session;
        },
        () => this.#shared.delete(id),
      );
    }
    const mine = shared;
    mine.readers += 1;
    const session = await mine.opened;
    return readerOf(session, async () => {
      mine.readers -= 1;
      if (mine.readers > 0) return;
      if (this.#shared.get(id) === mine) this.#shared.delete(id);
      await session.close();
    });
  }

  /** Closes it for everybody. */
  async close(id: string): Promise<void> {
    const shared = this.#shared.get(id);
    this.#shared.delete(id);
    const session = await shared?.opened.catch(() => undefined);
    await session?.close();
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#shared.keys()].map((id) => this.close(id)));
  }
}

/** The session as one of its readers has it: closing it closes that reader's view alone. */
function readerOf(session: OpenSession, closed: () => Promise<void>): OpenSession {
  const subscriptions: { dispose(): void }[] = [];
  let isClosed = false;
  return {
    id: session.id,
    get state() {
      return session.state;
    },
    get readOnly() {
      return session.readOnly;
    },
    append: (entries, durability) => session.append(entries, durability),
    recover: (digest) => session.recover(digest),
    isStored: (digest) => session.isStored(digest),
    indexDigests: () => session.indexDigests(),
    takeOver: () => session.takeOver(),
    refresh: () => session.refresh(),
    onDidChange(listener) {
      const subscription = session.onDidChange(listener);
      subscriptions.push(subscription);
      return subscription;
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      for (const subscription of subscriptions) subscription.dispose();
      await closed();
    },
  };
}
