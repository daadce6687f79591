import type * as vscode from "vscode";
import type { Message } from "../../../../src/core/messages.ts";
import type { ChatModel } from "../../../../src/core/model.ts";
import { defaultPolicy } from "../../../../src/core/policy.ts";
import { createLiveSession } from "../../../../src/engine/createLiveSession.ts";
import type { EngineSettings } from "../../../../src/engine/liveSession.ts";
import { createOfflineModel } from "../../../../src/models/offline/offlineModel.ts";
import type { LogEntry } from "../../../../src/sessions/entries.ts";
import { openSessionStore } from "../../../../src/sessions/sessionStore.ts";
import { ActiveSession } from "../../../../src/vscode/activeSession.ts";
import { ChatBinding } from "../../../../src/vscode/chatBinding.ts";
import type { HistoryTurn } from "../../../../src/vscode/participant/boundChat.ts";
import { CapsuleChat } from "../../../../src/vscode/participant/capsuleChat.ts";
import type { ChatMetadata } from "../../../../src/vscode/participant/chatMetadata.ts";
import { systemClock } from "../../../../src/vscode/systemClock.ts";
import { environment, TemporaryPlace } from "../../sessions/sessionBench.ts";
import { CancellationTokenSource, ShimMemento } from "../vscodeShim.ts";

export interface Button {
  readonly title: string;
  readonly command: string;
  readonly arguments: readonly unknown[];
}

/** What a turn showed. */
export interface Shown {
  markdown: string;
  readonly pieces: string[];
  readonly progress: string[];
  readonly buttons: Button[];
  readonly references: unknown[];
  readonly metadata: ChatMetadata | undefined;
}

export interface Ask {
  readonly command?: string;
  readonly references?: readonly vscode.ChatPromptReference[];
  readonly tools?: readonly string[];
  readonly model?: ChatModel;
  readonly token?: CancellationTokenSource;
  /** Called with each piece of Markdown as it comes. */
  readonly onMarkdown?: (piece: string) => void;
}

const OURS = "context-capsule.capsule";

/** One chat of the Chat view: keeps its turns, and cuts them as the view does when a request is edited. */
export class Chat {
  turns: HistoryTurn[] = [];
  readonly #world: ChatWorld;

  constructor(world: ChatWorld) {
    this.#world = world;
  }

  async ask(prompt: string, ask: Ask = {}): Promise<Shown> {
    const shown = await this.#world.run(prompt, ask, this.turns);
    this.turns.push(
      { participant: OURS, prompt, command: ask.command },
      { participant: OURS, command: ask.command, result: { metadata: shown.metadata } },
    );
    return shown;
  }

  /** The request with this number (from 0) and all after it leave the view. */
  cutBefore(request: number): void {
    this.turns = this.turns.slice(0, request * 2);
  }
}

/** The participant over real sessions in a temporary folder; models are the test's own. */
export class ChatWorld {
  readonly place = new TemporaryPlace();
  readonly store = openSessionStore(environment(), [this.place.path]);
  readonly binding = new ChatBinding();
  readonly errors: unknown[] = [];
  readonly offline = createOfflineModel({ name: "Offline Summarizer", chatReply: "I am no language model." });
  settings: EngineSettings = {
    policy: { ...defaultPolicy, keepRecentTokens: 300, keepRecentTurns: 1 },
    automatic: "off",
    estimatedMode: false,
    summaryMaxTokens: 2048,
  };
  /** Who may write capsules by itself; undefined = nobody has worked yet. */
  automaticSummarizer: ChatModel | undefined;
  mayCompact = false;
  #ids = 0;
  readonly sessions = new ActiveSession({
    openStore: async () => this.store,
    openLive: (file) =>
      createLiveSession({
        file,
        settings: () => this.settings,
        clock: systemClock,
        newId: () => `live-${++this.#ids}`,
        pause: () => new Promise((resolve) => setImmediate(resolve)),
      }),
    workspaceState: new ShimMemento() as unknown as vscode.Memento,
  });
  readonly #models = new Map<string, ChatModel>();
  readonly participant = new CapsuleChat({
    sessions: this.sessions,
    chats: this.binding,
    models: {
      of: async ({ id }) => this.#models.get(id) ?? this.offline,
      offline: async () => this.offline,
    },
    summarizer: {
      choose: async (interactive, id) =>
        interactive ? (this.#models.get(id ?? "") ?? this.offline) : this.automaticSummarizer,
    },
    question: { mayCompact: async () => this.mayCompact },
    onError: (error) => this.errors.push(error),
  });

  create(messages: readonly Message[], title = "A long day"): Promise<string> {
    const entries = messages.map(
      (message): LogEntry => ({ type: "message", id: message.id, at: 1, message }),
    );
    return this.store.create({ title, entries });
  }

  async run(prompt: string, ask: Ask, history: readonly HistoryTurn[]): Promise<Shown> {
    const model = ask.model ?? this.offline;
    this.#models.set(model.id, model);
    const shown = { markdown: "", pieces: [], progress: [], buttons: [], references: [] } as unknown as Shown;
    const stream = {
      markdown: (value: string | { value: string }) => {
        const piece = typeof value === "string" ? value : value.value;
        shown.pieces.push(piece);
        shown.markdown += piece;
        ask.onMarkdown?.(piece);
      },
      progress: (value: string) => shown.progress.push(value),
      button: (value: Button) => shown.buttons.push(value),
      reference: (value: unknown) => shown.references.push(value),
    };
    const request = {
      prompt,
      command: ask.command,
      references: ask.references ?? [],
      toolReferences: (ask.tools ?? []).map((name) => ({ name })),
      model: { id: model.id, vendor: model.vendor },
    };
    const result = await this.participant.handle(
      request as unknown as vscode.ChatRequest,
      { history: [...history] } as unknown as vscode.ChatContext,
      stream as unknown as vscode.ChatResponseStream,
      (ask.token ?? new CancellationTokenSource()).token as unknown as vscode.CancellationToken,
    );
    return { ...shown, metadata: result.metadata as ChatMetadata | undefined };
  }

  async end(): Promise<void> {
    await this.sessions.close();
    this.place[Symbol.dispose]();
  }
}
