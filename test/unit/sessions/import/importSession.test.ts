import assert from "node:assert/strict";
import { detectFormat } from "../../../../src/sessions/import/detectFormat.ts";
import { ImportAborted } from "../../../../src/sessions/import/importChunks.ts";
import type { ImportResult } from "../../../../src/sessions/import/importedSession.ts";
import { importSession } from "../../../../src/sessions/import/importSession.ts";
import { SessionFileReader } from "../../../../src/sessions/import/sessionFileReader.ts";
import { TimeSlices } from "../../../../src/sessions/import/timeSlices.ts";
import { chunked, importBytes, jsonl } from "./importing.ts";

const line = (n: number) => ({
  type: "user",
  uuid: `u${n}`,
  message: { role: "user", content: `message ${n}` },
});

function codeOf(result: ImportResult): string {
  return result.ok ? "ok" : result.code;
}

describe("importSession", () => {
  const refusals: [string, string, RegExp, string][] = [
    ["nothing", "", /holds no messages/, "empty"],
    ["white space", " \n\t\n", /holds no messages/, "empty"],
    ["a byte order mark alone", "\uFEFF", /holds no messages/, "empty"],
    ["an empty list", "[]", /holds no messages/, "empty"],
    ["an empty list of messages", '{"messages": []}', /holds no messages/, "empty"],
    ["prose", "Dear reader,\nthis is no session.", /neither JSON nor JSON lines/, "not_json"],
    [
      "prose with a number",
      "Dear reader,\n12\nthis is no session.",
      /neither JSON nor JSON lines/,
      "not_json",
    ],
    ["NUL bytes", "\0\0\0\0\n\0\0", /neither JSON nor JSON lines/, "not_json"],
    ["half a brace", "{", /neither JSON nor JSON lines/, "not_json"],
    ["some JSON", '{"name": "x",\n "version": 1}', /is JSON, but no session/, "unknown_format"],
    ["a number", "12", /is JSON, but no session/, "unknown_format"],
    ["Codex", '{"type":"session_meta","payload":{}}', /session of Codex/, "unknown_format"],
    ["Copilot CLI", '{"type":"session.start","data":{}}', /session of GitHub Copilot CLI/, "unknown_format"],
    [
      "Copilot Chat",
      '{\n"responderUsername":"x","requests":[]}',
      /session of GitHub Copilot Chat/,
      "unknown_format",
    ],
    ["Gemini CLI", '{"sessionId":"s","projectHash":"x"}', /session of Gemini CLI/, "unknown_format"],
    [
      "several conversations",
      '{"messages":[{"role":"user","content":"a"}]}\n{"messages":[{"role":"user","content":"b"}]}',
      /several conversations/,
      "unknown_format",
    ],
  ];
  for (const [name, text, reason, code] of refusals) {
    it(`refuses ${name} with a sentence that says what to do`, async () => {
      const result = await importBytes(Buffer.from(text));
      assert.ok(!result.ok);
      assert.equal(result.code, code);
      assert.match(result.reason, reason);
      assert.match(result.reason, /^session .*\. (?:Choose|Put) .*\.$/);
    });
  }

  it("ends at once when it is cancelled before, between and while waiting for chunks", async () => {
    const before = await importSession({
      fileName: "session",
      chunks: chunked(jsonl(line(1)), 5),
      signal: AbortSignal.abort(),
    });
    assert.equal(codeOf(before), "cancelled");

    const between = new AbortController();
    const reads: number[] = [];
    const stopped = await importSession({
      fileName: "session",
      chunks: chunked(jsonl(line(1), line(2), line(3)), 50),
      signal: between.signal,
      onProgress: (bytes) => {
        reads.push(bytes);
        if (reads.length === 2) between.abort();
      },
    });
    assert.equal(codeOf(stopped), "cancelled");
    assert.deepEqual(reads, [50, 100]);

    const waiting = new AbortController();
    let closed = false;
    const never: AsyncIterable<Uint8Array> = {
      [Symbol.asyncIterator]: () => ({
        next: () => {
          queueMicrotask(() => waiting.abort());
          return new Promise(() => {});
        },
        return: async () => {
          closed = true;
          return { done: true, value: undefined };
        },
      }),
    };
    const result = await importSession({ fileName: "session", chunks: never, signal: waiting.signal });
    assert.equal(codeOf(result), "cancelled");
    assert.ok(closed, "the stream is closed");
  });

  it("lets the event loop turn inside one large chunk, and can be cancelled there", async () => {
    const lines = Array.from({ length: 30_000 }, (_, index) => line(index));
    const bytes = jsonl(...lines);
    let turns = 0;
    let running = true;
    const count = () => {
      turns += 1;
      if (running) setImmediate(count);
    };
    setImmediate(count);
    const whole = await importBytes(bytes, bytes.length);
    running = false;
    assert.equal(codeOf(whole), "ok");
    assert.ok(turns > 5, `the event loop turned ${turns} times`);

    const controller = new AbortController();
    setImmediate(() => controller.abort());
    const cancelled = await importSession({
      fileName: "session",
      chunks: chunked(bytes, bytes.length),
      signal: controller.signal,
    });
    assert.equal(codeOf(cancelled), "cancelled");
  }).timeout(20_000);

  it("ends at the next slice of its own work when it is cancelled", async () => {
    await assert.rejects(new TimeSlices(AbortSignal.abort()).next(), ImportAborted);
    await new TimeSlices(new AbortController().signal).next();
  });

  it("says when the file cannot be read to its end", async () => {
    const cause = new Error("EIO");
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield jsonl(line(1));
      throw cause;
    }
    const result = await importSession({ fileName: "a.jsonl", chunks: failing() });
    assert.ok(!result.ok);
    assert.deepEqual([result.code, result.cause], ["read_failed", cause]);
    assert.match(result.reason, /a\.jsonl could not be read to its end \(EIO\)\. Check/);
  });

  it("lets an error of its caller's progress function through", async () => {
    const broken = importSession({
      fileName: "session",
      chunks: chunked(jsonl(line(1)), 5),
      onProgress: () => {
        throw new TypeError("a bug");
      },
    });
    await assert.rejects(broken, TypeError);
  });

  for (const [name, text] of [
    ["a document", `{\n"messages": [${" ".repeat(200)}`],
    ["a line", `{"messages": [${" ".repeat(200)}`],
    ["a line of JSONL", `${JSON.stringify(line(1))}\n{"type":"user","text":"${"x".repeat(200)}`],
  ] as const) {
    it(`refuses ${name} above the limit`, async () => {
      const reader = new SessionFileReader("session", new TimeSlices(), 128);
      let failure: ImportResult | undefined;
      for await (const chunk of chunked(Buffer.from(text), 64)) failure ??= await reader.push(chunk);
      assert.ok(failure !== undefined && !failure.ok);
      assert.equal(failure.code, "too_large");
      assert.match(failure.reason, /Export the session as JSON lines, or split it/);
    });
  }

  it("reads JSONL of any size", async () => {
    const reader = new SessionFileReader("session", new TimeSlices(), 128);
    const lines = Array.from({ length: 50 }, (_, index) => line(index));
    for await (const chunk of chunked(jsonl(...lines), 64)) assert.equal(await reader.push(chunk), undefined);
    const result = await reader.finish();
    assert.ok(result.ok && result.imported.report.messages === 50);
  });
});

describe("detectFormat", () => {
  const table: [string, unknown][] = [
    ["claude-code", { type: "user", message: { role: "user", content: "" } }],
    ["claude-code", { type: "summary", summary: "", leafUuid: "x" }],
    ["claude-code", { type: "queue-operation", sessionId: "s" }],
    ["claude-code", { type: "system", subtype: "init", session_id: "s" }],
    ["pi", { type: "session", id: "s", cwd: "/" }],
    ["pi", { type: "message", message: { role: "user", content: "" } }],
    ["pi", { type: "compaction", timestamp: "", summary: "" }],
    ["openai", { role: "user", content: "" }],
    ["openai", { type: "message", role: "assistant", content: [] }],
  ];
  for (const [format, value] of table) {
    it(`${format}: ${JSON.stringify(value)}`, () => {
      assert.equal(detectFormat(value), format);
    });
  }

  it("takes nothing else for a session", () => {
    for (const value of [null, 1, "a", [], {}, { type: "user" }, { role: "x" }, { type: "message" }]) {
      assert.equal(detectFormat(value), undefined);
    }
  });
});
