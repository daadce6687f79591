import type * as vscode from "vscode";
import type { MeterReading } from "../engine/liveSession.ts";
import type { ActiveSession } from "./activeSession.ts";
import type { Fullness } from "./meterText.ts";

const STATE_KEY = "lastFullness";
const REMEMBERED_SESSIONS = 500;

/**
 * How full each session was when it was last open here: the list shows it without replaying a file. Written when
 * another session becomes active and when this window closes, not on each change.
 */
export class FullnessMemory implements vscode.Disposable {
  readonly #sessions: ActiveSession;
  readonly #workspaceState: vscode.Memento;
  readonly #subscription: vscode.Disposable;
  readonly #readings: Map<string, Fullness>;
  #last: MeterReading | undefined;

  constructor(sessions: ActiveSession, workspaceState: vscode.Memento) {
    this.#sessions = sessions;
    this.#workspaceState = workspaceState;
    this.#readings = new Map(workspaceState.get<[string, Fullness][]>(STATE_KEY) ?? []);
    this.#subscription = sessions.onDidChangeActive((live) => {
      this.#store();
      this.#last = live?.meter;
    });
  }

  of(sessionId: string): Fullness | undefined {
    const live = this.#sessions.current;
    if (live?.id === sessionId) return live.meter;
    return this.#readings.get(sessionId);
  }

  /** The active session's reading changed. */
  note(meter: MeterReading): void {
    this.#last = meter;
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#store();
  }

  #store(): void {
    if (this.#last === undefined) return;
    const { sessionId, fraction, usedTokens, basis } = this.#last;
    this.#readings.delete(sessionId);
    this.#readings.set(sessionId, {
      basis,
      ...(fraction === undefined ? {} : { fraction }),
      ...(usedTokens === undefined ? {} : { usedTokens }),
    });
    for (const oldest of this.#readings.keys()) {
      if (this.#readings.size <= REMEMBERED_SESSIONS) break;
      this.#readings.delete(oldest);
    }
    void this.#workspaceState.update(STATE_KEY, [...this.#readings]);
  }
}
