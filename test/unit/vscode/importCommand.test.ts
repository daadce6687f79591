import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import type { LogEntry } from "../../../src/sessions/entries.ts";
import type { SessionStore } from "../../../src/sessions/session.ts";
import { ActiveSession } from "../../../src/vscode/activeSession.ts";
import { ImportCommand } from "../../../src/vscode/importCommand.ts";
import type { ImportReports } from "../../../src/vscode/importReports.ts";
import { FakeLive, FakeStore } from "./fakeSessions.ts";
import { executedCommands, resetWindow, ShimMemento, shown } from "./vscodeShim.ts";

const LINES = 2000;
const messages = Array.from({ length: LINES }, (_, index) => ({
  role: index % 2 === 0 ? "user" : "assistant",
  content: `Line ${index} ${"of words ".repeat(50)}`,
}));

describe("ImportCommand", () => {
  let folder: string;
  let file: vscode.Uri;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "import-command-"));
    file = vscode.Uri.file(join(folder, "talk.json"));
    await writeFile(file.fsPath, JSON.stringify(messages));
    await writeFile(join(folder, "list.json"), '{"a": 1}');
  });
  after(() => rm(folder, { recursive: true }));
  beforeEach(resetWindow);

  function world() {
    const files = new FakeStore();
    const created: { title: string; entries?: readonly LogEntry[]; origin?: unknown }[] = [];
    const kept: string[] = [];
    const errors: unknown[] = [];
    const store: SessionStore = {
      ...files.store,
      create: async (options) => {
        created.push(options);
        return files.store.create(options);
      },
    };
    const sessions = new ActiveSession({
      openStore: async () => store,
      openLive: async (opened) => new FakeLive(opened, files).session,
      workspaceState: new ShimMemento() as unknown as vscode.Memento,
    });
    const command = new ImportCommand({
      sessions,
      reports: {
        keep: async ({ sessionId }: { sessionId: string }) => kept.push(sessionId),
      } as unknown as ImportReports,
      onError: (error) => errors.push(error),
    });
    return { command, sessions, created, kept, errors };
  }

  it("makes a session of all messages, activates it, keeps its report and offers to show it", async () => {
    const { command, sessions, created, kept, errors } = world();
    const result = await command.import(file);
    assert.equal(result?.report.messages, LINES);
    assert.equal(created[0]?.entries?.length, LINES);
    assert.match(created[0]?.title ?? "", /^Line 0 of words.*…$/);
    assert.deepEqual(created[0]?.origin, { kind: "import", name: "talk.json", format: "openai" });
    assert.equal(sessions.current?.id, result?.sessionId);
    assert.deepEqual(kept, [result?.sessionId]);
    assert.equal(shown.progress[0]?.done, true);
    assert.deepEqual(
      shown.messages.map(({ buttons }) => buttons),
      [["Show Report", "Open Transcript"]],
    );
    await shown.messages[0]?.answer("Show Report");
    assert.deepEqual(executedCommands, [
      { command: "contextCapsule.showImportReport", args: [result?.sessionId] },
    ]);
    assert.deepEqual(errors, []);
  });

  it("cancelled, makes nothing and says nothing", async () => {
    const { command, sessions, created } = world();
    const run = command.import(file);
    shown.progress[0]?.cancel();
    assert.equal(await run, undefined);
    assert.deepEqual([created, shown.messages, sessions.current], [[], [], undefined]);
    assert.equal(shown.progress[0]?.cancellable, true);
  });

  it("says what is wrong with a file that is no session, or is not there", async () => {
    for (const name of ["list.json", "nowhere.json"]) {
      resetWindow();
      const { command, created } = world();
      assert.equal(await command.import(vscode.Uri.file(join(folder, name))), undefined);
      assert.deepEqual(created, []);
      assert.equal(shown.messages.length, 1);
      assert.equal(shown.messages[0]?.kind, "error");
      assert.ok(shown.messages[0]?.text.includes(name));
    }
  });
});
