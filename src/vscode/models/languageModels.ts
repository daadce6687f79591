import * as vscode from "vscode";
import type { ChatModel } from "../../core/model.ts";
import { createOfflineModel, OFFLINE_MODEL_ID } from "../../models/offline/offlineModel.ts";
import { MODEL_VENDOR } from "../contributions.ts";
import { LmModel, lmModelId } from "./lmModel.ts";

const WORKED_VENDORS_KEY = "workedVendors";

/** Every model that this window can use: those of `vscode.lm`, and the offline summarizer, which is called directly. */
export class LanguageModels implements vscode.Disposable {
  readonly offline: ChatModel;
  readonly #memory: vscode.Memento;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #subscription: vscode.Disposable;

  /** The list or the limits of its models changed: objects held before keep the old limits. */
  readonly onDidChange = this.#changed.event;

  /** `memory` remembers over sessions which vendors have answered. */
  constructor(memory: vscode.Memento) {
    this.#memory = memory;
    this.offline = createOfflineModel({
      name: vscode.l10n.t("Offline Summarizer"),
      chatReply: vscode.l10n.t(
        "I am the offline summarizer of Context Capsule, not a language model: I cannot answer questions. I write capsules without a key and without a network. Choose another model in this chat for answers; `/compact`, `/context`, `/undo` and `/new` work with me too.",
      ),
    });
    this.#subscription = vscode.lm.onDidChangeChatModels(() => this.#changed.fire());
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#changed.dispose();
  }

  /** All of them, the offline one last. Some providers list models that take no input; those are left out. */
  async list(): Promise<readonly ChatModel[]> {
    const found = await vscode.lm.selectChatModels();
    const usable = found.filter((model) => model.vendor !== MODEL_VENDOR && model.maxInputTokens > 0);
    return [...usable.map((model) => this.#adapt(model)), this.offline];
  }

  /** The model with this id as it is now; undefined where it is gone. */
  async byId(id: string): Promise<ChatModel | undefined> {
    if (id === OFFLINE_MODEL_ID) return this.offline;
    const vendor = id.slice(0, id.indexOf("/"));
    const found = await vscode.lm.selectChatModels({ vendor });
    const model = found.find((one) => lmModelId(one) === id);
    return model === undefined ? undefined : this.#adapt(model);
  }

  /** The model that a chat request came with. */
  of(model: vscode.LanguageModelChat): ChatModel {
    return model.vendor === MODEL_VENDOR ? this.offline : this.#adapt(model);
  }

  /** Whether this vendor answered before, so that a run that nobody started may use it. */
  hasWorked(vendor: string): boolean {
    return vendor === MODEL_VENDOR || this.#workedVendors.includes(vendor);
  }

  get #workedVendors(): readonly string[] {
    return this.#memory.get<string[]>(WORKED_VENDORS_KEY, []);
  }

  #adapt(model: vscode.LanguageModelChat): ChatModel {
    return new LmModel(model, {
      justification: vscode.l10n.t(
        "Context Capsule sends the session's context to answer, or to write its capsule.",
      ),
      onWorked: (vendor) => {
        const worked = this.#workedVendors;
        if (!worked.includes(vendor)) void this.#memory.update(WORKED_VENDORS_KEY, [...worked, vendor]);
      },
    });
  }
}
