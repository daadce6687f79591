import * as vscode from "vscode";
import type { LiveSession } from "../engine/liveSession.ts";
import type { ActiveSession } from "./activeSession.ts";
import type { ContextKey } from "./contributions.ts";
import { contextKeys } from "./contributions.ts";

/** Keeps the context keys, on which menus and welcome views hang, equal to the active session's state. */
export class SessionContext implements vscode.Disposable {
  readonly #set = new Map<ContextKey, boolean>();
  readonly #subscriptions: vscode.Disposable[];

  constructor(sessions: ActiveSession) {
    const update = (): void => this.#update(sessions.current);
    this.#subscriptions = [sessions.onDidChangeActive(update), sessions.onDidChange(update)];
    update();
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  #update(live: LiveSession | undefined): void {
    for (const [key, value] of Object.entries(stateKeys(live))) {
      if (this.#set.get(key as ContextKey) === value) continue;
      this.#set.set(key as ContextKey, value);
      void vscode.commands.executeCommand("setContext", key, value);
    }
  }
}

/** The value of each key that hangs on the active session. */
export function stateKeys(live: LiveSession | undefined): Readonly<Record<string, boolean>> {
  const meter = live?.meter;
  const context = live?.context;
  const standing = context?.generations.filter(({ undone }) => !undone) ?? [];
  return {
    [contextKeys.sessionOpen]: live !== undefined,
    [contextKeys.readOnly]: meter?.readOnly ?? false,
    [contextKeys.running]: meter?.running !== undefined,
    [contextKeys.canUndo]: (context?.runs.length ?? 0) > 0,
    [contextKeys.hasCapsule]: context?.summary !== undefined,
    [contextKeys.canCompare]: standing.length > 1,
    [contextKeys.hasReceipt]: (context?.receipts.length ?? 0) > 0,
    [contextKeys.automaticOff]: meter !== undefined && (meter.automatic !== "on" || meter.automaticPaused),
  };
}
