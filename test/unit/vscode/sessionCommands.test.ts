import assert from "node:assert/strict";
import type * as vscode from "vscode";
import type { LogEntry } from "../../../src/sessions/entries.ts";
import type { SessionStore } from "../../../src/sessions/session.ts";
import { SessionError } from "../../../src/sessions/session.ts";
import { ActiveSession } from "../../../src/vscode/activeSession.ts";
import { ChatBinding } from "../../../src/vscode/chatBinding.ts";
import type { SessionPlaces } from "../../../src/vscode/openSessions.ts";
import { SessionCommands, titleProblem } from "../../../src/vscode/sessionCommands.ts";
import { FakeLive, FakeStore } from "./fakeSessions.ts";
import { answers, executedCommands, resetWindow, ShimMemento, shown } from "./vscodeShim.ts";

function world(options: { deleteFails?: boolean; capsule?: readonly LogEntry[] } = {}) {
  const files = new FakeStore();
  for (const id of ["a", "b"]) files.titles.set(id, id);
  const deleted = new Map<string, string>();
  const created: Parameters<SessionStore["create"]>[0][] = [];
  const store: SessionStore = {
    ...files.store,
    create: async (session) => {
      created.push(session);
      return files.store.create(session);
    },
    rename: async (id, title) => {
      files.titles.set(id, title);
    },
    delete: async (id) => {
      if (options.deleteFails === true) throw new SessionError("read_only", id);
      deleted.set(id, files.titles.get(id) ?? "");
      files.titles.delete(id);
    },
    restore: async (id) => {
      files.titles.set(id, deleted.get(id) ?? "");
    },
  };
  const sessions = new ActiveSession({
    openStore: async () => store,
    openLive: async (file) => new FakeLive(file, files).session,
    workspaceState: new ShimMemento() as unknown as vscode.Memento,
  });
  const adopted: string[] = [];
  const chats = new ChatBinding();
  const command = new SessionCommands({
    sessions,
    chats,
    places: {
      otherPlaces: async () => [{ place: "/old", folders: [{ uri: "file:///old%20name" }], at: 0 }],
      adopt: async (place: string) => adopted.push(place),
    } as unknown as SessionPlaces,
    capsuleEntries: async () => options.capsule,
    onError: (error) => assert.fail(String(error)),
  });
  return { files, sessions, command, deleted, created, adopted, chats };
}

describe("SessionCommands", () => {
  beforeEach(resetWindow);

  it("delete what is active only after it is closed, and Undo gives it back as it was", async () => {
    const { command, files, sessions } = world();
    await sessions.activate("a");
    await command.delete("a");
    assert.deepEqual(files.log, ["open a", "dispose a"]);
    assert.equal(sessions.current?.id, undefined);
    assert.match(shown.messages[0]?.text ?? "", /Deleted “a”\. It is kept for 30 days/);
    await shown.messages[0]?.answer("Undo");
    assert.ok(files.titles.has("a"));
    assert.equal(sessions.current?.id, "a");
  });

  it("do not delete under a run", async () => {
    const { command, sessions, files } = world();
    await sessions.borrow("b", () => command.delete("b"));
    assert.ok(files.titles.has("b"));
    assert.match(shown.messages[0]?.text ?? "", /is in use/);
  });

  it("keep the active session active where it cannot be deleted", async () => {
    const { command, sessions } = world({ deleteFails: true });
    await sessions.activate("a");
    await assert.rejects(command.delete("a"), { code: "read_only" });
    assert.equal(sessions.current?.id, "a");
    assert.deepEqual(shown.messages, []);
  });

  it("say of a session that is gone that it is, before anything is asked", async () => {
    const { command } = world({ capsule: [] });
    answers.inputs = ["asked", "asked"];
    await command.rename("gone");
    await command.delete("gone");
    assert.equal(await command.createFromCapsule("gone"), undefined);
    assert.deepEqual(
      shown.messages.map(({ text }) => text),
      Array(3).fill("The session is not there any more."),
    );
    assert.equal(answers.inputs.length, 2);
  });

  it("rename with a trimmed title, and leave it where that was dismissed", async () => {
    const { command, files } = world();
    answers.inputs = ["  New name ", undefined];
    await command.rename("a");
    await command.rename("b");
    assert.deepEqual(
      [...files.titles],
      [
        ["a", "New name"],
        ["b", "b"],
      ],
    );
  });

  it("start a session from a capsule with its entries and origin, or say that there is none", async () => {
    const capsule = [{ type: "title", id: "t", at: 0, title: "x" }] as const;
    const { command, created, sessions } = world({ capsule });
    answers.inputs = ["Part two"];
    assert.equal(await command.createFromCapsule("a"), "Part two");
    assert.deepEqual(created, [
      { title: "Part two", entries: capsule, origin: { kind: "capsule", name: "a", sessionId: "a" } },
    ]);
    assert.equal(sessions.current?.id, "Part two");
    assert.equal(await world().command.createFromCapsule("a"), undefined);
    assert.match(shown.messages[0]?.text ?? "", /has no capsule yet/);
  });

  it("continue in a new chat that is bound to the session, once", async () => {
    const { command, chats, sessions } = world();
    await command.continueInChat("b");
    assert.equal(sessions.current?.id, "b");
    assert.deepEqual(executedCommands, [
      { command: "workbench.action.chat.newChat", args: [] },
      { command: "workbench.action.chat.open", args: [{ query: "@capsule ", isPartialQuery: true }] },
    ]);
    assert.deepEqual([chats.take(), chats.take()], ["b", undefined]);
  });

  it("find: a place that the person picks is adopted and listed", async () => {
    const { command, adopted, files } = world();
    answers.picks = [undefined, 0];
    await command.find();
    assert.deepEqual([adopted, files.log], [[], []], "dismissed");
    await command.find();
    assert.deepEqual([adopted, files.log], [["/old"], ["add /old"]]);
  });
});

describe("titleProblem", () => {
  it("refuses what is blank or too long, counted in characters", () => {
    assert.match(titleProblem(" \t") ?? "", /needs a title/);
    assert.match(titleProblem("x".repeat(201)) ?? "", /at most 200/);
    assert.equal(titleProblem("👍".repeat(200)), undefined);
  });
});
