import assert from "node:assert/strict";
import * as vscode from "vscode";
import type { CompactOutcome } from "../../src/core/compactionOutcome.ts";
import { documentLinks, importSession, messages, shownEditor, until } from "./support/sessionDocuments.ts";

const run = <Result>(name: string, ...args: unknown[]): Thenable<Result> =>
  vscode.commands.executeCommand<Result>(`contextCapsule.${name}`, ...args);

async function shownText(kind: string): Promise<string> {
  return (await until(() => shownEditor(kind), `${kind} opens`)).document.getText();
}

function openDiffs(): vscode.TabInputTextDiff[] {
  return vscode.window.tabGroups.all.flatMap(({ tabs }) =>
    tabs.flatMap(({ input }) => (input instanceof vscode.TabInputTextDiff ? [input] : [])),
  );
}

describe("capsules", () => {
  let sessionId: string;
  let outcome: CompactOutcome;

  before(async function () {
    this.timeout(60_000);
    await vscode.extensions.getExtension("context-capsule.context-capsule")?.activate();
    sessionId = await importSession("capsules", messages(30));
    const ended = await run<CompactOutcome | undefined>("compactNow", sessionId);
    assert.ok(ended);
    outcome = ended;
    assert.equal(outcome.state, "summarized");
  });

  afterEach(async () => {
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
  });

  const commitment = (): { key: string; text: string } => {
    const found = outcome.summary?.anchors.find(
      ({ critical, text }) => critical && text.includes("never push"),
    );
    assert.ok(found, "the rule is a commitment");
    return found;
  };

  it("open a generation as Markdown, and its receipt as JSON that says how it ended", async () => {
    const messageId = `capsule-${outcome.runId}-1`;
    await run("openDocumentTarget", { sessionId, target: { to: "generation", messageId } });
    const editor = await until(() => shownEditor("generation"), "the capsule opens");
    assert.equal(editor.document.languageId, "markdown");
    assert.match(editor.document.getText(), /^# Capsule 1 – .*\n\n## Context\n/);
    assert.ok(editor.document.getText().includes("Never touch the lexer"));

    await run("openReceipt", { sessionId, runId: outcome.runId });
    const receipt = JSON.parse(await shownText("receipt"));
    assert.equal(receipt.undone, false);
    assert.equal(receipt.receipts.at(-1).state, "summarized");
    assert.equal(receipt.receipts.at(-1).after, outcome.after);
  });

  it("open an original only after its hash was checked, byte for byte", async () => {
    const { digest, segmentId } =
      outcome.summary?.citations.find((each) => each.segmentId.includes("#")) ?? {};
    assert.ok(segmentId !== undefined && digest !== undefined);
    await run("openOriginal", { sessionId, segmentId });
    const text = await shownText("original");
    assert.ok(text.includes("#99 system · evil") && text.includes("\u001b[31m"), "nothing is replaced");
    const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
      "vscode.executeCodeLensProvider",
      vscode.window.activeTextEditor?.document.uri,
    );
    assert.ok(lenses.some(({ command }) => command?.title.includes(digest) === true));
  });

  it("show what a message became in the transcript, and the transcript beside what is sent", async () => {
    await run("openTranscript", { sessionId, messageId: outcome.messages[0]?.id });
    const transcript = await shownText("transcript");
    assert.match(transcript, /\n#1 user · .* · first request\n/);
    assert.match(transcript, /\n#3 tool · .* · summarized\n/);
    assert.match(transcript, /\n── Compacted · [\d,]+ → [\d,]+ tokens · .* · receipt · generation 1\n/);
    await run("compareWithSent", sessionId);
    const [diff] = await until(
      async () => (openDiffs().length === 1 ? openDiffs() : undefined),
      "the diff opens",
    );
    assert.ok(diff);
    const sent = await vscode.workspace.openTextDocument(diff.modified);
    assert.match(sent.getText(), /\ncapsule · capsule-.* · generation 1\n/);
    assert.ok(!sent.getText().includes("\n#3 tool"));
  });

  it("compare the context before and after the run", async () => {
    await run("compareRun", { sessionId, runId: outcome.runId });
    const [diff] = await until(
      async () => (openDiffs().length === 1 ? openDiffs() : undefined),
      "the diff opens",
    );
    assert.ok(diff);
    const before = await vscode.workspace.openTextDocument(diff.original);
    const after = await vscode.workspace.openTextDocument(diff.modified);
    assert.match(before.getText(), /^Context before the compaction of /);
    assert.match(after.getText(), /^Context after the compaction of /);
    assert.ok(before.getText().includes("\n#3 tool") && !after.getText().includes("\n#3 tool"));
  });

  it("let the person retire and restore, each a generation and a message of its own", async () => {
    const { key, text } = commitment();
    await run("openTranscript", { sessionId, messageId: outcome.messages[0]?.id });
    const { selection } = await until(() => shownEditor("transcript"), "the transcript opens");
    await run("retireCommitment", { sessionId, key });
    await until(() => {
      const shown = shownEditor("transcript")?.document.getText() ?? "";
      return shown.includes("Retire the commitment:") ? shown : undefined;
    }, "the open transcript shows the retirement");
    await run("restoreCommitment", { sessionId, key });
    const shown = await until(() => {
      const now = shownEditor("transcript")?.document.getText() ?? "";
      return now.includes('Replace the commitment "Retire the commitment:') ? now : undefined;
    }, "the open transcript shows the restoration");
    assert.match(shown, /\n#\d+ user · .* · stated by hand(?: · summarized)?\n {4}Retire the commitment: /);
    assert.deepEqual(
      shownEditor("transcript")?.selection,
      selection,
      "the cursor stays where the person reads",
    );
    await run("compareGenerations", { sessionId });
    const [diff] = await until(
      async () => (openDiffs().length === 1 ? openDiffs() : undefined),
      "the diff opens",
    );
    assert.ok(diff);
    const now = await vscode.workspace.openTextDocument(diff.modified);
    assert.ok(now.getText().startsWith("# Capsule 3 – "));
    assert.ok(now.getText().includes(text.slice(0, 20)));
  });

  it("copy a capsule as Markdown", async () => {
    await run("copyCapsuleAsMarkdown", { sessionId });
    assert.match(await vscode.env.clipboard.readText(), /^# Capsule \d+ – /);
  });

  it("pin a message, which the open transcript shows at once, and unpin it", async () => {
    await run("openTranscript", { sessionId, messageId: outcome.messages[0]?.id });
    const editor = await until(() => shownEditor("transcript"), "the transcript opens");
    const answer = /#(\d+) user · (\S+) .* · summarized\n/.exec(editor.document.getText());
    const messageId = answer?.[2];
    assert.ok(messageId !== undefined);
    const line = new RegExp(`\n#${answer?.[1]} user .* · pinned\n`);
    await run("pinMessage", { sessionId, messageId });
    await until(
      () => (line.test(shownEditor("transcript")?.document.getText() ?? "") ? true : undefined),
      "pinned",
    );
    await run("unpinMessage", { sessionId, messageId });
    await until(
      () => (line.test(shownEditor("transcript")?.document.getText() ?? "") ? undefined : true),
      "unpinned",
    );
  });

  it("link the transcript to capsule, receipt and originals", async () => {
    await run("openTranscript", { sessionId, messageId: outcome.messages[0]?.id });
    const { document } = await until(() => shownEditor("transcript"), "the transcript opens");
    const targets = (await documentLinks(document.uri)).map(
      ({ target }) => JSON.parse(target?.query ?? "[]")[0].target,
    );
    assert.ok(targets.some(({ to }) => to === "generation") && targets.some(({ to }) => to === "receipt"));
  });
});
