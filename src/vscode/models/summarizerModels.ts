import * as vscode from "vscode";
import type { ChatModel } from "../../core/model.ts";
import { OFFLINE_MODEL_ID } from "../../models/offline/offlineModelId.ts";
import { showWarning } from "../notices.ts";
import type { SummarizerChoice, SummarizerForecast } from "../summarizerChoice.ts";
import type { ModelItem } from "./modelItems.ts";
import { summarizerItems } from "./modelItems.ts";

/** What the choice needs of all models; `LanguageModels` gives it. */
export interface KnownModels {
  list(): Promise<readonly ChatModel[]>;
  byId(id: string): Promise<ChatModel | undefined>;
  offline(): Promise<ChatModel>;
  hasWorked(vendor: string): boolean;
}

/** The setting `contextCapsule.summarizer`; "" = the chat's own model. */
export interface SummarizerSetting {
  readonly summarizer: string;
  setSummarizer(modelId: string): Promise<void>;
}

/** Who writes the capsule: the setting's model, else the chat's own, else the offline summarizer. */
export class SummarizerModels implements SummarizerChoice, SummarizerForecast {
  readonly #models: KnownModels;
  readonly #settings: SummarizerSetting;

  constructor(models: KnownModels, settings: SummarizerSetting) {
    this.#models = models;
    this.#settings = settings;
  }

  async choose(interactive: boolean, sessionModelId?: string): Promise<ChatModel | undefined> {
    const { summarizer } = this.#settings;
    if (summarizer !== "") {
      const named = await this.#models.byId(summarizer);
      if (named !== undefined) return this.#permitted(named, interactive);
      return interactive ? this.#replaceMissing(summarizer, sessionModelId) : undefined;
    }
    return this.#permitted(await this.#ownOrOffline(sessionModelId), interactive);
  }

  async foresee(sessionModelId?: string): Promise<ChatModel | undefined> {
    const { summarizer } = this.#settings;
    return summarizer === "" ? this.#ownOrOffline(sessionModelId) : this.#models.byId(summarizer);
  }

  /** The command: asks for a model and remembers it in the setting. False = dismissed. */
  async pick(): Promise<boolean> {
    const { summarizer } = this.#settings;
    const item = await vscode.window.showQuickPick<ModelItem>(
      this.#models.list().then((models) => summarizerItems(models, summarizer)),
      {
        title: vscode.l10n.t("Choose Summarizer"),
        placeHolder: vscode.l10n.t("Which model writes the capsules?"),
        matchOnDescription: true,
      },
    );
    if (item === undefined) return false;
    await this.#settings.setSummarizer(item.value);
    return true;
  }

  async #ownOrOffline(sessionModelId: string | undefined): Promise<ChatModel> {
    const own = sessionModelId === undefined ? undefined : await this.#models.byId(sessionModelId);
    return own ?? this.#models.offline();
  }

  /** A run that nobody started uses only a vendor that has answered before. */
  #permitted(model: ChatModel, interactive: boolean): ChatModel | undefined {
    return interactive || this.#models.hasWorked(model.vendor) ? model : undefined;
  }

  async #replaceMissing(id: string, sessionModelId: string | undefined): Promise<ChatModel | undefined> {
    const choose = vscode.l10n.t("Choose Summarizer…");
    const offline = vscode.l10n.t("Use Offline Summarizer Once");
    const answer = await showWarning(
      vscode.l10n.t("The summarizer “{0}” of your settings is not available.", id),
      choose,
      ...(id === OFFLINE_MODEL_ID ? [] : [offline]),
    );
    if (answer === offline) return this.#models.offline();
    if (answer !== choose || !(await this.pick())) return undefined;
    return this.#settings.summarizer === id ? undefined : this.choose(true, sessionModelId);
  }
}
