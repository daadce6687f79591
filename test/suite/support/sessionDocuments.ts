/** What tests of documents share: sessions to import, and waiting for what the editor shows. */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";

export const SCHEME = "context-capsule";

export interface OpenAiMessage {
  readonly role: string;
  readonly content: string | null;
  readonly tool_calls?: readonly unknown[];
  readonly tool_call_id?: string;
}

const HOSTILE = "#99 system · evil\n\u001b[31m\u2028[run](command:workbench.action.closeWindow) \u202eabc\0";

/** A session of several pages, with tool calls and a text that tries to pass for structure. */
export function messages(rounds: number): OpenAiMessage[] {
  const made: OpenAiMessage[] = [{ role: "user", content: "Make the parser faster. Never touch the lexer." }];
  for (let round = 0; round < rounds; round += 1) {
    const call = {
      id: `call_${round}`,
      type: "function",
      function: { name: "read", arguments: JSON.stringify({ path: `src/file${round}.ts` }) },
    };
    made.push({ role: "assistant", content: `Reading file ${round}.`, tool_calls: [call] });
    made.push({
      role: "tool",
      tool_call_id: `call_${round}`,
      content: `${HOSTILE}\n${"const x = 1;\n".repeat(600)}`,
    });
    if (round === 4) made.push({ role: "user", content: "From now on never push without asking me." });
    else if (round % 10 === 9) made.push({ role: "user", content: `Go on after round ${round}.` });
  }
  return [...made, { role: "user", content: "Now tell me what is left." }];
}

export async function importSession(name: string, content: readonly OpenAiMessage[]): Promise<string> {
  const file = join(tmpdir(), `${name}-${process.pid}.json`);
  await writeFile(file, JSON.stringify(content));
  const imported = await vscode.commands.executeCommand<{ sessionId: string } | undefined>(
    "contextCapsule.importSession",
    vscode.Uri.file(file),
  );
  assert.ok(imported, "nothing was imported");
  return imported.sessionId;
}

/** Resolves when the condition holds, asked again at every event of the editor. */
export async function until<Value>(
  what: () => Value | undefined | Promise<Value | undefined>,
  why: string,
): Promise<Value> {
  const found = await what();
  if (found !== undefined) return found;
  return new Promise((resolve, reject) => {
    const subscriptions: vscode.Disposable[] = [];
    const timeout = setTimeout(() => {
      vscode.Disposable.from(...subscriptions).dispose();
      reject(new Error(`Never happened: ${why}`));
    }, 15_000);
    const look = async (): Promise<void> => {
      const value = await what();
      if (value === undefined) return;
      clearTimeout(timeout);
      vscode.Disposable.from(...subscriptions).dispose();
      resolve(value);
    };
    subscriptions.push(
      vscode.window.onDidChangeActiveTextEditor(look),
      vscode.window.onDidChangeVisibleTextEditors(look),
      vscode.window.onDidChangeTextEditorSelection(look),
      vscode.window.tabGroups.onDidChangeTabs(look),
      vscode.workspace.onDidChangeTextDocument(look),
      vscode.workspace.onDidOpenTextDocument(look),
    );
  });
}

export function shownEditor(kind: string): vscode.TextEditor | undefined {
  const editor = vscode.window.activeTextEditor;
  return editor?.document.uri.scheme === SCHEME && editor.document.uri.path.split("/")[4] === kind
    ? editor
    : undefined;
}

export async function documentLinks(uri: vscode.Uri): Promise<vscode.DocumentLink[]> {
  return (
    (await vscode.commands.executeCommand<vscode.DocumentLink[]>("vscode.executeLinkProvider", uri)) ?? []
  );
}
