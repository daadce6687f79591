import * as vscode from "vscode";
import type { CommandId } from "./contributions.ts";
import { showError } from "./notices.ts";
import { errorSentence } from "./words.ts";

/**
 * Registers commands whose errors reach the person as a sentence, once, and the log as they are. A cancelled task
 * says nothing. The command's promise resolves then: what called it has no second message to show.
 */
export class CommandRegistry implements vscode.Disposable {
  readonly #log: vscode.LogOutputChannel;
  readonly #registered: vscode.Disposable[] = [];

  constructor(log: vscode.LogOutputChannel) {
    this.#log = log;
  }

  /** Arguments come from menus, links and other extensions: of any shape. */
  register(command: CommandId, run: (...args: unknown[]) => unknown): void {
    this.#registered.push(
      vscode.commands.registerCommand(command, async (...args: unknown[]) => {
        try {
          return await run(...args);
        } catch (error) {
          this.report(error);
          return undefined;
        }
      }),
    );
  }

  /** For work that no command waits for. */
  readonly report = (error: unknown): void => {
    const sentence = errorSentence(error);
    if (sentence === undefined) return;
    this.#log.error(error instanceof Error ? error : String(error));
    void showError(sentence);
  };

  dispose(): void {
    for (const registered of this.#registered) registered.dispose();
  }
}
