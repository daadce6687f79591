import * as vscode from "vscode";
import type { Basis } from "../core/messages.ts";
import type { MeterReading } from "../engine/liveSession.ts";
import type { ActiveSession } from "./activeSession.ts";
import { commands } from "./contributions.ts";
import { showInformation } from "./notices.ts";
import type { Settings } from "./settings.ts";
import { excerpt, fullNumber } from "./words.ts";

const TITLE_CHARACTERS = 60;
const PROVIDER_BASES: ReadonlySet<Basis> = new Set<Basis>(["reported", "counted", "projected"]);

/**
 * Whether window pressure may act by itself: asked once a workspace, with the line shown, when a session first
 * reaches it. The answer is the declaration that contract section 3 wants; anything but "Turn On" is no.
 */
export class AutomaticQuestion implements vscode.Disposable {
  readonly #settings: Settings;
  readonly #subscriptions: vscode.Disposable[];
  readonly #onError: (error: unknown) => void;
  #asking = false;

  constructor(options: {
    readonly sessions: ActiveSession;
    readonly settings: Settings;
    readonly onError: (error: unknown) => void;
  }) {
    this.#settings = options.settings;
    this.#onError = options.onError;
    const look = (): void => {
      const meter = options.sessions.current?.meter;
      if (meter !== undefined) void this.mayCompact(meter);
    };
    this.#subscriptions = [options.sessions.onDidChangeActive(look), options.sessions.onDidChange(look)];
  }

  /**
   * The answer as it stands: undecided is no. Where the question is due it is put, and nobody waits for it: a chat
   * must not hang on a notification that nobody sees.
   */
  async mayCompact(meter: MeterReading): Promise<boolean> {
    const { automatic } = this.#settings;
    if (automatic !== "ask") return automatic === "on";
    if (this.#isDue(meter)) {
      this.#asking = true;
      this.#ask(meter)
        .catch(this.#onError)
        .finally(() => {
          this.#asking = false;
        });
    }
    return false;
  }

  #isDue(meter: MeterReading): boolean {
    // Without a provider's number nothing would run by itself, so there is nothing to ask.
    if (!PROVIDER_BASES.has(meter.basis) && !this.#settings.values.estimatedMode) return false;
    if (meter.level !== "over_line" || meter.readOnly || meter.running !== undefined) return false;
    return !this.#asking;
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  async #ask(meter: MeterReading): Promise<void> {
    const turnOn = vscode.l10n.t("Turn On");
    const keepOff = vscode.l10n.t("Keep Off");
    const compactNow = vscode.l10n.t("Compact Now");
    const picked = await showInformation(question(meter), turnOn, keepOff, compactNow);
    await this.#settings.answerAutomatic(picked === turnOn ? "on" : "off");
    if (picked === compactNow) await vscode.commands.executeCommand(commands.compactNow, meter.sessionId);
  }
}

function question({ title, triggerLine, ceiling, usedTokens }: MeterReading): string {
  return vscode.l10n.t(
    "“{0}” has {1} tokens and has reached its trigger line at {2} of {3}. Compact by itself from now on, in this workspace, when a chat reaches its line? This may call the summarizer model.",
    excerpt(title, TITLE_CHARACTERS),
    fullNumber(usedTokens ?? 0),
    fullNumber(triggerLine ?? 0),
    fullNumber(ceiling ?? 0),
  );
}
