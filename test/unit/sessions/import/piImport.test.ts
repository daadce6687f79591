import assert from "node:assert/strict";
import { contextOf, importFixture, importLines, outline } from "./importing.ts";

const header = { type: "session", version: 3, id: "s", timestamp: "2026-03-01T10:00:00.000Z", cwd: "/w" };
const entry = (id: string, parentId: string | null, role: string, content: unknown) => ({
  type: "message",
  id,
  parentId,
  timestamp: "2026-03-01T10:00:01.000Z",
  message: { role, content },
});

describe("import of pi sessions", () => {
  it("reads a tree: the branch of the last entry, its notices, and what was left outside", async () => {
    const session = await importFixture("pi-tree.jsonl");
    assert.deepEqual(outline(session.records), [
      "(metadata) session",
      "(metadata) model_change",
      "user e2: Write a parser.",
      'assistant e3: <Hm.:c2ln> | write#call_1({"path":"p.ts"})',
      "tool e4: write#call_1 => ok | <image/png>",
      "assistant e5: Written.",
      "(outside) user x1: Rewrite it in Haskell.",
      "(outside) assistant x2: Rewriting.",
      "user notice e6: Haskell was tried and left.",
      "user e7: Add a test.",
      "assistant e8: Added.",
      "--- boundary, line 12",
      "user notice e10: Lint is clean.",
      "user notice e11: $ npm test\n1 failed\n[exit code 1]",
      "(metadata) bash command kept from the model",
      "(metadata) session_info",
      "--- boundary, line 19",
      "user notice e16: Parser and test were written.",
      "user /theme e14: /theme",
      'user notice e15:0: <skill name="tests" location="/w/tests">\nRun all.\n</skill>',
      "user /skill:tests e15: only the parser ones",
      "user e17: Go on.",
      '(unknown) Record type "hologram" is not known.',
    ]);
    assert.deepEqual(contextOf(session), ["e16", "e14", "e15:0", "e15", "e17"]);
    assert.equal(session.title, "The parser");
    assert.equal(session.model, "claude-sonnet-4-5");
    assert.equal(session.createdAt, Date.UTC(2026, 2, 1, 10));
    assert.deepEqual(
      [session.report.outside, session.report.outsideLines, session.report.abortedTurns],
      [2, 2, 1],
    );
  });

  it("adds cached tokens to the input, and takes no usage from zeros", async () => {
    const { records } = await importFixture("pi-tree.jsonl");
    const usage = (id: string) => {
      const record = records.find((one) => "message" in one && one.message.id === id);
      return record !== undefined && "message" in record ? record.message.usage : undefined;
    };
    assert.deepEqual(usage("e3"), {
      inputTokens: 4310,
      outputTokens: 20,
      cacheReadTokens: 300,
      cacheWriteTokens: 4000,
      model: "claude-sonnet-4-5",
    });
    assert.equal(usage("x2"), undefined);
  });

  it("reads version 1: a list without ids, its kept entry named by position", async () => {
    const session = await importFixture("pi-v1.jsonl");
    assert.deepEqual(contextOf(session), ["line-5", "line-4", "line-6"]);
    assert.deepEqual(session.report.boundaries, [{ line: 5, afterMessageId: "line-4", tokensBefore: 100 }]);
  });

  it("keeps the ruling compaction last when both keep the same entry, and sends one summary", async () => {
    const session = await importLines(
      header,
      entry("a", null, "user", "One"),
      {
        type: "compaction",
        id: "c1",
        parentId: "a",
        timestamp: "",
        summary: "First.",
        firstKeptEntryId: "a",
      },
      entry("b", "c1", "user", "Two"),
      {
        type: "compaction",
        id: "c2",
        parentId: "b",
        timestamp: "",
        summary: "Second.",
        firstKeptEntryId: "a",
      },
      entry("d", "c2", "user", "Three"),
    );
    assert.deepEqual(contextOf(session), ["c2", "a", "b", "d"]);
    assert.deepEqual(
      session.report.boundaries.map(({ line }) => line),
      [3, 5],
    );
  });

  it("ignores a compaction of a branch that was left", async () => {
    const session = await importLines(
      header,
      entry("a", null, "user", "One"),
      {
        type: "compaction",
        id: "c1",
        parentId: "a",
        timestamp: "",
        summary: "First.",
        firstKeptEntryId: "a",
      },
      entry("b", "a", "user", "Two"),
    );
    assert.deepEqual(contextOf(session), ["a", "b"]);
    assert.deepEqual([session.report.boundaries.length, session.report.boundaryLines], [0, 0]);
    assert.ok(session.records.some((record) => record.type === "metadata" && record.text.includes("First.")));
  });

  it("does not lose what came before a parent that cannot be read", async () => {
    const session = await importLines(
      header,
      entry("a", null, "user", "One"),
      '{"type":"message","id":"b","parentId":"a","mess',
      entry("c", "b", "user", "Three"),
    );
    assert.deepEqual(contextOf(session), ["a", "c"]);
    assert.equal(session.report.unknownLines, 1);
  });

  it("survives entries that are their own parents", async () => {
    const session = await importLines(header, entry("a", "b", "user", "One"), entry("b", "b", "user", "Two"));
    assert.deepEqual(contextOf(session), ["a", "b"]);
  });

  it("puts attached documents before the prompt as attachments, and images into it", async () => {
    const attachments = [
      { type: "document", fileName: "a.pdf", extractedText: "Page 1" },
      { type: "image", fileName: "a.png", mimeType: "image/png", content: "AAAA" },
    ];
    const line = {
      ...entry("a", null, "user", "Look"),
      message: { role: "user", content: "Look", attachments },
    };
    const { records } = await importLines(header, line);
    assert.deepEqual(outline(records).slice(1), [
      "user attachment a:0: a.pdf\nPage 1",
      "user a: Look | <image/png>",
    ]);
  });

  it("keeps an aborted reply without content, with why it ended", async () => {
    const message = {
      role: "assistant",
      content: [],
      stopReason: "aborted",
      errorMessage: "Request was aborted",
    };
    const { records } = await importLines(header, entry("a", null, "user", "Hi"), {
      ...entry("b", "a", "assistant", []),
      message,
    });
    const last = records.at(-1);
    assert.ok(last?.type === "message");
    assert.deepEqual(
      [last.message.content, last.stopReason, last.errorText],
      [[], "aborted", "Request was aborted"],
    );
  });
});
