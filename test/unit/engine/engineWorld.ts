import type { Message } from "../../../src/core/messages.ts";
import { defaultPolicy } from "../../../src/core/policy.ts";
import { createLiveSession } from "../../../src/engine/createLiveSession.ts";
import type { EngineSettings, LiveSession } from "../../../src/engine/liveSession.ts";
import type { LogEntry } from "../../../src/sessions/entries.ts";
import { openSessionStore } from "../../../src/sessions/sessionStore.ts";
import { TestClock } from "../core/ladderWorld.ts";
import { environment, TemporaryPlace } from "../sessions/sessionBench.ts";

/** Sessions in a temporary folder, opened by real engines. */
export class EngineWorld {
  readonly place = new TemporaryPlace();
  readonly store = openSessionStore(environment(), [this.place.path]);
  readonly clock = new TestClock();
  settings: EngineSettings = {
    policy: { ...defaultPolicy, keepRecentTokens: 300, keepRecentTurns: 1 },
    automatic: "off",
    estimatedMode: false,
    summaryMaxTokens: 2048,
  };
  readonly #open = new Set<LiveSession>();
  #ids = 0;

  create(messages: readonly Message[]): Promise<string> {
    const entries = messages.map(
      (message): LogEntry => ({ type: "message", id: message.id, at: 1, message }),
    );
    return this.store.create({ title: "A long day", entries });
  }

  async open(id: string): Promise<LiveSession> {
    const live = await createLiveSession({
      file: await this.store.open(id),
      settings: () => this.settings,
      clock: this.clock,
      newId: () => `engine-${++this.#ids}`,
      pause: () => new Promise((resolve) => setImmediate(resolve)),
    });
    this.#open.add(live);
    return live;
  }

  async start(messages: readonly Message[]): Promise<LiveSession> {
    return this.open(await this.create(messages));
  }

  /** Closes and opens again, as a reload of the window does. */
  async reload(live: LiveSession): Promise<LiveSession> {
    this.#open.delete(live);
    await live.dispose();
    return this.open(live.id);
  }

  async end(): Promise<void> {
    for (const live of this.#open) await live.dispose();
    await this.store.dispose();
    this.place[Symbol.dispose]();
  }
}
