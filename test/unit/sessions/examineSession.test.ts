import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import type { LogEntry } from "../../../src/sessions/entries.ts";
import { examineSession } from "../../../src/sessions/examineSession.ts";
import { nodeFiles } from "../../../src/sessions/nodeFiles.ts";
import { openSessionFile } from "../../../src/sessions/sessionFile.ts";
import {
  compaction,
  environment,
  eviction,
  header,
  lines,
  message,
  SESSION,
  TemporaryPlace,
  toolResult,
} from "./sessionBench.ts";

const sha256 = (text: string) => nodeFiles.sha256(text);
const LARGE = "l".repeat(50_000);

const SOUND: readonly LogEntry[] = [
  message("m1", "first"),
  toolResult("m2#x", "call#1", "an output"),
  { type: "commitment", id: "k1", at: 1, record: { id: "k1", action: "add", text: "never push" } },
  message("m3", "third"),
  eviction("r1", "m2#x#call#1", sha256("an output")),
  compaction("r2", 1, { id: "m3", ordinal: 2 }, [
    ["m1", sha256("first")],
    ["m2#x#call#1", sha256("an output")],
    ["k1", sha256("never push")],
  ]),
  compaction("r3", 2, { id: "k1", ordinal: 2 }),
  { type: "undo", id: "u1", at: 1, runId: "r2", before: 1, after: 2 },
];

describe("the examination of a session", () => {
  let place: TemporaryPlace;

  beforeEach(() => {
    place = new TemporaryPlace();
  });

  afterEach(() => place[Symbol.dispose]());

  async function kinds(...entries: readonly unknown[]): Promise<string[]> {
    place.writeLog(lines(header(), ...entries));
    return (await examineSession(environment(), place.path, SESSION)).map(({ kind }) => kind);
  }

  it("finds nothing in a sound one, and changes nothing", async () => {
    assert.deepEqual(await kinds(...SOUND), []);
    assert.equal(place.logText(), lines(header(), ...SOUND));
  });

  const faults: readonly (readonly [string, readonly unknown[], readonly string[]])[] = [
    ["two entries of one id", [message("m1", "a"), message("m1", "b")], ["duplicate_id"]],
    [
      "an undo of no run",
      [{ type: "undo", id: "u", at: 1, runId: "r9", before: 1, after: 2 }],
      ["unknown_run"],
    ],
    ["a branch from nowhere", [{ type: "branch", id: "b", at: 1, from: "m9" }], ["missing_parent"]],
    [
      "a first kept message that is not there",
      [message("m1", "a"), compaction("r", 1, { id: "m9", ordinal: 0 })],
      ["boundary_lost"],
    ],
    [
      "an ordinal that is not its own",
      [message("m1", "a"), compaction("r", 1, { id: "m1", ordinal: 3 })],
      ["ordinal_differs"],
    ],
    [
      "a first kept message of another branch",
      [
        message("m1", "a"),
        { type: "branch", id: "b", at: 1, from: null },
        message("m2", "b"),
        compaction("r", 1, { id: "m1", ordinal: 0 }),
      ],
      ["boundary_lost"],
    ],
    ["an evicted segment that is not there", [eviction("r", "m1#c1", sha256("x"))], ["segment_lost"]],
    [
      "an evicted segment of another text",
      [toolResult("m1", "c1", "x"), eviction("r", "m1#c1", sha256("y"))],
      ["digest_differs"],
    ],
    [
      "a summarized message of another text",
      [
        message("m1", "a"),
        message("m2", "b"),
        compaction("r", 1, { id: "m2", ordinal: 1 }, [["m1", sha256("z")]]),
      ],
      ["digest_differs"],
    ],
    ["an unknown kind of entry", [{ type: "hologram", id: "x", at: 1 }], ["unknown_type"]],
  ];
  for (const [name, entries, expected] of faults) {
    it(`finds ${name}`, async () => {
      assert.deepEqual(await kinds(...entries), expected);
    });
  }

  it("finds large texts that are gone or altered, and says which", async () => {
    place.writeLog(lines(header()));
    const session = await openSessionFile(environment(), place.path, SESSION);
    const other = LARGE.replace("l", "o");
    await session.append([toolResult("m1", "c1", LARGE), toolResult("m2", "c2", other)], "boundary");
    await session.close();
    assert.deepEqual(await examineSession(environment(), place.path, SESSION), []);
    rmSync(`${place.path}/${SESSION}/${sha256(LARGE)}`);
    writeFileSync(`${place.path}/${SESSION}/${sha256(other)}`, "altered");
    const findings = await examineSession(environment(), place.path, SESSION);
    assert.deepEqual(
      findings.map(({ kind }) => kind),
      ["missing_blob", "altered_blob"],
    );
    assert.ok(findings[0]?.words.includes(sha256(LARGE)));
    assert.ok(findings[1]?.words.includes(sha256(other)));
  });

  it("says every kind of damage to lines in words with the line's number", async () => {
    place.writeLog(`\u{FEFF}${lines(message("m1", "a"))}{bad\n\0\0${lines(message("m2", "b"))}{"torn`);
    const findings = await examineSession(environment(), place.path, SESSION);
    assert.deepEqual(
      findings.map(({ kind }) => kind),
      ["byte_order_mark", "bad_line", "nul_bytes", "torn_tail", "no_header"],
    );
    assert.match(findings[1]?.words ?? "", /^Line 2 /);
    assert.match(findings[3]?.words ?? "", /^Line 4 was cut off/);
  });

  it("is not found where there is no session", async () => {
    await assert.rejects(examineSession(environment(), place.path, "none"), { code: "not_found" });
  });
});
