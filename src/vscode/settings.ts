import * as vscode from "vscode";
import type { AutomaticMode, EngineSettings } from "../engine/liveSession.ts";
import type { SettingName, SettingValues } from "./contributions.ts";
import { commands, SETTINGS_PREFIX, settingKey } from "./contributions.ts";
import { showWarning } from "./notices.ts";
import type { SettingProblem } from "./validSettings.ts";
import { checkSettings } from "./validSettings.ts";

const AUTOMATIC_ANSWER_KEY = "automaticAnswer";

/** What the person answered when this workspace asked; kept apart from the setting, which an answer never changes. */
type AutomaticAnswer = "on" | "off";

/**
 * The settings as they apply now. A value that cannot work falls back, with one notice for each value that names the
 * setting and what is used.
 */
export class Settings implements vscode.Disposable {
  readonly #workspaceState: vscode.Memento;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #subscriptions: vscode.Disposable[];
  readonly #told = new Set<string>();
  #values: SettingValues;

  readonly onDidChange = this.#changed.event;

  constructor(workspaceState: vscode.Memento) {
    this.#workspaceState = workspaceState;
    this.#values = this.#read();
    this.#subscriptions = [
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration(SETTINGS_PREFIX)) this.#reload();
      }),
      // A trusted workspace may set what it could not set before.
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.#reload()),
    ];
  }

  get values(): SettingValues {
    return this.#values;
  }

  /** The setting, or the answer of this workspace where the setting is to ask. */
  get automatic(): AutomaticMode {
    if (this.#values.automatic !== "ask") return this.#values.automatic;
    return this.#workspaceState.get<AutomaticAnswer>(AUTOMATIC_ANSWER_KEY) ?? "ask";
  }

  get engine(): EngineSettings {
    const { window, contextBudget, minRemaining, keepRecentTokens, keepRecentTurns } = this.#values;
    return {
      policy: {
        ...(window === null ? {} : { window }),
        ...(contextBudget === null ? {} : { budget: contextBudget }),
        minRemaining,
        keepRecentTokens,
        keepRecentTurns,
      },
      automatic: this.automatic,
      estimatedMode: this.#values.estimatedMode,
      summaryMaxTokens: this.#values.summaryMaxTokens,
    };
  }

  /** Remembers the person's answer for this workspace. */
  async answerAutomatic(answer: AutomaticAnswer): Promise<void> {
    await this.#workspaceState.update(AUTOMATIC_ANSWER_KEY, answer);
    this.#changed.fire();
  }

  /** The person turned it on: the answer, and the setting too where that says off. */
  async turnAutomaticOn(): Promise<void> {
    if (this.#values.automatic === "off") await writeSetting("automatic", "on");
    await this.answerAutomatic("on");
  }

  /** Id of the model that writes capsules; "" = the chat's own. */
  get summarizer(): string {
    return this.#values.summarizer;
  }

  async setSummarizer(modelId: string): Promise<void> {
    await writeSetting("summarizer", modelId);
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#changed.dispose();
  }

  #reload(): void {
    this.#values = this.#read();
    this.#changed.fire();
  }

  #read(): SettingValues {
    const configuration = vscode.workspace.getConfiguration(SETTINGS_PREFIX);
    const { values, problems } = checkSettings((name) => configuration.get(name));
    const untold = problems.filter((problem) => !this.#told.has(identityOf(problem)));
    for (const problem of problems) this.#told.add(identityOf(problem));
    if (untold.length > 0) void tellProblems(untold);
    return values;
  }
}

/** Where a value stands in the workspace it is changed there, else for the person everywhere. */
async function writeSetting(name: SettingName, value: unknown): Promise<void> {
  const configuration = vscode.workspace.getConfiguration(SETTINGS_PREFIX);
  const inWorkspace = configuration.inspect(name)?.workspaceValue !== undefined;
  const target = inWorkspace ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global;
  await configuration.update(name, value, target);
}

const identityOf = ({ name, given }: SettingProblem): string => `${name}=${JSON.stringify(given)}`;

/** One notice for all of them. */
async function tellProblems(problems: readonly SettingProblem[]): Promise<void> {
  const open = vscode.l10n.t("Open Settings");
  const picked = await showWarning(problems.map(problemSentence).join(" "), open);
  const first: SettingName | undefined = problems[0]?.name;
  if (picked === open && first !== undefined) {
    await vscode.commands.executeCommand(commands.openSettings, settingKey(first));
  }
}

function problemSentence({ name, given, used }: SettingProblem): string {
  const key = settingKey(name);
  const value = JSON.stringify(given);
  if (used === null) {
    return vscode.l10n.t("The setting {0} cannot be {1}; the model's own value is used.", key, value);
  }
  return vscode.l10n.t("The setting {0} cannot be {1}; {2} is used.", key, value, JSON.stringify(used));
}
