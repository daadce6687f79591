import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { examineSession } from "../../../src/sessions/examineSession.ts";
import { openSessionFile } from "../../../src/sessions/sessionFile.ts";
import { branchIds, environment, header, lines, message, SESSION, TemporaryPlace } from "./sessionBench.ts";

const KILLS = 10;
const TAKEN_OVER_EXIT = 3;
const WRITER = fileURLToPath(new URL("./steadyWriter.ts", import.meta.url));

interface Writer {
  readonly process: ChildProcess;
  readonly output: AsyncIterableIterator<string>;
}

function startWriter(place: string, name: string): Writer {
  const loader = process.features.typescript === false ? ["--import=tsx"] : [];
  const child = spawn(process.execPath, [...loader, WRITER, place, name], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  return {
    process: child,
    output: createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator](),
  };
}

/** Kills the writer after this many acknowledged appends; returns all that it acknowledged. */
async function killAfter(writer: Writer, count: number): Promise<string[]> {
  const exited = once(writer.process, "exit");
  const acknowledged: string[] = [];
  for await (const line of writer.output) {
    acknowledged.push(line);
    if (acknowledged.length === count) writer.process.kill("SIGKILL");
  }
  const [, signal] = await exited;
  assert.equal(signal, "SIGKILL");
  return acknowledged;
}

describe("a writer that is killed", () => {
  it(`loses nothing that it acknowledged, ${KILLS} times in the middle of its writes`, async function () {
    this.timeout(120_000);
    using place = new TemporaryPlace();
    place.writeLog(lines(header(), message("m1", "first")));
    const kept = new Set<string>(["m1"]);
    let length = 0;
    for (let kill = 0; kill < KILLS; kill += 1) {
      const acknowledged = await killAfter(startWriter(place.path, `w${kill}`), 1 + ((kill * 37) % 90));
      for (const id of acknowledged) kept.add(id);
      const session = await openSessionFile(environment(), place.path, SESSION);
      assert.equal(session.readOnly, undefined, "a dead window holds nothing");
      const ids = branchIds(session.state);
      const missing = [...kept].filter((id) => !ids.includes(id));
      assert.deepEqual(missing, []);
      const ofThisWriter = ids.filter((id) => id.startsWith(`w${kill}-`) && !id.endsWith("-more"));
      assert.deepEqual(
        ofThisWriter,
        Array.from(ofThisWriter, (_, index) => `w${kill}-${index}`),
        "in order, without holes",
      );
      for (const id of ids.filter((one) => one.endsWith("-more"))) {
        assert.ok(ids.includes(id.slice(0, -"-more".length)), "the entries of one append come together");
      }
      assert.ok(ids.length > length);
      length = ids.length;
      await session.append([message(`after-${kill}`, "after the kill")], "boundary");
      kept.add(`after-${kill}`);
      length += 1;
      await session.close();
    }
    const findings = await examineSession(environment(), place.path, SESSION);
    assert.deepEqual(
      findings.filter(({ kind }) => kind !== "torn_tail"),
      [],
    );
  });

  it("keeps a second window read-only while it lives, by its name, and no longer", async function () {
    this.timeout(30_000);
    using place = new TemporaryPlace();
    place.writeLog(lines(header()));
    const writer = startWriter(place.path, "window W");
    const exited = once(writer.process, "exit");
    await writer.output.next();
    const session = await openSessionFile(environment(), place.path, SESSION);
    assert.deepEqual(session.readOnly, { reason: "other_window", holder: "window W" });
    await assert.rejects(session.append([message("m1", "first")], "turn"), {
      code: "read_only",
      message: /window W/,
    });
    writer.process.kill("SIGKILL");
    await exited;
    await session.append([message("m1", "first")], "turn");
    assert.equal(session.readOnly, undefined);
    assert.equal(branchIds(session.state).at(-1), "m1");
    await session.close();
  });

  it("is told to stop by a takeover: what it wrote before stays, in order", async function () {
    this.timeout(30_000);
    using place = new TemporaryPlace();
    place.writeLog(lines(header()));
    const writer = startWriter(place.path, "window W");
    const exited = once(writer.process, "exit");
    const acknowledged: string[] = [];
    for (let count = 0; count < 20; count += 1) acknowledged.push(String((await writer.output.next()).value));
    const session = await openSessionFile(environment(), place.path, SESSION);
    await session.takeOver();
    await session.append([message("mine", "mine")], "turn");
    for await (const id of writer.output) acknowledged.push(id);
    const [code] = await exited;
    assert.equal(code, TAKEN_OVER_EXIT);
    await session.append([message("mine too", "mine too")], "turn");
    await session.close();
    const again = await openSessionFile(environment(), place.path, SESSION);
    const ids = branchIds(again.state);
    assert.deepEqual(
      acknowledged.filter((id) => !ids.includes(id)),
      [],
    );
    assert.ok(ids.includes("mine") && ids.at(-1) === "mine too");
    assert.deepEqual(again.state.problems, []);
    await again.close();
  });
});
