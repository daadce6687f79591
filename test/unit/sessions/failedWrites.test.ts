import assert from "node:assert/strict";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import type { LogEntry } from "../../../src/sessions/entries.ts";
import type { Durability, OpenSession } from "../../../src/sessions/session.ts";
import { openSessionFile } from "../../../src/sessions/sessionFile.ts";
import { Faults, faultyFiles } from "./faultyFiles.ts";
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

const OLD = [message("m1", "first"), message("m2", "second €")];
const ONE: readonly LogEntry[] = [message("m3", "thïrd")];
const SEVERAL: readonly LogEntry[] = [
  message("m3", "thïrd"),
  { type: "undo", id: "u1", at: 1, runId: "r1", before: 1, after: 2 },
  message("m4", "fourth"),
];

describe("a log whose last append was cut off", () => {
  for (const [name, added] of [
    ["one entry", ONE],
    ["several entries", SEVERAL],
  ] as const) {
    it(`opens with the old or the new state, cut at every byte of ${name}`, async function () {
      this.timeout(60_000);
      using place = new TemporaryPlace();
      place.writeLog(lines(header(), ...OLD));
      const old = place.logText().length;
      const writer = await openSessionFile(environment(), place.path, SESSION);
      const before = JSON.stringify(contentOf(writer.state));
      await writer.append(added, "boundary");
      const after = JSON.stringify(contentOf(writer.state));
      await writer.close();
      const whole = Buffer.from(place.logText());
      const start = Buffer.byteLength(place.logText().slice(0, old));
      const seen = new Set<string>();
      for (let cut = start; cut <= whole.length; cut += 1) {
        place.writeLog(whole.subarray(0, cut));
        const session = await openSessionFile(environment(), place.path, SESSION);
        const content = JSON.stringify(contentOf(session.state));
        assert.ok(content === before || content === after, `cut at byte ${cut} of ${whole.length}`);
        seen.add(content);
        await session.append([message("m9", "later")], "turn");
        const grown = contentOf(session.state);
        await session.close();
        const again = await openSessionFile(environment(), place.path, SESSION);
        assert.deepEqual(contentOf(again.state), grown, `appended after a cut at byte ${cut}`);
        await again.close();
      }
      assert.equal(seen.size, 2);
    });
  }
});

describe("an append that fails", () => {
  let place: TemporaryPlace;
  let faults: Faults;
  let session: OpenSession;

  beforeEach(async () => {
    place = new TemporaryPlace();
    place.writeLog(lines(header(), ...OLD));
    faults = new Faults();
    session = await openSessionFile(environment({ files: faultyFiles(faults) }), place.path, SESSION);
  });

  afterEach(async () => {
    Object.assign(faults, new Faults());
    await session.close();
    place[Symbol.dispose]();
  });

  async function assertFails(
    entries: readonly LogEntry[],
    durability: Durability,
    code: string,
  ): Promise<void> {
    const before = contentOf(session.state);
    let told = false;
    const subscription = session.onDidChange(() => {
      told = true;
    });
    await assert.rejects(session.append(entries, durability), {
      name: "SessionError",
      code,
      notWritten: entries,
    });
    subscription.dispose();
    assert.deepEqual(contentOf(session.state), before);
    assert.equal(told, false);
  }

  /** The next appends land, and the file says what memory says. */
  async function assertGoesOn(entries: readonly LogEntry[]): Promise<void> {
    await session.append(entries, "turn");
    await session.append([message("last", "the last")], "boundary");
    const again = await openSessionFile(environment({ windowName: "reader" }), place.path, SESSION);
    assert.deepEqual(contentOf(again.state), contentOf(session.state));
    assert.equal(branchIds(again.state).at(-1), "last");
    await again.close();
  }

  for (const [name, entries] of [
    ["one entry", ONE],
    ["several entries", SEVERAL],
  ] as const) {
    it(`leaves memory as it was and the next append whole: ${name}, disk full after every count of bytes`, async function () {
      this.timeout(60_000);
      await session.close();
      const length = Buffer.byteLength(lines(...entries)) + 40;
      for (let bytes = 0; bytes < length; bytes += 1) {
        place.writeLog(lines(header(), ...OLD));
        session = await openSessionFile(environment({ files: faultyFiles(faults) }), place.path, SESSION);
        faults.bytesLeft = bytes;
        try {
          await session.append(entries, "turn");
          assert.ok(bytes >= Buffer.byteLength(lines(...entries)));
        } catch {
          assert.deepEqual(branchIds(session.state), ["m1", "m2"], `${bytes} bytes`);
        }
        faults.bytesLeft = Number.POSITIVE_INFINITY;
        await assertGoesOn(bytes % 2 === 0 ? entries : [message("other", "another one")]);
        await session.close();
      }
    });
  }

  it("is disk_full on a full disk and write_failed on a broken one", async () => {
    faults.bytesLeft = 10;
    await assertFails(ONE, "turn", "disk_full");
    faults.code = "EIO";
    await assertFails(SEVERAL, "boundary", "write_failed");
    faults.bytesLeft = Number.POSITIVE_INFINITY;
    await assertGoesOn(SEVERAL);
  });

  it("fails again and again without harm", async () => {
    for (const bytes of [5, 0, 30, 1, 2, 200]) {
      faults.bytesLeft = bytes;
      await assertFails(SEVERAL, "turn", "disk_full");
    }
    faults.bytesLeft = Number.POSITIVE_INFINITY;
    await assertGoesOn(SEVERAL);
  });

  it("goes on after writes that took only a part at a time", async () => {
    faults.bytesAWrite = 7;
    await assertGoesOn(SEVERAL);
  });

  it("does not count what was written whole when the write said it failed", async () => {
    faults.errorAfterWrite = true;
    faults.code = "EIO";
    await assertFails(SEVERAL, "turn", "write_failed");
    faults.errorAfterWrite = false;
    await assertGoesOn([message("other", "another one")]);
    assert.deepEqual(branchIds(session.state), ["m1", "m2", "other", "last"]);
  });

  it("does not count what the disk did not confirm at a boundary", async () => {
    faults.datasyncFails = true;
    await assertFails(SEVERAL, "boundary", "write_failed");
    await assertFails(ONE, "boundary", "write_failed");
    faults.datasyncFails = false;
    await assertGoesOn([message("other", "another one")]);
    assert.deepEqual(branchIds(session.state), ["m1", "m2", "other", "last"]);
  });

  it("says so on closing when nothing was appended after it", async () => {
    faults.datasyncFails = true;
    await assertFails(SEVERAL, "boundary", "write_failed");
    faults.datasyncFails = false;
    await session.close();
    const again = await openSessionFile(environment(), place.path, SESSION);
    assert.deepEqual(branchIds(again.state), ["m1", "m2"]);
    await again.close();
  });

  it("takes the same entries again", async () => {
    faults.datasyncFails = true;
    await assertFails(SEVERAL, "boundary", "write_failed");
    faults.datasyncFails = false;
    await assertGoesOn(SEVERAL);
    assert.deepEqual(branchIds(session.state), ["m1", "m2", "m3", "u1", "m4", "last"]);
  });

  it("reports a sync that failed behind an append that nobody waits for", async () => {
    faults.datasyncFails = true;
    const told = new Promise<void>((resolve) => {
      session.onDidChange(() => {
        if (session.state.problemCount > 0) resolve();
      });
    });
    await session.append(ONE, "turn");
    await told;
    assert.equal(session.state.problems[0]?.kind, "sync_failed");
    faults.datasyncFails = false;
    await assertGoesOn([message("other", "another one")]);
  });

  it("writes no line before its large texts are in their files", async () => {
    faults.wholeWritesFail = true;
    const length = place.logText().length;
    await assertFails([message("m3", "z".repeat(50_000))], "turn", "disk_full");
    assert.equal(place.logText().length, length);
    faults.wholeWritesFail = false;
    await assertGoesOn([message("m3", "z".repeat(50_000))]);
  });

  it("says so when the file was removed under it", async () => {
    rmSync(place.log);
    await assertFails(ONE, "turn", "file_changed");
    await assertFails(ONE, "boundary", "file_changed");
  });

  it("says so when another program cut the file off, and goes on when it is put back", async () => {
    const whole = place.logText();
    writeFileSync(place.log, whole.slice(0, whole.length / 2));
    await assertFails(ONE, "turn", "file_changed");
    await assertFails(SEVERAL, "boundary", "file_changed");
    assert.equal(place.logText(), whole.slice(0, whole.length / 2));
    writeFileSync(place.log, whole);
    await assertGoesOn(ONE);
  });

  it("says so when another program put a file in its place", async () => {
    writeFileSync(`${place.log}.new`, place.logText());
    renameSync(`${place.log}.new`, place.log);
    await assertFails(ONE, "turn", "file_changed");
    await assertFails(SEVERAL, "boundary", "file_changed");
  });
});
