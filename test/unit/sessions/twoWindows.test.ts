import assert from "node:assert/strict";
import { appendFileSync, readFileSync, statSync, writeFileSync } from "node:fs";
import type { OpenSession } from "../../../src/sessions/session.ts";
import { openSessionFile } from "../../../src/sessions/sessionFile.ts";
import type { ProcessIdentity, SessionEnvironment } from "../../../src/sessions/sessionFiles.ts";
import { SILENT_HOLDER_MS, WriteClaim } from "../../../src/sessions/writeClaim.ts";
import {
  branchIds,
  contentOf,
  environment,
  header,
  lines,
  message,
  SESSION,
  TemporaryPlace,
} from "./sessionBench.ts";

describe("two windows on one session", () => {
  let place: TemporaryPlace;
  let a: OpenSession;
  let b: OpenSession;

  beforeEach(async () => {
    place = new TemporaryPlace();
    place.writeLog(lines(header(), message("m1", "first")));
    a = await openSessionFile(environment({ windowName: "window A" }), place.path, SESSION);
    b = await openSessionFile(environment({ windowName: "window B" }), place.path, SESSION);
  });

  afterEach(async () => {
    await a.close();
    await b.close();
    place[Symbol.dispose]();
  });

  it("the second opens read-only, names the first, and follows it", async () => {
    assert.equal(a.readOnly, undefined);
    assert.deepEqual(b.readOnly, { reason: "other_window", holder: "window A" });
    const refused = { code: "read_only", message: /window A/, notWritten: [message("m2", "mine")] };
    await assert.rejects(b.append([message("m2", "mine")], "turn"), refused);
    await a.append([message("m3", "of A"), message("m4", "of A as well")], "turn");
    let told = 0;
    b.onDidChange(() => {
      told += 1;
    });
    await b.refresh();
    assert.deepEqual(branchIds(b.state), ["m1", "m3", "m4"]);
    assert.equal(told, 1);
    await b.refresh();
    assert.equal(told, 1);
  });

  it("takes over: the other turns read-only at its next append and keeps what it could not write", async () => {
    await a.append([message("m2", "of A")], "turn");
    await b.takeOver();
    assert.equal(b.readOnly, undefined);
    assert.deepEqual(branchIds(b.state), ["m1", "m2"]);
    await b.append([message("m3", "of B")], "boundary");
    assert.equal(a.readOnly, undefined);
    const lost = [message("m4", "of A")];
    await assert.rejects(a.append(lost, "turn"), {
      code: "taken_over",
      notWritten: lost,
      message: /window B/,
    });
    assert.deepEqual(a.readOnly, { reason: "other_window", holder: "window B" });
    await assert.rejects(a.append(lost, "turn"), { code: "read_only" });
    await a.refresh();
    assert.deepEqual(branchIds(a.state), ["m1", "m2", "m3"]);
    await a.takeOver();
    await a.append(lost, "boundary");
    await assert.rejects(b.append([message("m5", "of B")], "boundary"), { code: "taken_over" });
    await b.refresh();
    assert.deepEqual(contentOf(b.state), contentOf(a.state));
    assert.deepEqual(branchIds(b.state), ["m1", "m2", "m3", "m4"]);
    assert.deepEqual(b.state.problems, []);
  });

  it("becomes the writer by itself once the first window closes", async () => {
    await a.append([message("m2", "of A")], "turn");
    await a.close();
    await b.append([message("m3", "of B")], "turn");
    assert.equal(b.readOnly, undefined);
    assert.deepEqual(branchIds(b.state), ["m1", "m2", "m3"]);
  });

  it("notices on a refresh that it was taken over, and that it may write again", async () => {
    await b.takeOver();
    await a.refresh();
    assert.deepEqual(a.readOnly, { reason: "other_window", holder: "window B" });
    await b.close();
    await a.refresh();
    assert.equal(a.readOnly, undefined);
  });

  it("does not take the line that the other is writing for a torn one", async () => {
    const line = lines(message("m2", "of A"));
    appendFileSync(place.log, line.slice(0, 30));
    await b.refresh();
    assert.deepEqual(b.state.problems, []);
    appendFileSync(place.log, line.slice(30));
    await b.refresh();
    assert.deepEqual(branchIds(b.state), ["m1", "m2"]);
    assert.deepEqual(b.state.problems, []);
  });

  it("reads what stands in the file before it appends, whoever wrote it", async () => {
    appendFileSync(place.log, lines(message("m2", "of nobody")));
    await a.append([message("m3", "of A")], "turn");
    appendFileSync(place.log, '{"type":"message","id":"torn');
    await a.append([message("m4", "of A")], "boundary");
    assert.deepEqual(branchIds(a.state), ["m1", "m2", "m3", "m4"]);
    await b.refresh();
    assert.deepEqual(branchIds(b.state), ["m1", "m2", "m3", "m4"]);
  });

  it("leaves one writer where both take over at once", async () => {
    await Promise.allSettled([a.takeOver(), b.takeOver(), a.takeOver(), b.takeOver()]);
    const results = await Promise.allSettled([
      a.append([message("m2", "of A")], "turn"),
      b.append([message("m3", "of B")], "turn"),
    ]);
    assert.equal(results.filter(({ status }) => status === "fulfilled").length, 1);
  });
});

describe("the right to write", () => {
  let place: TemporaryPlace;
  const claims = () => `${place.path}/x.claims`;
  const other: ProcessIdentity = { pid: 4242, host: "machine", startedAt: "boot:1" };
  const claimOf = (process: ProcessIdentity) =>
    `\n${JSON.stringify({ ...process, token: "t1", window: "window Z" })}\n`;

  beforeEach(() => {
    place = new TemporaryPlace();
  });

  afterEach(() => place[Symbol.dispose]());

  async function take(options: Partial<SessionEnvironment> = {}, force = false) {
    return WriteClaim.take(environment(options), claims(), { force });
  }

  function seeing(isAlive: boolean | undefined): Partial<SessionEnvironment> {
    return { processes: { own: { pid: 1, host: "here" }, isAlive: () => isAlive } };
  }

  async function assertTaken(taken: Awaited<ReturnType<typeof take>>): Promise<void> {
    assert.ok(taken instanceof WriteClaim);
    assert.equal(taken.isHeld(), true);
    await taken.release();
  }

  it("goes to nobody else while its holder lives, and at once when it died", async () => {
    writeFileSync(claims(), claimOf(other));
    assert.deepEqual(await take(seeing(true)), { heldBy: "window Z" });
    await assertTaken(await take(seeing(false)));
  });

  it("is not held by a later process of the same pid", async () => {
    const { own } = environment().processes;
    writeFileSync(claims(), claimOf(own));
    assert.deepEqual(await take(), { heldBy: "window Z" });
    if (own.startedAt === undefined) return;
    writeFileSync(claims(), claimOf({ ...own, startedAt: `${own.startedAt}0` }));
    await assertTaken(await take());
  });

  it("goes on after a minute without a sign of life where the holder cannot be seen", async () => {
    writeFileSync(claims(), claimOf(other));
    const { mtimeMs } = statSync(claims());
    assert.deepEqual(await take({ ...seeing(undefined), now: () => mtimeMs + SILENT_HOLDER_MS - 1 }), {
      heldBy: "window Z",
    });
    assert.deepEqual(await take({ ...seeing(undefined), now: () => mtimeMs - 1e9 }), { heldBy: "window Z" });
    await assertTaken(await take({ ...seeing(undefined), now: () => mtimeMs + SILENT_HOLDER_MS }));
  });

  it("is free after a release, a torn claim and an empty file", async () => {
    for (const content of ["", "\n", '{"token":"t1","win', `${claimOf(other)}\n{"released":"t1"}\n`]) {
      writeFileSync(claims(), content);
      await assertTaken(await take(seeing(true)));
    }
  });

  it("is not given back for somebody else", async () => {
    const first = await take(seeing(true));
    assert.ok(first instanceof WriteClaim);
    const second = await take(seeing(true), true);
    assert.ok(second instanceof WriteClaim);
    assert.equal(first.isHeld(), false);
    await first.release();
    assert.equal(second.isHeld(), true);
    writeFileSync(claims(), '\n{"released":"of somebody"}\n', { flag: "a" });
    assert.equal(second.isHeld(), true);
    await second.release();
    assert.equal(await WriteClaim.holder(environment(seeing(true)), claims()), undefined);
  });

  it("is not taken by the one whose claim came before another's", async () => {
    const { files } = environment();
    const racing = {
      ...files,
      openForAppending(path: string, options: { readonly create: boolean }) {
        const handle = files.openForAppending(path, options);
        return {
          ...handle,
          append(data: Uint8Array) {
            const written = handle.append(data);
            appendFileSync(path, claimOf(other));
            return written;
          },
        };
      },
    };
    assert.deepEqual(await take({ ...seeing(false), files: racing }), { heldBy: "window Z" });
  });

  it("keeps its file small", async () => {
    writeFileSync(claims(), claimOf(other).repeat(2000));
    await assertTaken(await take(seeing(false)));
    assert.ok(readFileSync(claims()).length < 1000);
  });

  it("opens a session read-only where its storage cannot be written", async () => {
    place.writeLog(lines(header(), message("m1", "first")));
    const { files } = environment();
    const denied = Object.assign(new Error("denied"), { code: "EACCES" });
    const readOnlyFiles = {
      ...files,
      openForAppending() {
        throw denied;
      },
    };
    const session = await openSessionFile(environment({ files: readOnlyFiles }), place.path, SESSION);
    assert.deepEqual(session.readOnly, { reason: "storage", holder: "EACCES" });
    assert.deepEqual(branchIds(session.state), ["m1"]);
    await assert.rejects(session.append([message("m2", "x")], "turn"), {
      code: "read_only",
      message: /EACCES/,
    });
    await session.close();
  });
});
