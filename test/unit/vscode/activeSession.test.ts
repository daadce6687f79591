import assert from "node:assert/strict";
import type * as vscode from "vscode";
import { ActiveSession } from "../../../src/vscode/activeSession.ts";
import { FakeLive, FakeStore } from "./fakeSessions.ts";
import { ShimMemento } from "./vscodeShim.ts";

function world(remembered?: string) {
  const files = new FakeStore();
  for (const id of ["a", "b"]) files.titles.set(id, id);
  const lives = new Map<string, FakeLive>();
  const memento = new ShimMemento();
  if (remembered !== undefined) memento.values.set("activeSessionId", remembered);
  const counts = { stores: 0 };
  const sessions = new ActiveSession({
    openStore: async () => {
      counts.stores += 1;
      return files.store;
    },
    openLive: async (file) => {
      const live = new FakeLive(file, files);
      lives.set(file.id, live);
      return live.session;
    },
    workspaceState: memento as unknown as vscode.Memento,
  });
  return { files, lives, memento, sessions, counts };
}

describe("ActiveSession", () => {
  it("opens nothing before it is asked to", () => {
    const { counts, sessions } = world("a");
    assert.equal(sessions.rememberedId, "a");
    assert.equal(sessions.current, undefined);
    assert.equal(counts.stores, 0);
  });

  it("restores what was active, and forgets what is gone without an error", async () => {
    const kept = world("b");
    assert.equal((await kept.sessions.restore())?.id, "b");
    assert.equal(kept.sessions.current?.id, "b");
    const gone = world("deleted");
    assert.equal(await gone.sessions.restore(), undefined);
    assert.equal(gone.sessions.rememberedId, undefined);
  });

  it("switches: the new one is open before the old one is closed, and is remembered", async () => {
    const { files, sessions } = world();
    const seen: (string | undefined)[] = [];
    sessions.onDidChangeActive((live) => seen.push(live?.id));
    await sessions.activate("a");
    await sessions.activate("b");
    await sessions.deactivate();
    assert.deepEqual(files.log, ["open a", "open b", "dispose a", "dispose b"]);
    assert.deepEqual(seen, ["a", "b", undefined]);
    assert.equal(sessions.rememberedId, undefined);
  });

  it("keeps the one before where the new one cannot be opened", async () => {
    const { sessions } = world();
    await sessions.activate("a");
    await assert.rejects(sessions.activate("nowhere"), { code: "not_found" });
    assert.equal(sessions.current?.id, "a");
    assert.equal(sessions.rememberedId, "a");
    assert.equal((await sessions.activate("b")).id, "b", "a failed switch does not stop the next one");
  });

  it("switches in the order asked for", async () => {
    const { sessions } = world();
    await Promise.all([sessions.activate("a"), sessions.activate("b"), sessions.activate("a")]);
    assert.equal(sessions.current?.id, "a");
  });

  it("passes on changes of the active session alone, without adding listeners", async () => {
    const { lives, sessions } = world();
    const seen: string[] = [];
    sessions.onDidChange((live) => seen.push(live.id));
    await sessions.activate("a");
    const a = lives.get("a");
    await sessions.activate("b");
    await sessions.activate("b");
    a?.change({});
    lives.get("b")?.change({});
    assert.deepEqual(seen, ["b"]);
    assert.equal(lives.get("b")?.listeners.size, 1);
    assert.equal(a?.listeners.size, 0);
  });

  it("keeps a borrowed session open while another becomes active, one object for all", async () => {
    const { files, sessions } = world();
    const active = await sessions.activate("a");
    let end: () => void = () => {};
    const borrowed = sessions.borrow("a", async (live) => {
      assert.equal(live, active);
      await new Promise<void>((resolve) => {
        end = resolve;
      });
    });
    await sessions.activate("b");
    assert.equal(sessions.isBusy("a"), true);
    assert.deepEqual(files.log, ["open a", "open b"]);
    end();
    await borrowed;
    assert.deepEqual(files.log, ["open a", "open b", "dispose a"]);
    assert.equal(sessions.isBusy("a"), false);
  });

  it("gives a session back even where its user throws", async () => {
    const { files, sessions } = world();
    await assert.rejects(
      sessions.borrow("a", () => Promise.reject(new Error("boom"))),
      /boom/,
    );
    assert.deepEqual(files.log, ["open a", "dispose a"]);
  });

  it("opens a file again only when it is closed", async () => {
    const { files, lives, sessions } = world();
    await sessions.activate("a");
    let closed: () => void = () => {};
    lives.get("a")?.closeAfter(
      new Promise((resolve) => {
        closed = resolve;
      }),
    );
    const inactive = new Promise((resolve) => sessions.onDidChangeActive(resolve));
    const off = sessions.deactivate();
    await inactive;
    const again = sessions.borrow("a", async () => {});
    await new Promise((later) => setImmediate(later));
    assert.deepEqual(files.log, ["open a"]);
    closed();
    await Promise.all([off, again]);
    assert.deepEqual(files.log, ["open a", "dispose a", "open a", "dispose a"]);
  });

  it("closes the file of a session that cannot be made live", async () => {
    const files = new FakeStore();
    files.titles.set("a", "a");
    const sessions = new ActiveSession({
      openStore: async () => files.store,
      openLive: () => Promise.reject(new Error("broken")),
      workspaceState: new ShimMemento() as unknown as vscode.Memento,
    });
    await assert.rejects(sessions.activate("a"), /broken/);
    assert.deepEqual(files.log, ["open a", "close file a"]);
  });

  it("tries again after a store that could not be opened", async () => {
    const files = new FakeStore();
    let tries = 0;
    const sessions = new ActiveSession({
      openStore: async () => {
        tries += 1;
        if (tries === 1) throw new Error("disk");
        return files.store;
      },
      openLive: async () => assert.fail(),
      workspaceState: new ShimMemento() as unknown as vscode.Memento,
    });
    await assert.rejects(sessions.store(), /disk/);
    assert.equal(await sessions.store(), files.store);
  });

  it("adds places to a store that is open; what is in use stays", async () => {
    const { counts, files, sessions } = world();
    await sessions.addPlaces(["/old"]);
    assert.equal(counts.stores, 0, "one that nobody has opened finds them by itself");
    await sessions.activate("a");
    await sessions.borrow("a", () => sessions.addPlaces(["/old"]));
    assert.deepEqual(files.log, ["open a", "add /old"]);
    assert.equal(sessions.current?.id, "a");
  });

  it("closes everything, and remembers what was active for the next start", async () => {
    const { files, sessions } = world();
    await sessions.activate("a");
    await sessions.close();
    assert.deepEqual(files.log, ["open a", "dispose a", "dispose store"]);
    assert.equal(sessions.rememberedId, "a");
  });
});
