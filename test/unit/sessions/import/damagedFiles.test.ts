import assert from "node:assert/strict";
import fc from "fast-check";
import type { ImportedSession, ImportReport } from "../../../../src/sessions/import/importedSession.ts";
import { LineSplitter } from "../../../../src/sessions/import/lineSplitter.ts";
import { contextOf, fixtureBytes, importBytes, imported, jsonl, outline } from "./importing.ts";

const FILES = [
  "claude-turns.jsonl",
  "claude-users.jsonl",
  "claude-sidechain.jsonl",
  "claude-compacted.jsonl",
  "claude-compacted-kept-tail.jsonl",
  "claude-compacted-kept-head.jsonl",
  "claude-rewound.jsonl",
  "pi-tree.jsonl",
  "pi-v1.jsonl",
  "openai-tools.json",
  "swe-text.traj",
];
const anyFile = fc.constantFrom(...FILES);
const anyJsonl = fc.constantFrom(...FILES.filter((name) => name.endsWith(".jsonl")));

function assertConsistent({ records, report, contextStart }: ImportedSession): void {
  const { messageLines, sidechainLines, outsideLines, boundaryLines, metadataLines, unknownLines } = report;
  assert.equal(
    report.lines,
    messageLines + sidechainLines + outsideLines + boundaryLines + metadataLines + unknownLines,
  );
  const messages = records.filter((record) => record.type === "message");
  assert.equal(report.messages, messages.length);
  assert.equal(report.calls, report.results + report.openCalls);
  assert.ok(report.openCalls >= 0);
  const ids = records.flatMap((record) => ("message" in record ? [record.message.id] : []));
  assert.equal(new Set(ids).size, ids.length, "ids are unique");
  assert.equal(records.filter(({ type }) => type === "unknown").length, unknownLines);
  const parts = (type: string) =>
    messages.flatMap(({ message }) => message.content.filter((part) => part.type === type)).length;
  assert.deepEqual([parts("tool-call"), parts("tool-result")], [report.calls, report.results]);
  const afterBoundary = records.slice(records.findLastIndex(({ type }) => type === "boundary") + 1);
  const context = afterBoundary.flatMap((record) => (record.type === "message" ? [record.message.id] : []));
  assert.deepEqual(contextOf({ records, contextStart } as ImportedSession), context);
  assertPaired(messages.slice(-context.length || messages.length).map(({ message }) => message));
}

/** Every result of the context has its call before it. */
function assertPaired(
  messages: readonly { content: readonly { type: string; toolCallId?: string }[] }[],
): void {
  const open: string[] = [];
  for (const part of messages.flatMap(({ content }) => content)) {
    if (part.type === "tool-call") open.push(part.toolCallId ?? "");
    if (part.type !== "tool-result") continue;
    const index = open.lastIndexOf(part.toolCallId ?? "");
    assert.ok(index >= 0, `result ${part.toolCallId} has its call`);
    open.splice(index, 1);
  }
}

function completeLines(bytes: Uint8Array): string[] {
  return Buffer.from(bytes).toString("utf8").split("\n").slice(0, -1);
}

const lineCount = ({ lines }: ImportReport) => lines;

describe("damaged files", () => {
  it("imports a file cut at any byte, with every complete line", async () => {
    for (const name of FILES) {
      const bytes = fixtureBytes(name);
      const whole = await imported(bytes);
      assertConsistent(whole);
      const whenComplete = new Map<number, ImportedSession>();
      const step = name.endsWith(".jsonl") ? 7 : 29;
      for (let end = 0; end <= bytes.length; end += step) {
        const result = await importBytes(bytes.subarray(0, end));
        if (!result.ok) {
          assert.ok(
            ["empty", "not_json", "unknown_format"].includes(result.code),
            `${name} at ${end}: ${result.code}`,
          );
          assert.ok(
            completeLines(bytes.subarray(0, end)).length <= 1 || !name.endsWith(".jsonl"),
            `${name} at ${end}`,
          );
          continue;
        }
        assertConsistent(result.imported);
        if (!name.endsWith(".jsonl")) continue;
        const complete = completeLines(bytes.subarray(0, end)).length;
        const { report } = result.imported;
        assert.ok(lineCount(report) - complete <= 1, `${name} at ${end}`);
        assert.ok(report.unknownLines <= whole.report.unknownLines + 1);
        const lines = completeLines(bytes).slice(0, complete);
        const same = whenComplete.get(complete) ?? (await imported(Buffer.from(`${lines.join("\n")}\n`)));
        whenComplete.set(complete, same);
        if (report.unknownLines > same.report.unknownLines) {
          assert.deepEqual(
            outline(result.imported.records).filter((line) => !line.includes("half-written")),
            outline(same.records),
          );
        }
      }
    }
  }).timeout(60_000);

  it("loses no line to garbage between lines, wherever it stands", async () => {
    const garbage = fc.oneof(
      fc.string({ maxLength: 30 }).map((text) => text.replace(/[\n\r]/g, " ")),
      fc.constantFrom("{", "[", '{"type":', "\0\0\0\0", "null", "[1,2", '"text"', "}{", "\uFEFF", '{"a":1}'),
    );
    await fc.assert(
      fc.asyncProperty(
        anyJsonl,
        fc.array(fc.record({ at: fc.nat(30), line: garbage }), { minLength: 1, maxLength: 6 }),
        async (name, noise) => {
          const lines = completeLines(fixtureBytes(name));
          const clean = await imported(fixtureBytes(name));
          const noisy = [...lines];
          for (const { at, line } of noise) noisy.splice(at % (noisy.length + 1), 0, line);
          const session = await imported(Buffer.from(noisy.join("\n")));
          assertConsistent(session);
          const texts = (one: ImportedSession) =>
            one.records.flatMap((record) => ("message" in record ? [record.message.content] : []));
          assert.deepEqual(texts(session), texts(clean));
          const added = noise.filter(({ line }) => line.trim() !== "").length;
          assert.equal(session.report.lines, clean.report.lines + added);
          assert.equal(session.report.unknownLines, clean.report.unknownLines + added);
        },
      ),
      { numRuns: 200 },
    );
  }).timeout(60_000);

  it("gives the same session for the same bytes, however they are chunked", async () => {
    await fc.assert(
      fc.asyncProperty(anyFile, fc.integer({ min: 1, max: 5000 }), async (name, size) => {
        const bytes = fixtureBytes(name);
        assert.deepEqual(await importBytes(bytes, size), await importBytes(bytes));
      }),
      { numRuns: 60 },
    );
  }).timeout(60_000);

  it("puts characters together that a chunk border cuts, one byte a chunk", async () => {
    const line = { type: "user", uuid: "u", message: { role: "user", content: "Grüße, 世界 🎉" } };
    const session = await imported(jsonl(line), 1);
    assert.deepEqual(outline(session.records), ["user u: Grüße, 世界 🎉"]);
  });

  it("copies what it keeps of a chunk, so that a reader may use one buffer again and again", async () => {
    const { importSession } = await import("../../../../src/sessions/import/importSession.ts");
    for (const name of FILES) {
      const bytes = fixtureBytes(name);
      async function* reusing(): AsyncGenerator<Uint8Array> {
        const buffer = new Uint8Array(100);
        for (let start = 0; start < bytes.length; start += buffer.length) {
          const piece = bytes.subarray(start, start + buffer.length);
          buffer.set(piece);
          yield buffer.subarray(0, piece.length);
          buffer.fill(0);
        }
      }
      const reused = await importSession({ fileName: "session", chunks: reusing() });
      assert.deepEqual(reused, await importBytes(bytes), name);
    }
  });

  const line = (uuid: string) =>
    JSON.stringify({ type: "user", uuid, message: { role: "user", content: uuid } });
  it("reads past a byte order mark, NUL runs and carriage returns, and keeps what it cannot read", async () => {
    const nuls = "\0".repeat(100);
    const text = `\uFEFF${line("a")}\r\n${nuls}${line("b")}\n${nuls}\n\n${line("c").slice(0, 20)}\n${line("d")}\n${line("e").slice(0, -5)}`;
    const { records, report } = await imported(Buffer.from(text));
    assert.deepEqual(outline(records), [
      "user a: a",
      "user b: b",
      "(unknown) The line holds only NUL bytes.",
      "(unknown) The line is not JSON.",
      "user d: d",
      "(unknown) The last line is half-written.",
    ]);
    assert.deepEqual([report.lines, report.messageLines, report.unknownLines], [6, 3, 3]);
    const kept = records.flatMap((record) => (record.type === "unknown" ? [record.text] : []));
    assert.deepEqual(kept, [nuls, line("c").slice(0, 20), line("e").slice(0, -5)]);
    assert.match(report.notes.join(), /NUL bytes/);
  });

  it("keeps the exact bytes of a line that is not UTF-8", async () => {
    const bad = Buffer.from([0x7b, 0xff, 0xfe, 0x0a]);
    const { records } = await imported(
      Buffer.concat([Buffer.from(`${line("a")}\n`), bad, Buffer.from(line("b"))]),
    );
    const unknown = records.find((record) => record.type === "unknown");
    assert.ok(unknown?.type === "unknown");
    assert.equal(unknown.bytesBase64, bad.subarray(0, 3).toString("base64"));
  });

  it("takes the line of a document for what it is, not for a record of JSONL", async () => {
    const records = [line("a"), line("b")].map((one) => JSON.parse(one));
    const pretty = await imported(Buffer.from(JSON.stringify(records, null, 2)));
    const flat = await imported(
      Buffer.from(`[\n${records.map((one) => JSON.stringify(one)).join(",\n")}\n]`),
    );
    assert.deepEqual(outline(pretty.records), ["user a: a", "user b: b"]);
    assert.deepEqual(flat, pretty);
    const talk = ["Hi", "Hello"].map((content) => JSON.stringify({ role: "user", content }));
    const cut = await imported(Buffer.from(`[\n${talk.join(",\n")}\n`));
    assert.deepEqual(outline(cut.records), ["user message-1: Hi", "user message-2: Hello"]);
  });
});

describe("LineSplitter", () => {
  it("gives the lines of a text, whatever the chunks", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("a", "\n", "bb"), { maxLength: 40 }),
        fc.integer({ min: 1, max: 7 }),
        (parts, size) => {
          const text = parts.join("");
          const bytes = Buffer.from(text);
          const splitter = new LineSplitter();
          const lines: string[] = [];
          for (let start = 0; start < bytes.length; start += size) {
            for (const one of splitter.push(bytes.subarray(start, start + size)))
              lines.push(Buffer.from(one.bytes).toString());
          }
          const complete = lines.length;
          for (const one of splitter.end()) lines.push(Buffer.from(one.bytes).toString());
          const expected = text.split("\n");
          assert.equal(complete, expected.length - 1);
          assert.deepEqual(lines, expected.at(-1) === "" ? expected.slice(0, -1) : expected);
        },
      ),
    );
  });
});
