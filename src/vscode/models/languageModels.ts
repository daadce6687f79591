import * as vscode from "vscode";
import type { ChatModel } from "../../core/model.ts";
import { OFFLINE_MODEL_ID } from "../../models/offline/offlineModelId.ts";
import { MODEL_VENDOR } from "../contributions.ts";
import { offlineChatReply, offlineName } from "./offlineWords.ts";
import { withinTime } from "./withinTime.ts";

const WORKED_VENDORS_KEY = "workedVendors";
/** A provider that does not even list its models in this time is not waited for. */
const LIST_TIMEOUT_MS = 10_000;

/** Every model that this window can use: those of `vscode.lm`, and the offline summarizer, which is called directly. */
export class LanguageModels implements vscode.Disposable {
  readonly #memory: vscode.Memento;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #subscription: vscode.Disposable;
  /** One for each model and limit, since a model remembers whether its provider counts. */
  readonly #adapted = new Map<string, ChatModel>();
  #offline: Promise<ChatModel> | undefined;

  /** The list, or the limits of its models, changed: objects held before keep the old limits. */
  readonly onDidChange = this.#changed.event;

  /** `memory` remembers, beyond this window, which vendors have answered. */
  constructor(memory: vscode.Memento) {
    this.#memory = memory;
    this.#subscription = vscode.lm.onDidChangeChatModels(() => {
      this.#adapted.clear();
      this.#changed.fire();
    });
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#changed.dispose();
  }

  offline(): Promise<ChatModel> {
    this.#offline ??= import("../../models/offline/offlineModel.ts").then(({ createOfflineModel }) =>
      createOfflineModel({ name: offlineName(), chatReply: offlineChatReply() }),
    );
    return this.#offline;
  }

  /** All of them, the offline one last. Some providers list models that take no input; those are left out. */
  async list(): Promise<readonly ChatModel[]> {
    const found = await this.#select({});
    const others = found.filter(({ vendor }) => vendor !== MODEL_VENDOR);
    return Promise.all([...others.map((model) => this.#adapt(model)), this.offline()]);
  }

  /** The model with this id (`vendor/id`) as it is now; undefined where it is gone. */
  async byId(id: string): Promise<ChatModel | undefined> {
    if (id === OFFLINE_MODEL_ID) return this.offline();
    const slash = id.indexOf("/");
    if (slash <= 0) return undefined;
    const found = await this.#select({ vendor: id.slice(0, slash), id: id.slice(slash + 1) });
    return found[0] === undefined ? undefined : this.#adapt(found[0]);
  }

  /** The model that a chat request came with. */
  of(model: vscode.LanguageModelChat): Promise<ChatModel> {
    return model.vendor === MODEL_VENDOR ? this.offline() : this.#adapt(model);
  }

  /** Whether this vendor answered before, so that a run that nobody started may use it. */
  hasWorked(vendor: string): boolean {
    return vendor === MODEL_VENDOR || this.#workedVendors.includes(vendor);
  }

  get #workedVendors(): readonly string[] {
    return this.#memory.get<string[]>(WORKED_VENDORS_KEY, []);
  }

  async #select(selector: vscode.LanguageModelChatSelector): Promise<readonly vscode.LanguageModelChat[]> {
    const found = await withinTime(vscode.lm.selectChatModels(selector), LIST_TIMEOUT_MS);
    return (found ?? []).filter((model) => model.maxInputTokens > 0);
  }

  async #adapt(model: vscode.LanguageModelChat): Promise<ChatModel> {
    const key = JSON.stringify([model.vendor, model.id, model.maxInputTokens]);
    const known = this.#adapted.get(key);
    if (known !== undefined) return known;
    const { LmModel } = await import("./lmModel.ts");
    const adapted = new LmModel(model, {
      justification: vscode.l10n.t(
        "Context Capsule sends the session's context to answer, or to write its capsule.",
      ),
      onWorked: (vendor) => this.#remember(vendor),
    });
    this.#adapted.set(key, adapted);
    return adapted;
  }

  #remember(vendor: string): void {
    const worked = this.#workedVendors;
    if (!worked.includes(vendor)) void this.#memory.update(WORKED_VENDORS_KEY, [...worked, vendor]);
  }
}
