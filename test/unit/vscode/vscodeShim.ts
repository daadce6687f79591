/**
 * What surface code needs of `vscode` in plain Node: tsx maps the module name here through the `paths` of the root
 * tsconfig.json. Values that a test wants to see or steer are plain objects that it may change.
 */
import { EventEmitter as NodeEmitter } from "node:events";

export * from "./languageModelShim.ts";

export const l10n = {
  t(message: string | { message: string; args?: unknown[] }, ...args: unknown[]): string {
    const text = typeof message === "string" ? message : message.message;
    const values = typeof message === "string" ? args : (message.args ?? []);
    return text.replaceAll(/\{(\d+)\}/g, (_, index) => String(values[Number(index)]));
  },
};

export const env = {
  language: "en",
  clipboard: {
    text: "",
    async writeText(text: string) {
      this.text = text;
    },
  },
};

export class Disposable {
  readonly #run: () => unknown;
  constructor(run: () => unknown) {
    this.#run = run;
  }
  dispose(): unknown {
    return this.#run();
  }
  static from(...disposables: { dispose(): unknown }[]): Disposable {
    return new Disposable(() => {
      for (const disposable of disposables) disposable.dispose();
    });
  }
}

export class EventEmitter<Value> {
  readonly #node = new NodeEmitter();
  readonly event = (listener: (value: Value) => unknown, thisArg?: unknown): Disposable => {
    const bound = listener.bind(thisArg);
    this.#node.on("fire", bound);
    return new Disposable(() => this.#node.off("fire", bound));
  };
  fire(value: Value): void {
    this.#node.emit("fire", value);
  }
  dispose(): void {
    this.#node.removeAllListeners();
  }
}

export class CancellationTokenSource {
  readonly #cancelled = new EventEmitter<void>();
  readonly token = { isCancellationRequested: false, onCancellationRequested: this.#cancelled.event };
  cancel(): void {
    this.token.isCancellationRequested = true;
    this.#cancelled.fire();
  }
  dispose(): void {
    this.#cancelled.dispose();
  }
}

export class MarkdownString {
  value: string;
  isTrusted: unknown;
  supportThemeIcons: boolean;
  constructor(value = "", supportThemeIcons = false) {
    this.value = value;
    this.supportThemeIcons = supportThemeIcons;
  }
  appendMarkdown(value: string): this {
    this.value += value;
    return this;
  }
  appendText(value: string): this {
    this.value += value.replaceAll(/[\\`*_{}[\]()#+\-!~]/g, "\\$&").replaceAll("\n", "\n\n");
    return this;
  }
}

export class ThemeColor {
  readonly id: string;
  constructor(id: string) {
    this.id = id;
  }
}

export class ThemeIcon {
  readonly id: string;
  readonly color: ThemeColor | undefined;
  constructor(id: string, color?: ThemeColor) {
    this.id = id;
    this.color = color;
  }
}

export class TreeItem {
  label: unknown;
  collapsibleState: number;
  constructor(label: unknown, collapsibleState = 0) {
    this.label = label;
    this.collapsibleState = collapsibleState;
  }
}

export const TreeItemCollapsibleState = { None: 0, Collapsed: 1, Expanded: 2 };
export const StatusBarAlignment = { Left: 1, Right: 2 };
export const ProgressLocation = { SourceControl: 1, Window: 10, Notification: 15 };
export const ConfigurationTarget = { Global: 1, Workspace: 2, WorkspaceFolder: 3 };
export const QuickPickItemKind = { Separator: -1, Default: 0 };

/** Each call of `executeCommand`, newest last. */
export const executedCommands: { command: string; args: unknown[] }[] = [];
export const commands = {
  async executeCommand(command: string, ...args: unknown[]): Promise<void> {
    executedCommands.push({ command, args });
  },
  registerCommand(): Disposable {
    return new Disposable(() => {});
  },
};

export interface ShownMessage {
  readonly kind: "information" | "warning" | "error";
  readonly text: string;
  readonly buttons: readonly string[];
  /** The person clicks a button, or closes the message with undefined. */
  answer(button: string | undefined): Promise<void>;
}

/** What was shown since `resetWindow`, oldest first. */
export const shown: {
  messages: ShownMessage[];
  statusMessages: string[];
  progress: { title: string; cancellable: boolean; reports: string[]; cancel(): void; done: boolean }[];
} = { messages: [], statusMessages: [], progress: [] };

/** What a person would type or pick next, oldest first; undefined = dismissed. */
export const answers: { inputs: (string | undefined)[]; picks: (number | undefined)[] } = {
  inputs: [],
  picks: [],
};

export function resetWindow(): void {
  shown.messages = [];
  shown.statusMessages = [];
  shown.progress = [];
  answers.inputs = [];
  answers.picks = [];
  executedCommands.length = 0;
}

function show(kind: ShownMessage["kind"], text: string, buttons: string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    shown.messages.push({
      kind,
      text,
      buttons,
      answer: async (button) => {
        resolve(button);
        await new Promise((later) => setImmediate(later));
      },
    });
  });
}

export const window = {
  showInformationMessage: (text: string, ...buttons: string[]) => show("information", text, buttons),
  showWarningMessage: (text: string, ...buttons: string[]) => show("warning", text, buttons),
  showErrorMessage: (text: string, ...buttons: string[]) => show("error", text, buttons),
  setStatusBarMessage(text: string): Disposable {
    shown.statusMessages.push(text);
    return new Disposable(() => {});
  },
  async showInputBox(): Promise<string | undefined> {
    return answers.inputs.shift();
  },
  async showQuickPick<Item>(
    given: readonly Item[] | Promise<readonly Item[]>,
    options: { canPickMany?: boolean } = {},
  ): Promise<Item | readonly Item[] | undefined> {
    const items = await given;
    const pick = answers.picks.shift();
    if (pick === undefined) return undefined;
    return options.canPickMany === true ? items.slice(pick, pick + 1) : items[pick];
  },
  async withProgress<Result>(
    options: { title: string; cancellable: boolean },
    task: (progress: { report(value: { message?: string }): void }, token: unknown) => Promise<Result>,
  ): Promise<Result> {
    const source = new CancellationTokenSource();
    const record = { ...options, reports: [] as string[], cancel: () => source.cancel(), done: false };
    shown.progress.push(record);
    try {
      return await task({ report: ({ message }) => record.reports.push(message ?? "") }, source.token);
    } finally {
      record.done = true;
    }
  },
};

/** Settings by their full key, as settings.json would have them. */
export const configuration = new Map<string, unknown>();
export const configurationChanged = new EventEmitter<{ affectsConfiguration(section: string): boolean }>();
export const trustGranted = new EventEmitter<void>();

export function setConfiguration(key: string, value: unknown): void {
  configuration.set(key, value);
  configurationChanged.fire({
    affectsConfiguration: (section) => key === section || key.startsWith(`${section}.`),
  });
}

export const workspace = {
  onDidChangeConfiguration: configurationChanged.event,
  onDidGrantWorkspaceTrust: trustGranted.event,
  getConfiguration: (section: string) => ({
    get: (name: string) => configuration.get(`${section}.${name}`),
    inspect: (name: string) => ({ globalValue: configuration.get(`${section}.${name}`) }),
    async update(name: string, value: unknown): Promise<void> {
      setConfiguration(`${section}.${name}`, value);
    },
  }),
};

/** A `Memento` in memory. */
export class ShimMemento {
  readonly values = new Map<string, unknown>();
  keys(): readonly string[] {
    return [...this.values.keys()];
  }
  get(key: string, fallback?: unknown): unknown {
    return this.values.has(key) ? this.values.get(key) : fallback;
  }
  async update(key: string, value: unknown): Promise<void> {
    if (value === undefined) this.values.delete(key);
    else this.values.set(key, value);
  }
}

/** Enough of a Uri for paths of this disk. */
export class Uri {
  readonly scheme: string;
  readonly path: string;
  constructor(scheme: string, path: string) {
    this.scheme = scheme;
    this.path = path;
  }
  static parse(value: string): Uri {
    const { protocol, pathname } = new URL(value);
    return new Uri(protocol.slice(0, -1), decodeURIComponent(pathname));
  }
  static file(path: string): Uri {
    return new Uri("file", path);
  }
  get fsPath(): string {
    return this.path;
  }
}
