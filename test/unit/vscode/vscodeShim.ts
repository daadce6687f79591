/**
 * What surface code needs of `vscode` in plain Node: tsx maps the module name here through the `paths` of the root
 * tsconfig.json. Values that a test wants to see or steer are plain objects that it may change.
 */
import { EventEmitter as NodeEmitter } from "node:events";

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
