import * as vscode from "vscode";
import type { ChatModel } from "../../core/model.ts";
import type { Settings } from "../settings.ts";
import type { SummarizerChoice } from "../summarizerChoice.ts";
import { shortTokens } from "../words.ts";
import type { LanguageModels } from "./languageModels.ts";

interface ModelItem extends vscode.QuickPickItem {
  /** Value of the setting; "" = the model of the chat. */
  readonly value: string;
}

/** Who writes the capsule: the setting's model, else the chat's own, else the offline summarizer. */
export class SummarizerModels implements SummarizerChoice {
  readonly #models: LanguageModels;
  readonly #settings: Settings;

  constructor(models: LanguageModels, settings: Settings) {
    this.#models = models;
    this.#settings = settings;
  }

  async choose(interactive: boolean, sessionModelId?: string): Promise<ChatModel | undefined> {
    const { summarizer } = this.#settings;
    if (summarizer !== "") {
      const named = await this.#models.byId(summarizer);
      if (named !== undefined) return this.#permitted(named, interactive);
      if (!interactive) return undefined;
      return this.#replaceMissing(summarizer);
    }
    const own = sessionModelId === undefined ? undefined : await this.#models.byId(sessionModelId);
    return this.#permitted(own ?? this.#models.offline, interactive);
  }

  /** The command: picks a model and remembers it in the setting. Undefined = dismissed. */
  async pick(): Promise<ChatModel | undefined> {
    const item = await vscode.window.showQuickPick(this.#items(), {
      title: vscode.l10n.t("Choose Summarizer"),
      placeHolder: vscode.l10n.t("Which model writes the capsules?"),
      matchOnDescription: true,
    });
    if (item === undefined) return undefined;
    await this.#settings.setSummarizer(item.value);
    return item.value === "" ? this.#models.offline : this.#models.byId(item.value);
  }

  /** A run that nobody started uses only a vendor that has answered before. */
  #permitted(model: ChatModel, interactive: boolean): ChatModel | undefined {
    return interactive || this.#models.hasWorked(model.vendor) ? model : undefined;
  }

  async #replaceMissing(id: string): Promise<ChatModel | undefined> {
    const choose = vscode.l10n.t("Choose Summarizer");
    const offline = vscode.l10n.t("Use Offline Summarizer Once");
    const answer = await vscode.window.showWarningMessage(
      vscode.l10n.t("The summarizer “{0}” of your settings is not available.", id),
      choose,
      offline,
    );
    if (answer === offline) return this.#models.offline;
    return answer === choose ? this.pick() : undefined;
  }

  async #items(): Promise<ModelItem[]> {
    const models = await this.#models.list();
    const { summarizer } = this.#settings;
    const chat: ModelItem = {
      value: "",
      label: vscode.l10n.t("The chat's own model"),
      description: vscode.l10n.t("offline summarizer where a session has none"),
    };
    const items = models.map((model): ModelItem => {
      const { maxInputTokens } = model.limits;
      const window = maxInputTokens === undefined ? undefined : shortTokens(maxInputTokens);
      return {
        value: model.id,
        label: model.name,
        description: model.id,
        detail:
          window === undefined
            ? vscode.l10n.t("Extracts, no language model: no key, no network, no cost.")
            : vscode.l10n.t("Context window: {0} tokens", window),
      };
    });
    return [chat, ...items].map((item) =>
      item.value === summarizer ? { ...item, picked: true, label: `$(check) ${item.label}` } : item,
    );
  }
}
