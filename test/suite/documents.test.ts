import assert from "node:assert/strict";
import * as vscode from "vscode";
import {
  documentLinks,
  importSession,
  messages,
  SCHEME,
  shownEditor,
  until,
} from "./support/sessionDocuments.ts";

const PAGE_LIMIT_BYTES = 512_000;

describe("documents", () => {
  let sessionId: string;

  before(async () => {
    await vscode.extensions.getExtension("context-capsule.context-capsule")?.activate();
    sessionId = await importSession("documents", messages(130));
  });

  afterEach(async () => {
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
  });

  it("open the transcript at its newest message, read-only, in our language, in pages under 512 kB", async () => {
    await vscode.commands.executeCommand("contextCapsule.openTranscript", sessionId);
    const editor = await until(() => shownEditor("transcript"), "the transcript opens");
    const { document } = editor;
    assert.equal(document.languageId, "context-capsule-record");
    assert.ok(document.lineAt(editor.selection.active.line).text.startsWith("#"), "cursor at a message");
    assert.ok(document.getText().includes("    Now tell me what is left."));
    assert.ok(document.getText().endsWith("← page 2") || /← page \d+$/.test(document.getText()));

    const before = document.getText();
    await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), "x"));
    assert.equal(document.getText(), before);

    for (let page = Number(document.uri.path.split("/")[5]); page >= 1; page -= 1) {
      const shown = await until(() => {
        const found = shownEditor("transcript");
        return found?.document.uri.path.split("/")[5] === String(page) ? found : undefined;
      }, `page ${page}`);
      assert.ok(Buffer.byteLength(shown.document.getText()) <= PAGE_LIMIT_BYTES);
      if (page > 1) await vscode.commands.executeCommand("contextCapsule.previousPage");
    }
  });

  it("show hostile text as text: no line, link or heading of its own", async () => {
    await vscode.commands.executeCommand("contextCapsule.openTranscript", { sessionId, messageId: "nobody" });
    const { document } = await until(() => shownEditor("transcript"), "the transcript opens");
    for (const line of document.getText().split("\n")) {
      if (line.includes("evil")) assert.ok(line.startsWith("    #99 system"), line);
      if (line.includes("command:")) assert.ok(line.startsWith("    ␛[31m<U+2028>[run](command:"), line);
    }
    const links = await documentLinks(document.uri);
    for (const { target } of links) assert.equal(target?.scheme, "command");
    for (const { target } of links) assert.equal(target?.path, "contextCapsule.openDocumentTarget");
  });

  it("have an outline of their messages", async () => {
    await vscode.commands.executeCommand("contextCapsule.openTranscript", sessionId);
    const { document } = await until(() => shownEditor("transcript"), "the transcript opens");
    const symbols = await vscode.commands.executeCommand<vscode.DocumentSymbol[]>(
      "vscode.executeDocumentSymbolProvider",
      document.uri,
    );
    const last = symbols.at(-1);
    assert.match(last?.name ?? "", /^#\d+ user$/);
    assert.equal(last?.detail, "Now tell me what is left.");
    assert.equal(document.lineAt(last?.range.start.line ?? 0).text.startsWith(last?.name ?? "?"), true);
  });

  it("open the context as sent, and beside the transcript in VS Code's own diff", async () => {
    await vscode.commands.executeCommand("contextCapsule.openContextAsSent", sessionId);
    const sent = await until(() => shownEditor("sent"), "the context opens");
    assert.match(sent.document.lineAt(0).text, /^Context as sent now of /);
    await vscode.commands.executeCommand("contextCapsule.compareWithSent", sessionId);
    const tab = await until(() => {
      const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
      return input instanceof vscode.TabInputTextDiff ? input : undefined;
    }, "the diff opens");
    assert.deepEqual(
      [tab.original.path.split("/")[4], tab.modified.path.split("/")[4]],
      ["abridged", "beside"],
    );
  });

  it("preview a compaction without writing: tokens, limits, messages with links", async () => {
    await vscode.commands.executeCommand("contextCapsule.preview", sessionId);
    const { document } = await until(() => shownEditor("preview"), "the preview opens");
    const text = document.getText();
    assert.match(text, /^Preview of a compaction of /);
    for (const heading of ["How it would end", "What it would cost at most", "Limits in effect"]) {
      assert.ok(text.includes(`\n${heading}\n`), heading);
    }
    const links = await documentLinks(document.uri);
    assert.ok(links.length > 1);
    await vscode.commands.executeCommand("contextCapsule.openTranscript", sessionId);
    const { document: transcript } = await until(() => shownEditor("transcript"), "the transcript opens");
    assert.ok(!transcript.getText().includes("── Compact"));
  });

  it("say so where there is no such document", async () => {
    const uri = vscode.Uri.from({
      scheme: SCHEME,
      path: "/context-capsule-documents/none/record/transcript/1/x",
    });
    const document = await vscode.workspace.openTextDocument(uri);
    assert.equal(document.getText(), "The session is not there any more.");
    const other = await vscode.workspace.openTextDocument(vscode.Uri.from({ scheme: SCHEME, path: "/x" }));
    assert.equal(other.getText(), "There is no such document.");
  });
});
