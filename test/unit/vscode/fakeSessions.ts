import type { CompactOutcome } from "../../../src/core/compactionOutcome.ts";
import type { ContextState } from "../../../src/core/projection.ts";
import type { CompactRequest, LiveSession, MeterReading } from "../../../src/engine/liveSession.ts";
import type { OpenSession, SessionStore, SessionSummary } from "../../../src/sessions/session.ts";
import { SessionError } from "../../../src/sessions/session.ts";
import { calm } from "./meterReadings.ts";

/** Sessions by title; what is open and what was closed is on `log`. */
export class FakeStore {
  readonly titles = new Map<string, string>();
  readonly log: string[] = [];
  readonly listeners = new Set<() => void>();

  readonly store = {
    list: async () => [...this.titles].map(([id, title]) => ({ id, title }) as SessionSummary),
    create: async ({ title }: { title: string }) => {
      this.titles.set(title, title);
      return title;
    },
    open: async (id: string) => {
      if (!this.titles.has(id)) throw new SessionError("not_found", id);
      this.log.push(`open ${id}`);
      return {
        id,
        readOnly: undefined,
        close: async () => this.log.push(`close file ${id}`),
      } as unknown as OpenSession;
    },
    onDidChange: (listener: () => void) => {
      this.listeners.add(listener);
      return { dispose: () => this.listeners.delete(listener) };
    },
    addPlaces: async (paths: readonly string[]) => {
      this.log.push(`add ${paths.join()}`);
    },
    dispose: async () => {
      this.log.push("dispose store");
    },
  } as unknown as SessionStore;
}

export class FakeLive {
  readonly id: string;
  readonly file: OpenSession;
  readonly listeners = new Set<() => void>();
  meter: MeterReading;
  context = { runs: [], generations: [], receipts: [], summary: undefined } as unknown as ContextState;
  /** How `compact` ends. */
  run: (request: CompactRequest) => Promise<CompactOutcome> = () => new Promise(() => {});
  readonly #store: FakeStore;

  constructor(file: OpenSession, store: FakeStore) {
    this.id = file.id;
    this.file = file;
    this.#store = store;
    this.meter = { ...calm, sessionId: file.id, title: file.id };
  }

  get session(): LiveSession {
    return this as unknown as LiveSession;
  }

  onDidChange(listener: () => void): { dispose(): void } {
    this.listeners.add(listener);
    return { dispose: () => this.listeners.delete(listener) };
  }

  change(meter: Partial<MeterReading>): void {
    this.meter = { ...this.meter, ...meter };
    for (const listener of this.listeners) listener();
  }

  compact(request: CompactRequest): Promise<CompactOutcome> {
    return this.run(request);
  }

  async dispose(): Promise<void> {
    await this.#closed;
    this.#store.log.push(`dispose ${this.id}`);
  }

  #closed: Promise<void> = Promise.resolve();
  /** `dispose` waits for it. */
  closeAfter(gate: Promise<void>): void {
    this.#closed = gate;
  }
}
