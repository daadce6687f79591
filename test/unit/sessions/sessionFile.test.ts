import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { LogEntry } from "../../../src/sessions/entries.ts";
import type { OpenSession } from "../../../src/sessions/session.ts";
import { openSessionFile } from "../../../src/sessions/sessionFile.ts";
import { Faults, faultyFiles } from "./faultyFiles.ts";
import {
  branchIds,
  compaction,
  contentOf,
  environment,
  header,
  lines,
  message,
  problemKinds,
  SESSION,
  TemporaryPlace,
} from "./sessionBench.ts";

describe("a session file", () => {
  let place: TemporaryPlace;
  const opened: OpenSession[] = [];

  beforeEach(() => {
    place = new TemporaryPlace();
  });

  afterEach(async () => {
    for (const session of opened.splice(0)) await session.close();
    place[Symbol.dispose]();
  });

  async function open(options: Parameters<typeof environment>[0] = {}): Promise<OpenSession> {
    const session = await openSessionFile(environment(options), place.path, SESSION);
    opened.push(session);
    return session;
  }

  async function reopen(session: OpenSession): Promise<OpenSession> {
    await session.close();
    return open();
  }

  it("opens what was appended as it was in memory", async () => {
    place.writeLog(lines(header()));
    const session = await open();
    await session.append([message("m1", "first")], "turn");
    await session.append(
      [message("m2", "second"), compaction("r1", 1, { id: "m2", ordinal: 1 })],
      "boundary",
    );
    assert.deepEqual(branchIds(session.state), ["m1", "m2", "entry-r1-1"]);
    const again = await reopen(session);
    assert.deepEqual(contentOf(again.state), contentOf(session.state));
    assert.deepEqual(again.state.problems, []);
  });

  it("grows its arrays in place: an append costs the same however long the session is", async () => {
    place.writeLog(lines(header(), message("m1", "first")));
    const session = await open();
    const { branch, entries, state } = { ...session.state, state: session.state };
    await session.append([message("m2", "second")], "turn");
    assert.equal(session.state, state);
    assert.equal(session.state.branch, branch);
    assert.equal(session.state.entries, entries);
    assert.equal(branch.length, 2);
  });

  it("only ever adds bytes to the log", async () => {
    place.writeLog(`${lines(header(), message("m1", "first"))}{"type":"mess`);
    const before = place.logText();
    const session = await open();
    await session.append([message("m2", "second")], "boundary");
    await session.append([{ type: "undo", id: "u1", at: 1, runId: "r1", before: 1, after: 2 }], "turn");
    assert.ok(place.logText().startsWith(before));
  });

  it("keeps the order of appends that were not waited for", async () => {
    place.writeLog(lines(header()));
    const session = await open();
    const large = "x".repeat(100_000);
    await Promise.all([
      session.append([message("m1", large)], "turn"),
      session.append([message("m2", "second")], "boundary"),
      session.append([message("m3", "third")], "turn"),
      session.append([message("m4", large)], "turn"),
      session.append([message("m5", "fifth")], "turn"),
    ]);
    assert.deepEqual(branchIds(session.state), ["m1", "m2", "m3", "m4", "m5"]);
    assert.deepEqual(branchIds((await reopen(session)).state), ["m1", "m2", "m3", "m4", "m5"]);
  });

  it("waits for the disk at a boundary before memory changes", async () => {
    place.writeLog(lines(header()));
    const faults = new Faults();
    const gate = Promise.withResolvers<void>();
    faults.gate = gate.promise;
    const session = await open({ files: faultyFiles(faults) });
    const appended = session.append([message("m1", "first")], "boundary");
    await faults.datasyncAsked.promise;
    const [text, branch] = [place.logText(), branchIds(session.state)];
    gate.resolve();
    await appended;
    assert.match(text, /"m1"/);
    assert.deepEqual(branch, []);
    assert.deepEqual(branchIds(session.state), ["m1"]);
  });

  it("syncs once for all the appends of a turn", async () => {
    place.writeLog(lines(header()));
    const faults = new Faults();
    const session = await open({ files: faultyFiles(faults) });
    for (let index = 0; index < 50; index += 1) await session.append([message(`m${index}`, "text")], "turn");
    assert.equal(faults.datasyncs, 0);
    await faults.datasyncAsked.promise;
    await new Promise((resume) => setImmediate(resume));
    assert.equal(faults.datasyncs, 1);
    await session.append([message("last", "text")], "turn");
    await session.close();
    assert.equal(faults.datasyncs, 2);
  });

  it("tells its listeners once an append, after memory changed", async () => {
    place.writeLog(lines(header()));
    const session = await open();
    const seen: number[] = [];
    const subscription = session.onDidChange(() => seen.push(session.state.branch.length));
    await session.append([message("m1", "first"), message("m2", "second")], "turn");
    await session.append([message("m3", "third")], "boundary");
    subscription.dispose();
    await session.append([message("m4", "fourth")], "turn");
    assert.deepEqual(seen, [2, 3]);
  });

  it("refuses an entry that could not be read back, and stays usable", async () => {
    place.writeLog(lines(header()));
    const session = await open();
    const odd = {
      type: "message",
      id: "m1",
      at: 1,
      message: { id: "m1", role: "user", content: [{ type: "text" }] },
    };
    await assert.rejects(session.append([odd as unknown as LogEntry], "turn"), TypeError);
    await session.append([message("m2", "second")], "turn");
    assert.deepEqual(branchIds((await reopen(session)).state), ["m2"]);
  });

  it("leaves out usage that holds no numbers, in memory and in the file alike", async () => {
    place.writeLog(lines(header()));
    const session = await open();
    const { message: plain, ...entry } = message("m1", "first");
    const usage = { inputTokens: Number.NaN, outputTokens: 3 };
    await session.append([{ ...entry, message: { ...plain, usage } }], "turn");
    const again = await reopen(session);
    assert.deepEqual(contentOf(again.state), contentOf(session.state));
    assert.equal("usage" in (again.state.entries[1] as { message: object }).message, false);
  });

  it("is not found where there is none, or where its id is no file name", async () => {
    const expected = { name: "SessionError", code: "not_found" };
    await assert.rejects(open(), expected);
    for (const id of ["../s1", "", ".", "a/b", "s1.jsonl"]) {
      await assert.rejects(openSessionFile(environment(), place.path, id), expected);
    }
  });

  it("is closed for good once closed", async () => {
    place.writeLog(lines(header()));
    const session = await open();
    await session.close();
    await session.close();
    await assert.rejects(session.append([message("m1", "first")], "turn"), { code: "closed" });
  });

  describe("with damage", () => {
    it("sets a torn last line aside and appends beside it", async () => {
      const torn = '{"type":"message","id":"m2","at":1,"mess';
      place.writeLog(lines(header(), message("m1", "first")) + torn);
      const session = await open();
      assert.deepEqual(session.state.problems, [{ kind: "torn_tail", line: 3, bytes: torn.length }]);
      assert.equal(readFileSync(`${place.path}/${SESSION}.torn`, "utf8"), `${torn}\n`);
      await session.append([message("m3", "third")], "boundary");
      assert.ok(place.logText().includes(`${torn}\n`));
      const again = await reopen(session);
      assert.deepEqual(branchIds(again.state), ["m1", "m3"]);
      assert.deepEqual(problemKinds(again.state), ["torn_tail"]);
      assert.equal(readFileSync(`${place.path}/${SESSION}.torn`, "utf8"), `${torn}\n`);
    });

    it("does not set the same torn line aside twice", async () => {
      place.writeLog(`${lines(header())}{"type":`);
      await reopen(await open());
      assert.equal(readFileSync(`${place.path}/${SESSION}.torn`, "utf8"), '{"type":\n');
    });

    it("counts a last line that lacks nothing but its end", async () => {
      place.writeLog(lines(header(), message("m1", "first")).trimEnd());
      const session = await open();
      assert.deepEqual(branchIds(session.state), ["m1"]);
      assert.deepEqual(session.state.problems, []);
      await session.append([message("m2", "second")], "turn");
      const again = await reopen(session);
      assert.deepEqual(branchIds(again.state), ["m1", "m2"]);
      assert.deepEqual(again.state.problems, []);
    });

    it("unknown entries stay, torn line dropped, bad middle line reported", async () => {
      const unknown = { type: "hologram", id: "x1", at: 5, anything: [1] };
      const bad = '{"type":"message","id":"m9"';
      place.writeLog(
        `${lines(header(), message("m1", "first"), unknown)}${bad}\n${lines(message("m2", "second"))}{"torn`,
      );
      const session = await open();
      assert.deepEqual(branchIds(session.state), ["m1", "m2"]);
      assert.deepEqual(
        session.state.problems.map(({ kind, line }) => [kind, line]),
        [
          ["unknown_type", 3],
          ["bad_line", 4],
          ["torn_tail", 6],
        ],
      );
      await session.append([message("m3", "third")], "boundary");
      assert.ok(place.logText().includes(JSON.stringify(unknown)));
      assert.ok(place.logText().includes(bad));
      assert.deepEqual(branchIds((await reopen(session)).state), ["m1", "m2", "m3"]);
    });

    it("reads past a byte order mark", async () => {
      place.writeLog(`\u{FEFF}${lines(header({ title: "Marked" }), message("m1", "first"))}`);
      const session = await open();
      assert.equal(session.state.title, "Marked");
      assert.deepEqual(branchIds(session.state), ["m1"]);
      assert.deepEqual(problemKinds(session.state), ["byte_order_mark"]);
    });

    it("reads what stands before and after a run of NUL", async () => {
      const [first, second, third] = [
        message("m1", "first"),
        message("m2", "second"),
        message("m3", "third"),
      ];
      const hole = "\0".repeat(700_000);
      place.writeLog(
        `${lines(header(), first)}{"type":"mess${hole}${lines(second)}${hole}\n${hole}${lines(third)}${hole}`,
      );
      const session = await open();
      assert.deepEqual(branchIds(session.state), ["m1", "m2", "m3"]);
      assert.ok(problemKinds(session.state).includes("nul_bytes"));
      await session.append([message("m4", "fourth")], "boundary");
      assert.deepEqual(branchIds((await reopen(session)).state), ["m1", "m2", "m3", "m4"]);
    });

    it("reads line ends of Windows and empty lines", async () => {
      place.writeLog(`\r\n${lines(header(), message("m1", "first")).replaceAll("\n", "\r\n")}\n\r\n`);
      const session = await open();
      assert.deepEqual(branchIds(session.state), ["m1"]);
      assert.deepEqual(session.state.problems, []);
    });

    it("shows the messages of a log without a header", async () => {
      place.writeLog(lines(message("m1", "first", { at: 77 })));
      const session = await open();
      assert.deepEqual(branchIds(session.state), ["m1"]);
      assert.equal(session.state.createdAt, 77);
      assert.deepEqual(problemKinds(session.state), ["no_header"]);
    });

    it("opens an empty file", async () => {
      place.writeLog("");
      const session = await open();
      assert.deepEqual(session.state.entries, []);
      await session.append([header(), message("m1", "first")], "boundary");
      assert.deepEqual(branchIds((await reopen(session)).state), ["m1"]);
    });

    it("opens a newer format read-only", async () => {
      const newer = { ...header(), format: 2 };
      place.writeLog(lines(newer, message("m1", "first"), { type: "hologram", id: "x", at: 1 }));
      const session = await open();
      assert.deepEqual(session.readOnly, { reason: "newer_format" });
      assert.deepEqual(branchIds(session.state), ["m1"]);
      const refused = { code: "newer_format" };
      await assert.rejects(session.append([message("m2", "second")], "turn"), refused);
      await assert.rejects(session.takeOver(), refused);
      assert.equal(place.logText().includes("m2"), false);
    });

    it("keeps the order of lines where the clock went back", async () => {
      place.writeLog(lines(header({ at: 5000 })));
      const session = await open();
      const times = [9000, 10, 8000, 20];
      for (const [index, at] of times.entries()) {
        await session.append([message(`m${index}`, "text", { at })], "turn");
      }
      assert.deepEqual(branchIds(session.state), ["m0", "m1", "m2", "m3"]);
      assert.equal(session.state.updatedAt, 9000);
      const again = await reopen(session);
      assert.deepEqual(contentOf(again.state), contentOf(session.state));
    });

    it("opens a line of 65 MB", async function () {
      this.timeout(30_000);
      const huge = {
        type: "tool-call" as const,
        toolCallId: "c1",
        toolName: "write",
        input: "y".repeat(65_000_000),
      };
      const entry: LogEntry = {
        type: "message",
        id: "m2",
        at: 1,
        message: { id: "m2", role: "assistant", content: [huge] },
      };
      place.writeLog(lines(header(), message("m1", "first"), entry, message("m3", "third")));
      const session = await open();
      assert.deepEqual(branchIds(session.state), ["m1", "m2", "m3"]);
      await session.append([message("m4", "fourth")], "turn");
      assert.deepEqual(branchIds((await reopen(session)).state), ["m1", "m2", "m3", "m4"]);
    });
  });
});
