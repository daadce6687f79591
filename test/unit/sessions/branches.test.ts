import assert from "node:assert/strict";
import fc from "fast-check";
import { projectContext } from "../../../src/core/projection.ts";
import type { LogEntry } from "../../../src/sessions/entries.ts";
import { isChainEntry } from "../../../src/sessions/entries.ts";
import type { OpenSession } from "../../../src/sessions/session.ts";
import { openSessionFile } from "../../../src/sessions/sessionFile.ts";
import { readSessionTail } from "../../../src/sessions/sessionTail.ts";
import { Faults, faultyFiles } from "./faultyFiles.ts";
import {
  attempt,
  branchIds,
  compaction,
  contentOf,
  environment,
  eviction,
  header,
  lines,
  message,
  problemKinds,
  SESSION,
  TemporaryPlace,
} from "./sessionBench.ts";

const branchTo = (from: string | null, id: string): LogEntry => ({ type: "branch", id, at: 1, from });
const undo = (runId: string, id: string): LogEntry => ({
  type: "undo",
  id,
  at: 1,
  runId,
  before: 1,
  after: 2,
});
const boundary = (id: string): LogEntry => ({ type: "boundary", id, at: 1 });

async function opened(place: TemporaryPlace): Promise<OpenSession> {
  return openSessionFile(environment(), place.path, SESSION);
}

/**
 * The branch by the plain words of the contract: every entry follows the head, `branch` moves it; an entry that is
 * no head stands for the head of its time.
 */
function modelBranch(entries: readonly LogEntry[]): string[] {
  const parents = new Map<string, string | null>();
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const headAt = new Map<string | null, string | null>([[null, null]]);
  let head: string | null = null;
  for (const entry of entries) {
    if (entry.type === "branch") head = headAt.get(entry.from) ?? (headAt.has(entry.from) ? null : head);
    else if (isChainEntry(entry) || entry.type === "boundary") {
      parents.set(entry.id, head);
      head = entry.id;
    }
    headAt.set(entry.id, head);
  }
  const path: string[] = [];
  for (let at = head; at !== null; at = parents.get(at) ?? null) {
    if (byId.get(at)?.type === "boundary") break;
    path.unshift(at);
  }
  return path;
}

describe("the branch of a session", () => {
  it("goes on where the person went back to, and keeps what was there", async () => {
    using place = new TemporaryPlace();
    place.writeLog(lines(header(), message("m1", "1"), message("m2", "2"), message("m3", "3")));
    const session = await opened(place);
    await session.append([branchTo("m1", "b1"), message("m4", "4")], "boundary");
    assert.deepEqual(branchIds(session.state), ["m1", "m4"]);
    assert.equal(session.state.headId, "m4");
    await session.append([branchTo("m3", "b2"), message("m5", "5")], "turn");
    assert.deepEqual(branchIds(session.state), ["m1", "m2", "m3", "m5"]);
    await session.append([branchTo(null, "b3")], "turn");
    assert.deepEqual(branchIds(session.state), []);
    assert.equal(session.state.headId, null);
    await session.append([branchTo("m4", "b4")], "turn");
    assert.equal(session.state.messageCount, 5);
    const live = contentOf(session.state);
    await session.close();
    const again = await opened(place);
    assert.deepEqual(contentOf(again.state), live);
    assert.deepEqual(branchIds(again.state), ["m1", "m4"]);
    await again.close();
  });

  it("goes back to what was current when an entry that is no part of a branch was written", async () => {
    using place = new TemporaryPlace();
    const title: LogEntry = { type: "title", id: "t1", at: 1, title: "Renamed" };
    place.writeLog(lines(header(), message("m1", "1"), title, message("m2", "2"), branchTo("t1", "b1")));
    const session = await opened(place);
    assert.deepEqual(branchIds(session.state), ["m1"]);
    await session.close();
  });

  it("stays where it is, and says so, where it should go back to something unknown", async () => {
    using place = new TemporaryPlace();
    place.writeLog(lines(header(), message("m1", "1"), branchTo("nobody", "b1"), message("m2", "2")));
    const session = await opened(place);
    assert.deepEqual(branchIds(session.state), ["m1", "m2"]);
    assert.deepEqual(problemKinds(session.state), ["missing_parent"]);
    await session.close();
  });

  it("begins after an import's last boundary, also on the way back to it", async () => {
    using place = new TemporaryPlace();
    const entries = [
      message("m1", "1"),
      boundary("x1"),
      message("m2", "2"),
      boundary("x2"),
      message("m3", "3"),
    ];
    place.writeLog(lines(header(), ...entries));
    const session = await opened(place);
    assert.deepEqual(branchIds(session.state), ["m3"]);
    await session.append([message("m4", "4"), branchTo("x2", "b1"), message("m5", "5")], "turn");
    assert.deepEqual(branchIds(session.state), ["m5"]);
    await session.append([branchTo("m2", "b2"), message("m6", "6")], "turn");
    assert.deepEqual(branchIds(session.state), ["m2", "m6"]);
    await session.append([branchTo("m1", "b3")], "turn");
    assert.deepEqual(branchIds(session.state), ["m1"]);
    assert.equal(session.state.messageCount, 6);
    await session.close();
  });

  it("last boundary wins, all messages stay", async () => {
    using place = new TemporaryPlace();
    const entries = [
      message("m1", "1"),
      message("m2", "2"),
      compaction("r1", 1, { id: "m2", ordinal: 1 }),
      message("m3", "3"),
      compaction("r2", 2, { id: "m3", ordinal: 2 }),
    ];
    place.writeLog(lines(header(), ...entries));
    const session = await opened(place);
    const { messages, transcript, summary } = projectContext(session.state.branch);
    assert.equal(summary?.generation, 2);
    assert.deepEqual(
      transcript.map(({ id }) => id),
      ["m1", "m2", "m3"],
    );
    assert.deepEqual(
      messages.map(({ id }) => id),
      ["m1", "capsule-r2-2", "m3"],
    );
    await session.close();
  });

  it("later messages follow the tail", async () => {
    using place = new TemporaryPlace();
    place.writeLog(
      lines(header(), message("m1", "1"), message("m2", "2"), compaction("r1", 1, { id: "m2", ordinal: 1 })),
    );
    const session = await opened(place);
    await session.append([message("m3", "3")], "turn");
    await session.append([message("m4", "4")], "turn");
    const ids = projectContext(session.state.branch).messages.map(({ id }) => id);
    assert.deepEqual(ids, ["m1", "capsule-r1-1", "m2", "m3", "m4"]);
    await session.close();
  });

  it("boundary by id with ordinal cross-check", async () => {
    using place = new TemporaryPlace();
    const wrong = compaction("r1", 1, { id: "m2", ordinal: 7 });
    place.writeLog(lines(header(), message("m1", "1"), message("m2", "2"), wrong));
    const session = await opened(place);
    const { brokenBoundaries, messages } = projectContext(session.state.branch);
    assert.deepEqual(brokenBoundaries, ["r1"]);
    assert.deepEqual(
      messages.map(({ id }) => id),
      ["m1", "m2"],
    );
    await session.close();
  });

  it("projects the same before a compaction and after its undo, also when opened again; later messages stay", async () => {
    using place = new TemporaryPlace();
    place.writeLog(lines(header(), message("m1", "1"), message("m2", "2"), message("m3", "3")));
    const session = await opened(place);
    const first = projectContext(session.state.branch).messages;
    await session.append([compaction("r1", 1, { id: "m3", ordinal: 2 })], "boundary");
    const second = projectContext(session.state.branch).messages;
    await session.append([message("m4", "4")], "turn");
    await session.append([compaction("r2", 2, { id: "m4", ordinal: 3 })], "boundary");
    assert.notDeepEqual(second, first);
    await session.append([undo("r2", "u2")], "boundary");
    await session.close();
    const again = await opened(place);
    assert.deepEqual(projectContext(again.state.branch).messages, [...second, message("m4", "4").message]);
    await again.append([undo("r1", "u1")], "boundary");
    assert.deepEqual(projectContext(again.state.branch).messages, [...first, message("m4", "4").message]);
    await again.close();
  });

  it("keeps messages that came while a compaction ran, in order", async () => {
    using place = new TemporaryPlace();
    place.writeLog(lines(header(), message("m1", "1"), message("m2", "2")));
    const session = await opened(place);
    await Promise.all([
      session.append([message("m3", "typed meanwhile")], "turn"),
      session.append([compaction("r1", 1, { id: "m2", ordinal: 1 })], "boundary"),
      session.append([message("m4", "typed while it was saved")], "turn"),
    ]);
    const ids = projectContext(session.state.branch).messages.map(({ id }) => id);
    assert.deepEqual(ids, ["m1", "capsule-r1-1", "m2", "m3", "m4"]);
    await session.close();
  });
});

describe("the tail of a session", () => {
  it("has nothing of an append whose last line is missing, however little is asked for", async () => {
    using place = new TemporaryPlace();
    place.writeLog(lines(header(), message("m1", "1")));
    const session = await opened(place);
    await session.append([message("m2", "2"), message("m3", "3"), message("m4", "4")], "turn");
    await session.close();
    const whole = place.logText();
    const ids = async () =>
      (await readSessionTail(environment(), place.path, SESSION, 1)).map((entry) => entry.id);
    assert.deepEqual(await ids(), ["m4"]);
    place.writeLog(whole.slice(0, whole.indexOf(' {"type":"message","id":"m4"')));
    assert.deepEqual(await ids(), ["m1"]);
    place.writeLog(whole.slice(0, whole.indexOf(',"message":{"id":"m4"')));
    assert.deepEqual(await ids(), ["m1"]);
  });
});

/** What somebody does to a session. `at` picks an earlier entry. */
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("message"),
      text: fc.string({ unit: "binary", maxLength: 40 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("large"), text: fc.string({ minLength: 1, maxLength: 3 }) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("branch"), at: fc.nat() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom("eviction", "attempt", "undo", "boundary", "title", "root"),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("reopen") }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("full"), bytes: fc.nat({ max: 900 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("unsynced") }) },
);
type Step = { readonly kind: string; readonly text?: string; readonly at?: number; readonly bytes?: number };

function entryFor(given: Step, index: number, entries: readonly LogEntry[]): LogEntry {
  const id = `e${index}`;
  switch (given.kind) {
    case "large":
      return message(id, (given.text ?? "x").repeat(40_000), { at: index % 5 });
    case "branch":
      return branchTo(entries[(given.at ?? 0) % entries.length]?.id ?? null, id);
    case "root":
      return branchTo(null, id);
    case "eviction":
      return eviction(`r${index}`, "m1", "a".repeat(64));
    case "attempt":
      return attempt(`r${index}`);
    case "undo":
      return undo(`r${index - 1}`, id);
    case "boundary":
      return boundary(id);
    case "title":
      return { type: "title", id, at: index, title: `Title ${index}` };
    default:
      return message(id, given.text ?? "", { at: 100 - index });
  }
}

describe("replay", () => {
  it("of the file equals memory after any steps, failed ones too; the branch is what the contract says", async function () {
    this.timeout(120_000);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(step, fc.integer({ min: 1, max: 3 }), fc.boolean()), { maxLength: 25 }),
        async (steps) => {
          using place = new TemporaryPlace();
          place.writeLog(lines(header()));
          const faults = new Faults();
          const open = () =>
            openSessionFile(environment({ files: faultyFiles(faults) }), place.path, SESSION);
          let session = await open();
          let next = 0;
          for (const [given, count, isBoundary] of steps as [Step, number, boolean][]) {
            if (given.kind === "reopen") {
              const before = contentOf(session.state);
              await session.close();
              session = await open();
              assert.deepEqual(contentOf(session.state), before);
              continue;
            }
            const batch: LogEntry[] = [];
            for (let made = 0; made < count; made += 1) {
              batch.push(entryFor(given, next, [...session.state.entries, ...batch]));
              next += 1;
            }
            faults.bytesLeft = given.kind === "full" ? (given.bytes ?? 0) : Number.POSITIVE_INFINITY;
            faults.datasyncFails = given.kind === "unsynced";
            const before = contentOf(session.state);
            const failed = await session
              .append(batch, isBoundary || faults.datasyncFails ? "boundary" : "turn")
              .then(
                () => false,
                () => true,
              );
            if (failed) assert.deepEqual(contentOf(session.state), before);
            faults.bytesLeft = Number.POSITIVE_INFINITY;
            faults.datasyncFails = false;
          }
          assert.deepEqual(branchIds(session.state), modelBranch(session.state.entries));
          await session.close();
          const again = await open();
          assert.deepEqual(contentOf(again.state), contentOf(session.state));
          await again.close();
          for (const count of [1, 3, 1000]) {
            const tail = await readSessionTail(environment(), place.path, SESSION, count);
            const ids = branchIds(again.state);
            assert.deepEqual(
              tail.map(({ id }) => id),
              tail.length === 0 ? [] : ids.slice(-tail.length),
            );
            const messages = again.state.branch.filter(({ type }) => type === "message").length;
            assert.equal(tail.filter(({ type }) => type === "message").length, Math.min(count, messages));
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});
