import * as vscode from "vscode";
import type { ActiveSession } from "./activeSession.ts";
import { commands } from "./contributions.ts";
import { hoverCommands, hoverFacts, hoverStaleInMs, meterHover } from "./meterHover.ts";
import type { MeterBackground } from "./meterText.ts";
import { meterText } from "./meterText.ts";

const COALESCE_MS = 150;
/** Right side; left of the editor's own entries, which lie around 100. */
const PRIORITY = 101;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

const backgrounds: Readonly<Record<MeterBackground, vscode.ThemeColor | undefined>> = {
  none: undefined,
  warning: new vscode.ThemeColor("statusBarItem.warningBackground"),
  error: new vscode.ThemeColor("statusBarItem.errorBackground"),
};

/** The meter: renders the active session's reading, and only when that, or an age in the hover, has changed. */
export class StatusBar implements vscode.Disposable {
  readonly #sessions: ActiveSession;
  readonly #item: vscode.StatusBarItem;
  readonly #subscriptions: vscode.Disposable[];
  #pending: NodeJS.Timeout | undefined;
  #ageTimer: NodeJS.Timeout | undefined;
  #hover = "";

  constructor(sessions: ActiveSession) {
    this.#sessions = sessions;
    this.#item = vscode.window.createStatusBarItem("meter", vscode.StatusBarAlignment.Right, PRIORITY);
    this.#item.name = vscode.l10n.t("Context Meter");
    this.#item.command = commands.showMeterActions;
    this.#subscriptions = [
      sessions.onDidChangeActive(() => this.#render()),
      sessions.onDidChange(() => this.#renderSoon()),
    ];
    this.#render();
  }

  dispose(): void {
    clearTimeout(this.#pending);
    clearTimeout(this.#ageTimer);
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#item.dispose();
  }

  #renderSoon(): void {
    this.#pending ??= setTimeout(() => this.#render(), COALESCE_MS);
  }

  #render(): void {
    clearTimeout(this.#pending);
    clearTimeout(this.#ageTimer);
    this.#pending = undefined;
    this.#ageTimer = undefined;
    const live = this.#sessions.current;
    if (live === undefined) {
      this.#item.hide();
      return;
    }
    const reading = live.meter;
    const { text, background, spoken } = meterText(reading);
    const now = Date.now();
    const hover = meterHover(reading, hoverFacts(live, now));
    this.#item.text = text;
    this.#item.backgroundColor = backgrounds[background];
    this.#item.accessibilityInformation = { label: spoken };
    if (hover !== this.#hover) {
      this.#hover = hover;
      const tooltip = new vscode.MarkdownString(hover, true);
      tooltip.isTrusted = { enabledCommands: hoverCommands };
      this.#item.tooltip = tooltip;
    }
    this.#item.show();
    const staleInMs = hoverStaleInMs(reading, now);
    if (staleInMs !== undefined) {
      this.#ageTimer = setTimeout(() => this.#render(), Math.min(staleInMs, LONGEST_TIMER_MS));
    }
  }
}
