import assert from "node:assert/strict";
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import type { Message } from "../../../src/core/messages.ts";
import { BLOB_LIMIT_BYTES } from "../../../src/sessions/blobs.ts";
import { DigestIndex } from "../../../src/sessions/digestIndex.ts";
import type { LogEntry, MessageEntry } from "../../../src/sessions/entries.ts";
import { nodeFiles } from "../../../src/sessions/nodeFiles.ts";
import type { OpenSession } from "../../../src/sessions/session.ts";
import { openSessionFile } from "../../../src/sessions/sessionFile.ts";
import {
  contentOf,
  environment,
  header,
  lines,
  message,
  problemKinds,
  SESSION,
  TemporaryPlace,
  toolResult,
} from "./sessionBench.ts";

const sha256 = (text: string) => nodeFiles.sha256(text);
const LARGE = "€".repeat(BLOB_LIMIT_BYTES / 3 + 1);

describe("large texts", () => {
  let place: TemporaryPlace;
  let session: OpenSession;
  const folder = () => `${place.path}/${SESSION}`;

  beforeEach(async () => {
    place = new TemporaryPlace();
    place.writeLog(lines(header()));
    session = await openSessionFile(environment(), place.path, SESSION);
  });

  afterEach(async () => {
    await session.close();
    place[Symbol.dispose]();
  });

  async function reopen(): Promise<void> {
    await session.close();
    session = await openSessionFile(environment(), place.path, SESSION);
  }

  function outputOf(index: number): string {
    const entry = session.state.branch[index] as MessageEntry;
    const part = entry.message.content[0];
    return part?.type === "tool-result" ? part.output : part?.type === "text" ? part.text : "";
  }

  it("stand in files named by their SHA-256, not in the log", async () => {
    const image: Message = {
      id: "m2",
      role: "user",
      content: [
        { type: "text", text: "look" },
        { type: "image", mediaType: "image/png", data: "QUJD".repeat(20_000) },
        { type: "reasoning", text: LARGE, signature: "s" },
      ],
    };
    await session.append([toolResult("m1", "c1", LARGE)], "boundary");
    await session.append([{ type: "message", id: "m2", at: 1, message: image }], "turn");
    const names = [sha256(LARGE), sha256("QUJD".repeat(20_000))];
    assert.deepEqual(readdirSync(folder()).sort(), names.sort());
    assert.ok(place.logText().length < 2000);
    assert.equal(readFileSync(`${folder()}/${sha256(LARGE)}`, "utf8"), LARGE);
    const live = contentOf(session.state);
    assert.deepEqual((session.state.branch[1] as MessageEntry).message, image);
    await reopen();
    assert.deepEqual(contentOf(session.state), live);
    assert.deepEqual((session.state.branch[1] as MessageEntry).message, image);
  });

  it("stay in the log up to the limit, and where they have no UTF-8", async () => {
    const half = `${"x".repeat(BLOB_LIMIT_BYTES)}\uD83D`;
    const atLimit = "x".repeat(BLOB_LIMIT_BYTES);
    await session.append([toolResult("m1", "c1", atLimit), toolResult("m2", "c2", half)], "turn");
    assert.equal(statSync(folder(), { throwIfNoEntry: false }), undefined);
    await reopen();
    assert.equal(outputOf(0), atLimit);
    assert.equal(outputOf(1), half);
  });

  it("are kept once, however often they come", async () => {
    await session.append([toolResult("m1", "c1", LARGE), toolResult("m2", "c2", LARGE)], "turn");
    await session.append([toolResult("m3", "c3", LARGE)], "turn");
    assert.equal(readdirSync(folder()).length, 1);
  });

  it("are read when somebody asks for them, and a copy of a part has them", async () => {
    await session.append([toolResult("m1", "c1", LARGE)], "turn");
    await reopen();
    const [part] = (session.state.branch[0] as MessageEntry).message.content;
    assert.ok(part?.type === "tool-result");
    assert.equal(Object.getOwnPropertyDescriptor(part, "output")?.value, undefined);
    assert.equal({ ...part }.output, LARGE);
    assert.deepEqual(Object.keys(part), ["type", "toolCallId", "toolName", "output"]);
  });

  it("say in words that their file is gone or altered; the rest of the session is as it was", async () => {
    const other = "o".repeat(50_000);
    await session.append([toolResult("m1", "c1", LARGE), toolResult("m2", "c2", other)], "turn");
    await reopen();
    rmSync(`${folder()}/${sha256(LARGE)}`);
    writeFileSync(`${folder()}/${sha256(other)}`, other.replace("o", "0"));
    assert.match(outputOf(0), new RegExp(`${sha256(LARGE)} is missing`));
    assert.match(outputOf(1), new RegExp(`${sha256(other)} was altered`));
    assert.deepEqual(problemKinds(session.state), ["missing_blob", "altered_blob"]);
    assert.match(outputOf(1), /was altered/);
    assert.equal(session.state.problemCount, 2);
    assert.equal(session.isStored(sha256(LARGE)), false);
    await assert.rejects(session.recover(sha256(LARGE)), { code: "not_found" });
    await assert.rejects(session.recover(sha256(other)), { name: "SessionError", code: "altered_bytes" });
  });

  it("are not stored any more when their file is gone, though memory still has them", async () => {
    await session.append([toolResult("m1", "c1", LARGE)], "turn");
    assert.equal(outputOf(0), LARGE);
    assert.equal(session.isStored(sha256(LARGE)), true);
    rmSync(`${folder()}/${sha256(LARGE)}`);
    assert.equal(session.isStored(sha256(LARGE)), false);
  });

  it("are written anew over an altered file when they come again", async () => {
    await session.append([toolResult("m1", "c1", LARGE)], "turn");
    writeFileSync(`${folder()}/${sha256(LARGE)}`, "altered");
    await reopen();
    assert.equal(session.isStored(sha256(LARGE)), false);
    await session.append([toolResult("m2", "c2", LARGE)], "turn");
    assert.equal(session.isStored(sha256(LARGE)), true);
    assert.equal(outputOf(0), LARGE);
  });
});

describe("recover", () => {
  let place: TemporaryPlace;
  let session: OpenSession;

  beforeEach(async () => {
    place = new TemporaryPlace();
    const entries: LogEntry[] = [
      message("m1", "a question"),
      {
        ...message("m2", ""),
        message: {
          id: "m2",
          role: "assistant",
          content: [
            { type: "text", text: "a" },
            { type: "text", text: "b" },
          ],
        },
      },
      toolResult("m3", "c1", "small output"),
      {
        type: "sidechain",
        id: "s1",
        at: 1,
        message: { id: "s1", role: "assistant", content: [{ type: "text", text: "aside" }] },
      },
      { type: "commitment", id: "k1", at: 1, record: { id: "k1", action: "add", text: "never push" } },
    ];
    place.writeLog(lines(header(), ...entries));
    session = await openSessionFile(environment(), place.path, SESSION);
  });

  afterEach(async () => {
    await session.close();
    place[Symbol.dispose]();
  });

  it("finds outputs, texts of messages and statements inside the log by their digest", async () => {
    for (const text of ["a question", "a\nb", "small output", "aside", "never push"]) {
      assert.equal(await session.recover(sha256(text)), text);
      assert.equal(session.isStored(sha256(text)), true);
    }
  });

  it("finds what was appended after it was first asked, inside and outside the log", async () => {
    assert.equal(session.isStored(sha256("later")), false);
    await session.append([toolResult("m4", "c2", "later"), toolResult("m5", "c3", LARGE)], "turn");
    assert.equal(await session.recover(sha256("later")), "later");
    assert.equal(await session.recover(sha256(LARGE)), LARGE);
  });

  it("fails loudly for what is not there", async () => {
    for (const digest of [sha256("nothing"), "", "../s1", "z".repeat(64)]) {
      assert.equal(session.isStored(digest), false);
      await assert.rejects(session.recover(digest), { name: "SessionError", code: "not_found" });
    }
  });

  it("is not fooled by digests that begin alike", async () => {
    const digest = sha256("small output");
    const alike = `${digest.slice(0, 40)}${"0".repeat(24)}`;
    assert.equal(session.isStored(alike), false);
    assert.equal(session.isStored(digest), true);
  });

  it("hashes a long log in slices that let others run", async () => {
    const spinMs = 3;
    const index = new DigestIndex((text) => {
      const until = performance.now() + spinMs;
      while (performance.now() < until);
      return sha256(text);
    });
    const entries = Array.from({ length: 20 }, (_, at) => toolResult(`t${at}`, `c${at}`, `output ${at}`));
    let turns = 0;
    const count = () => {
      turns += 1;
      counting = setImmediate(count);
    };
    let counting = setImmediate(count);
    await index.prepare(() => entries);
    clearImmediate(counting);
    assert.ok(turns >= 4, `${turns} turns of the event loop`);
    assert.equal(index.find(sha256("output 19"), entries), "output 19");
  });
});
