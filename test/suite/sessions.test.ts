import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import { commands, settingRules } from "../../src/vscode/contributions.ts";
import type { ImportedSessionResult } from "../../src/vscode/importCommand.ts";
import { messages } from "./support/sessionDocuments.ts";

const EXTENSION = "context-capsule.context-capsule";

async function importText(name: string, text: string): Promise<ImportedSessionResult | undefined> {
  const file = join(tmpdir(), `${process.pid}-${name}`);
  await writeFile(file, text);
  return vscode.commands.executeCommand(commands.importSession, vscode.Uri.file(file));
}

describe("sessions", () => {
  before(async () => {
    await vscode.extensions.getExtension(EXTENSION)?.activate();
  });
  afterEach(async () => {
    await vscode.commands.executeCommand("notifications.clearAll");
  });

  it("every command of the manifest is there", async () => {
    const registered = new Set(await vscode.commands.getCommands(true));
    assert.deepEqual(
      Object.values(commands).filter((id) => !registered.has(id)),
      [],
    );
  });

  it("every setting has the default that the code counts on", () => {
    const configuration = vscode.workspace.getConfiguration("contextCapsule");
    for (const [name, rule] of Object.entries(settingRules)) {
      assert.equal(configuration.inspect(name)?.defaultValue, rule.default, name);
    }
  });

  it("activation hands out the core, which loads on first use", async () => {
    const api = vscode.extensions.getExtension(EXTENSION)?.exports;
    const core = await api.loadCompaction();
    assert.equal(core.shouldCompact(core.defaultPolicy, 200_000, 183_616), true);
    assert.equal(core.shouldCompact(core.defaultPolicy, 200_000, 183_615), false);
  });

  it("an import gives its report and becomes the active session", async () => {
    const imported = await importText("import.json", JSON.stringify(messages(3)));
    assert.equal(imported?.report.format, "openai");
    assert.equal(imported.report.messages, messages(3).length);
    assert.equal(imported.report.calls, 3);
    assert.equal(imported.report.openCalls, 0);
  });

  it("a file that is no session imports nothing, and no error reaches the caller", async () => {
    assert.equal(await importText("nothing.json", '{"hello": "world"}'), undefined);
    assert.equal(await importText("empty.jsonl", ""), undefined);
    const missing = vscode.Uri.file(join(tmpdir(), "no-such-session.jsonl"));
    assert.equal(await vscode.commands.executeCommand(commands.importSession, missing), undefined);
  });

  it("a file of another file system imports through VS Code", async () => {
    const bytes = new TextEncoder().encode(JSON.stringify(messages(1)));
    const registered = vscode.workspace.registerFileSystemProvider("suite-memory", {
      onDidChangeFile: new vscode.EventEmitter<vscode.FileChangeEvent[]>().event,
      watch: () => new vscode.Disposable(() => {}),
      stat: () => ({ type: vscode.FileType.File, ctime: 0, mtime: 0, size: bytes.length }),
      readDirectory: () => [],
      readFile: () => bytes,
      createDirectory: () => {},
      writeFile: () => {},
      delete: () => {},
      rename: () => {},
    });
    try {
      const imported = await vscode.commands.executeCommand<ImportedSessionResult>(
        commands.importSession,
        vscode.Uri.parse("suite-memory:/remote/session.json"),
      );
      assert.equal(imported.report.messages, messages(1).length);
    } finally {
      registered.dispose();
    }
  });

  it("switching names the session, and an unknown one changes nothing", async () => {
    const first = await importText("first.json", JSON.stringify(messages(1)));
    const second = await importText("second.json", JSON.stringify(messages(1)));
    assert.ok(first && second);
    const { sessionId } = first;
    assert.equal(await vscode.commands.executeCommand(commands.switchSession, sessionId), sessionId);
    assert.equal(await vscode.commands.executeCommand(commands.switchSession, "nowhere"), undefined);
    assert.equal(await vscode.commands.executeCommand(commands.switchSession, { sessionId }), sessionId);
  });

  it("a session without a capsule starts no other one", async () => {
    const imported = await importText("plain.json", JSON.stringify(messages(1)));
    assert.equal(
      await vscode.commands.executeCommand(commands.newSessionFromCapsule, imported?.sessionId),
      undefined,
    );
  });
});
