import assert from "node:assert/strict";
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import type { LogEntry } from "../../../src/sessions/entries.ts";
import { nodeFiles } from "../../../src/sessions/nodeFiles.ts";
import type { OpenSession, SessionStore } from "../../../src/sessions/session.ts";
import { SessionError } from "../../../src/sessions/session.ts";
import { openSessionFile } from "../../../src/sessions/sessionFile.ts";
import type { SessionEnvironment } from "../../../src/sessions/sessionFiles.ts";
import { openSessionStore } from "../../../src/sessions/sessionStore.ts";
import {
  branchIds,
  compaction,
  contentOf,
  environment,
  header,
  lines,
  message,
  TemporaryPlace,
  toolResult,
} from "./sessionBench.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

describe("the sessions of a workspace", () => {
  let place: TemporaryPlace;
  let store: SessionStore;
  const stores: SessionStore[] = [];

  beforeEach(() => {
    place = new TemporaryPlace();
    store = openStore();
  });

  afterEach(async () => {
    for (const one of stores.splice(0)) await one.dispose();
    place[Symbol.dispose]();
  });

  function openStore(options: Partial<SessionEnvironment> = {}, ...others: string[]): SessionStore {
    const opened = openSessionStore(environment(options), [place.path, ...others]);
    stores.push(opened);
    return opened;
  }

  const titles = async (from: SessionStore) => (await from.list()).map(({ title }) => title);

  describe("list", () => {
    it("has what was created, newest first, with its numbers", async () => {
      const first = await store.create({ title: "First", entries: [message("m1", "1", { at: 50 })] });
      const second = await store.create({
        title: "Second",
        entries: [
          message("m1", "1", { at: Date.now() + 1000 }),
          message("m2", "2"),
          compaction("r1", 1, { id: "m2", ordinal: 1 }),
          compaction("r2", 2, { id: "m2", ordinal: 1 }),
          { type: "undo", id: "u1", at: 1, runId: "r2", before: 1, after: 2 },
        ],
        origin: { kind: "import", name: "a.jsonl" },
      });
      const list = await store.list();
      assert.deepEqual(
        list.map(({ id }) => id),
        [second, first],
      );
      const [newest] = list;
      assert.equal(newest?.messageCount, 2);
      assert.equal(newest?.generation, 1);
      assert.equal(newest?.place, place.path);
      assert.equal(newest?.problems, 0);
      assert.equal(newest?.bytes, readFileSync(`${place.path}/${second}.jsonl`).length);
      const session = await store.open(second);
      assert.deepEqual(session.state.origin, { kind: "import", name: "a.jsonl" });
      await session.close();
    });

    it("is empty where there is no folder yet, and makes it with the first session", async () => {
      rmSync(place.path, { recursive: true });
      const fresh = openStore();
      assert.deepEqual(await fresh.list(), []);
      await fresh.create({ title: "First" });
      assert.deepEqual(await titles(fresh), ["First"]);
    });

    it("is made from the files where the index is gone, broken, forged or of other files", async () => {
      await store.create({ title: "First", entries: [message("m1", "1")] });
      await store.create({ title: "Second" });
      const expected = await store.list();
      const index = `${place.path}/index.json`;
      const good = readFileSync(index, "utf8");
      const contents = [
        "",
        "{",
        "[]",
        "null",
        '{"version":1}',
        good.slice(0, -20),
        good.replaceAll("Second", "Forged"),
      ];
      for (const content of contents) {
        writeFileSync(index, content);
        assert.deepEqual(await openStore().list(), expected, content);
      }
      rmSync(index);
      assert.deepEqual(await openStore().list(), expected);
      writeFileSync(index, good);
      for (const name of readdirSync(place.path))
        if (name.endsWith(".jsonl")) rmSync(`${place.path}/${name}`);
      assert.deepEqual(await openStore().list(), []);
    });

    it("reads no log again that has not changed", async () => {
      const id = await store.create({ title: "First", entries: [message("m1", "1")] });
      const expected = await store.list();
      const opened: string[] = [];
      const files = {
        ...nodeFiles,
        openForReading(path: string) {
          opened.push(path);
          return nodeFiles.openForReading(path);
        },
      };
      const again = openStore({ files });
      assert.deepEqual(await again.list(), expected);
      assert.deepEqual(opened, []);
      appendFileSync(`${place.path}/${id}.jsonl`, lines({ type: "title", id: "t", at: 1, title: "Renamed" }));
      assert.deepEqual(await titles(again), ["Renamed"]);
      assert.equal(opened.length, 1);
      const path = `${place.path}/${id}.jsonl`;
      const { atime, mtime } = statSync(path);
      appendFileSync(path, lines({ type: "title", id: "t2", at: 1, title: "In no time" }));
      utimesSync(path, atime, mtime);
      assert.deepEqual(await titles(again), ["In no time"]);
    });

    it("shows every session where one is corrupt, cannot be read, or is no file", async () => {
      await store.create({ title: "Good" });
      place.writeLog("\0".repeat(5000), "zeros");
      place.writeLog("no json at all\n{}\n[1]\nnull\n", "words");
      place.writeLog("", "empty");
      place.writeLog(
        `${lines(header({ title: "Damaged" })).slice(0, -1)}\n{bad\n${lines(message("m1", "1"))}`,
        "damaged",
      );
      mkdirSync(`${place.path}/folder.jsonl`);
      const files = {
        ...nodeFiles,
        openForReading(path: string) {
          if (path.endsWith("/words.jsonl")) throw Object.assign(new Error("no"), { code: "EACCES" });
          return nodeFiles.openForReading(path);
        },
      };
      const list = await openStore({ files }).list();
      assert.deepEqual(list.map(({ title }) => title).sort(), ["Damaged", "Good", "empty", "words", "zeros"]);
      const damaged = list.find(({ title }) => title === "Damaged");
      assert.equal(damaged?.messageCount, 1);
      assert.equal(damaged?.problems, 1);
      assert.ok(list.every(({ title, problems }) => title === "Good" || problems > 0));
      assert.deepEqual((await titles(store)).sort(), ["Damaged", "Good", "empty", "words", "zeros"]);
    });

    it("sees the sessions of another window, and what they grow by", async () => {
      const other = openStore({ windowName: "window B" });
      await store.list();
      const id = await other.create({ title: "Of B", entries: [message("m1", "1")] });
      const session = await other.open(id);
      assert.deepEqual(await titles(store), ["Of B"]);
      await session.append([message("m2", "2")], "turn");
      assert.equal((await store.list())[0]?.messageCount, 2);
      await session.append([{ type: "title", id: "t1", at: 1, title: "Renamed" }], "turn");
      assert.deepEqual(await titles(store), ["Renamed"]);
      await session.close();
    });

    it("tells of another window's new session by itself", async () => {
      await store.create({ title: "Mine" });
      await store.list();
      const other = openStore({ windowName: "window B" });
      const told = new Promise<void>((resolve) => {
        store.onDidChange(resolve);
      });
      await other.create({ title: "Of B" });
      await told;
      assert.deepEqual((await titles(store)).sort(), ["Mine", "Of B"]);
    });

    it("lets a window follow a session that another one writes", async () => {
      const id = await store.create({ title: "Shared" });
      const other = openStore({ windowName: "window B" });
      const writer = await store.open(id);
      const reader = await other.open(id);
      const followed = new Promise<void>((resolve) => {
        reader.onDidChange(() => {
          if (reader.state.messageCount === 1) resolve();
        });
      });
      await writer.append([message("m1", "1")], "turn");
      await followed;
      assert.deepEqual(branchIds(reader.state), ["m1"]);
      const freed = new Promise<void>((resolve) => {
        reader.onDidChange(() => {
          if (reader.readOnly === undefined) resolve();
        });
      });
      await writer.close();
      await freed;
      await reader.append([message("m2", "2")], "turn");
      await reader.close();
    });

    it("has the sessions of older places too; new ones go to the first", async () => {
      using older = new TemporaryPlace();
      const before = openSessionStore(environment(), [older.path]);
      const old = await before.create({ title: "Before the rename", entries: [message("m1", "1")] });
      await before.dispose();
      const both = openStore({}, older.path, older.path, `${older.path}/none`);
      const created = await both.create({ title: "New" });
      const places = new Map((await both.list()).map((session) => [session.id, session.place]));
      assert.deepEqual(
        places,
        new Map([
          [created, place.path],
          [old, older.path],
        ]),
      );
      const session = await both.open(old);
      await session.append([message("m2", "2")], "turn");
      await session.close();
      await both.rename(old, "Renamed");
      assert.ok(readFileSync(`${older.path}/${old}.jsonl`, "utf8").includes("Renamed"));
      copyFileSync(`${older.path}/${old}.jsonl`, `${place.path}/${old}.jsonl`);
      assert.equal((await both.list()).filter(({ id }) => id === old).length, 1);
    });
  });

  describe("addPlaces", () => {
    it("lists, opens and watches further places from then on, and leaves what is open as it is", async () => {
      using older = new TemporaryPlace();
      const other = openSessionStore(environment(), [older.path]);
      const old = await other.create({ title: "Elsewhere", entries: [message("m1", "1")] });
      const own = await store.create({ title: "Own", entries: [message("m1", "1")] });
      const session = await store.open(own);
      let told = 0;
      store.onDidChange(() => {
        told += 1;
      });
      const before = store.list();
      await store.addPlaces([older.path, place.path, older.path]);
      await before;
      assert.ok(told > 0);
      assert.deepEqual(new Set(await titles(store)), new Set(["Elsewhere", "Own"]));
      await session.append([message("m2", "2")], "turn");
      await session.close();
      await store.rename(old, "Renamed");
      assert.ok((await titles(other)).includes("Renamed"));
      const news = new Promise<void>((resolve) => {
        store.onDidChange(resolve);
      });
      await other.create({ title: "New elsewhere" });
      await news;
      assert.ok((await titles(store)).includes("New elsewhere"));
      await other.dispose();
    });

    it("says nothing where it knows them all", async () => {
      await store.list();
      store.onDidChange(() => assert.fail());
      await store.addPlaces([place.path]);
      assert.deepEqual(await titles(store), []);
    });
  });

  describe("create", () => {
    it("writes all entries or no session, large texts outside the log", async () => {
      const large = "l".repeat(60_000);
      const id = await store.create({
        title: "Import",
        entries: [message("m1", "1"), toolResult("m2", "c1", large)],
      });
      const session = await store.open(id);
      assert.deepEqual(branchIds(session.state), ["m1", "m2"]);
      assert.equal(await session.recover(nodeFiles.sha256(large)), large);
      assert.ok(readFileSync(`${place.path}/${id}.jsonl`).length < 5000);
      await session.close();
      const odd = { type: "message", id: "m1", at: Number.NaN } as unknown as LogEntry;
      await assert.rejects(
        store.create({ title: "Odd", entries: [message("m0", "0"), toolResult("m2", "c1", large), odd] }),
        TypeError,
      );
      assert.deepEqual(await titles(store), ["Import"]);
      assert.deepEqual(
        readdirSync(place.path).filter((name) => name.endsWith(".tmp")),
        [],
      );
    });

    it("says that the disk is full and leaves nothing behind", async () => {
      const files = {
        ...nodeFiles,
        writeWhole() {
          return Promise.reject(Object.assign(new Error("full"), { code: "ENOSPC" }));
        },
      };
      await assert.rejects(openStore({ files }).create({ title: "No room" }), {
        name: "SessionError",
        code: "disk_full",
      });
      assert.deepEqual(await titles(store), []);
    });
  });

  describe("open", () => {
    it("gives all readers of this window one file, closed with the last", async () => {
      const id = await store.create({ title: "Shared" });
      const [one, two] = await Promise.all([store.open(id), store.open(id)]);
      let told = 0;
      two.onDidChange(() => {
        told += 1;
      });
      await one.append([message("m1", "1")], "turn");
      assert.equal(one.state, two.state);
      assert.equal(two.readOnly, undefined);
      await one.close();
      await one.close();
      await two.append([message("m2", "2")], "turn");
      assert.equal(told, 2);
      await two.close();
      await assert.rejects(two.append([message("m3", "3")], "turn"), { code: "closed" });
      const again = await store.open(id);
      assert.deepEqual(branchIds(again.state), ["m1", "m2"]);
      await again.close();
    });

    it("is not found for what is no session, and can be tried again", async () => {
      for (const id of ["none", "../escape", "", "index.json"]) {
        const expected = { name: "SessionError", code: "not_found" };
        await assert.rejects(store.open(id), expected);
        await assert.rejects(store.tail(id, 5), expected);
        await assert.rejects(store.delete(id), expected);
        await assert.rejects(store.restore(id), expected);
        await assert.rejects(store.rename(id, "x"), expected);
      }
      place.writeLog(lines(header()), "none");
      await (await store.open("none")).close();
    });
  });

  describe("tail", () => {
    it("gives the last messages of a long session, large texts in their places", async () => {
      const entries: LogEntry[] = Array.from({ length: 3000 }, (_, index) =>
        message(`m${index}`, `text ${index} ${"x".repeat(900)}`),
      );
      entries.push(toolResult("last", "c1", "L".repeat(70_000)));
      const id = await store.create({ title: "Long", entries });
      const tail = await store.tail(id, 200);
      assert.equal(tail.length, 200);
      assert.equal(tail[0]?.id, "m2801");
      const last = tail.at(-1);
      assert.ok(last?.type === "message" && last.message.content[0]?.type === "tool-result");
      assert.equal(last.message.content[0].output.length, 70_000);
    });

    it("is that of the active branch", async () => {
      const entries: LogEntry[] = Array.from({ length: 500 }, (_, index) =>
        message(`m${index}`, `text ${index}`),
      );
      const back: LogEntry = { type: "branch", id: "b1", at: 1, from: "m9" };
      const id = await store.create({
        title: "Branched",
        entries: [...entries, back, message("new", "new")],
      });
      assert.deepEqual(
        (await store.tail(id, 3)).map((entry) => entry.id),
        ["m8", "m9", "new"],
      );
      assert.equal((await store.tail(id, 300)).length, 11);
    });
  });

  describe("rename and delete", () => {
    it("renames for good, also a session that is open", async () => {
      const id = await store.create({ title: "Old" });
      await store.rename(id, "New");
      assert.deepEqual(await titles(openStore()), ["New"]);
      const session = await store.open(id);
      await store.rename(id, "Newer");
      assert.equal(session.state.title, "Newer");
      assert.deepEqual(await titles(store), ["Newer"]);
      await session.close();
    });

    it("does neither to a session that another window writes", async () => {
      const id = await store.create({ title: "Busy" });
      const other = openStore({ windowName: "window B" });
      const session = await other.open(id);
      const refused = { name: "SessionError", code: "read_only", message: /window B/ };
      await assert.rejects(store.rename(id, "x"), refused);
      await assert.rejects(store.delete(id), refused);
      assert.deepEqual(await titles(store), ["Busy"]);
      await session.close();
      await store.delete(id);
      assert.deepEqual(await titles(store), []);
    });

    it("deletes with all files and restores all of them", async () => {
      const large = "d".repeat(60_000);
      const id = await store.create({ title: "Gone", entries: [toolResult("m1", "c1", large)] });
      appendFileSync(`${place.path}/${id}.jsonl`, '{"torn');
      const session = await store.open(id);
      const before = contentOf(session.state);
      await store.delete(id);
      await assert.rejects(session.append([message("m2", "2")], "turn"), { code: "closed" });
      assert.deepEqual(await titles(store), []);
      assert.deepEqual(
        readdirSync(place.path).filter((name) => name.startsWith(id)),
        [],
      );
      const [deleted] = await store.deleted();
      assert.equal(deleted?.id, id);
      assert.equal(deleted?.title, "Gone");
      await store.restore(id);
      assert.deepEqual(await store.deleted(), []);
      const again = await store.open(id);
      assert.deepEqual(contentOf(again.state), before);
      assert.equal(await again.recover(nodeFiles.sha256(large)), large);
      assert.ok(existsSync(`${place.path}/${id}.torn`));
      await again.close();
    });

    it("restores after a deletion that was cut off between two files", async () => {
      const large = "d".repeat(60_000);
      const id = await store.create({ title: "Gone", entries: [toolResult("m1", "c1", large)] });
      let moves = 0;
      const files = {
        ...nodeFiles,
        move(from: string, to: string) {
          moves += 1;
          if (moves > 1) return Promise.reject(Object.assign(new Error("killed"), { code: "EIO" }));
          return nodeFiles.move(from, to);
        },
      };
      await assert.rejects(openStore({ files }).delete(id));
      assert.deepEqual(await titles(store), []);
      await store.restore(id);
      const session = await store.open(id);
      assert.equal(await session.recover(nodeFiles.sha256(large)), large);
      await session.close();
    });

    it("purges after 30 days, not before, and not where the clock went back", async () => {
      let time = 1_800_000_000_000;
      const dated = openStore({ now: () => time });
      const id = await dated.create({ title: "Old" });
      await dated.delete(id);
      for (const age of [29.9 * DAY_MS, -400 * DAY_MS]) {
        time = 1_800_000_000_000 + age;
        assert.equal((await openStore({ now: () => time }).list()).length, 0);
        assert.equal((await dated.deleted()).length, 1);
      }
      const marker = `${place.path}/deleted/${id}/deleted.json`;
      const content = readFileSync(marker);
      rmSync(marker);
      utimesSync(`${place.path}/deleted/${id}`, 1_800_000_000, 1_800_000_000);
      assert.equal((await dated.deleted())[0]?.title, id);
      writeFileSync(marker, content);
      time = 1_800_000_000_000 + 30.1 * DAY_MS;
      await openStore({ now: () => time }).list();
      assert.deepEqual(await dated.deleted(), []);
      assert.equal(existsSync(`${place.path}/deleted/${id}`), false);
    });
  });

  describe("search", () => {
    const found = async (query: string, signal = new AbortController().signal) => {
      const results: { title: string; messageId: string | undefined; excerpt: string }[] = [];
      for await (const { session, messageId, excerpt } of store.search(query, signal)) {
        results.push({ title: session.title, messageId, excerpt });
      }
      return results;
    };

    beforeEach(async () => {
      await store.create({
        title: "Parsers",
        entries: [
          message("m1", "Please write a PARSER for dates", { at: 10 }),
          message("m2", `A parser for numbers ${"and so on ".repeat(40)}`, { at: 20 }),
          toolResult("m3", "c1", `${"z".repeat(50_000)} needle in a large output`),
        ],
      });
      await store.create({
        title: "Dates and PARSERS",
        entries: [message("m1", "nothing", { at: Date.now() + 5000 })],
      });
    });

    it("finds the newest message with all words, titles first of all, newest session first", async () => {
      const results = await found("parser");
      assert.deepEqual(
        results.map(({ title, messageId }) => [title, messageId]),
        [
          ["Dates and PARSERS", undefined],
          ["Parsers", undefined],
        ],
      );
      assert.deepEqual(
        (await found("dates PARSER write")).map(({ messageId }) => messageId),
        ["m1"],
      );
      const [numbers] = await found(" numbers ");
      assert.equal(numbers?.messageId, "m2");
      assert.ok((numbers?.excerpt.length ?? 999) < 250 && numbers?.excerpt.includes("numbers"));
    });

    it("reads large outputs too", async () => {
      assert.deepEqual(
        (await found("needle large")).map(({ messageId }) => messageId),
        ["m3"],
      );
    });

    it("finds nothing for words that no message holds together, and for no words", async () => {
      assert.deepEqual(await found("dates numbers"), []);
      assert.deepEqual(await found("  "), []);
    });

    it("stops when it is cancelled", async () => {
      const controller = new AbortController();
      const results: string[] = [];
      for await (const { session } of store.search("parser", controller.signal)) {
        results.push(session.title);
        controller.abort();
      }
      assert.equal(results.length, 1);
    });

    it("goes past a session that cannot be read", async () => {
      rmSync(`${place.path}/${(await store.list())[0]?.id}.jsonl`);
      assert.deepEqual(
        (await found("write")).map(({ messageId }) => messageId),
        ["m1"],
      );
    });
  });

  it("says what went wrong in words that tell what to do", async () => {
    const id = await store.create({ title: "Busy" });
    const session: OpenSession = await openSessionFile(
      environment({ windowName: "window B" }),
      place.path,
      id,
    );
    const error = await store.delete(id).catch((caught: unknown) => caught);
    assert.ok(error instanceof SessionError);
    assert.match(error.message, /window B\. Close it there, then delete it\./);
    await session.close();
  });
});
