import type * as vscode from "vscode";
import type { ChatModel } from "../../core/model.ts";
import type { LiveSession } from "../../engine/liveSession.ts";

export interface MeterModelsOptions {
  readonly models: {
    byId(id: string): Promise<ChatModel | undefined>;
    readonly onDidChange: vscode.Event<void>;
  };
  readonly sessions: {
    readonly current: LiveSession | undefined;
    readonly onDidChangeActive: vscode.Event<LiveSession | undefined>;
    openSessions(): Promise<readonly LiveSession[]>;
  };
  readonly onError: (error: unknown) => void;
}

/**
 * Gives every open session the model that it names as that model is now: after a reload, when the provider's
 * extension has come up, and when its limits have changed. A model that is not there leaves what the session knew.
 */
export class MeterModels implements vscode.Disposable {
  readonly #options: MeterModelsOptions;
  readonly #subscriptions: vscode.Disposable[];

  constructor(options: MeterModelsOptions) {
    this.#options = options;
    const { models, sessions } = options;
    this.#subscriptions = [
      sessions.onDidChangeActive((live) => this.#refresh(live === undefined ? [] : [live])),
      models.onDidChange(() => {
        sessions.openSessions().then((open) => this.#refresh(open), options.onError);
      }),
    ];
    this.#refresh(sessions.current === undefined ? [] : [sessions.current]);
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  #refresh(open: readonly LiveSession[]): void {
    for (const live of open) this.#refreshOne(live).catch(this.#options.onError);
  }

  async #refreshOne(live: LiveSession): Promise<void> {
    const { modelId } = live.meter;
    if (modelId === undefined) return;
    const model = await this.#options.models.byId(modelId);
    // Meanwhile a chat may have gone on with another model.
    if (model !== undefined && live.meter.modelId === modelId) await live.setModel(model);
  }
}
