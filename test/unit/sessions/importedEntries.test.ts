import assert from "node:assert/strict";
import type { Message } from "../../../src/core/messages.ts";
import type { ImportedRecord, ImportedSession } from "../../../src/sessions/import/importedSession.ts";
import { importedEntries } from "../../../src/sessions/importedEntries.ts";

const message = (id: string, role: Message["role"] = "user"): Message => ({
  id,
  role,
  content: [{ type: "text", text: id }],
});
const typed = (id: string, line: number): ImportedRecord => ({
  type: "message",
  message: message(id),
  usageBasis: "imported",
  line,
});

function imported(records: readonly ImportedRecord[], messageId: string | undefined): ImportedSession {
  return {
    format: "pi",
    records,
    contextStart: { messageId },
    report: {} as ImportedSession["report"],
    createdAt: 5,
  };
}

function entriesOf(records: readonly ImportedRecord[], start: string | undefined) {
  let number = 0;
  return importedEntries(imported(records, start), {
    newId: () => `new-${++number}`,
    now: 9,
    pause: () => undefined,
  });
}

const kinds = (entries: Awaited<ReturnType<typeof entriesOf>>): string[] =>
  entries.map((entry) => (entry.type === "message" ? entry.id : entry.type));

describe("importedEntries", () => {
  it("puts a boundary right before the first message of the context, and none where nothing is before it", async () => {
    assert.deepEqual(kinds(await entriesOf([typed("a", 1), typed("b", 2), typed("c", 3)], "b")), [
      "a",
      "boundary",
      "b",
      "c",
    ]);
    assert.deepEqual(kinds(await entriesOf([typed("a", 1), typed("b", 2)], "a")), ["a", "b"]);
  });

  it("leaves an empty context where the file has none", async () => {
    assert.deepEqual(kinds(await entriesOf([typed("a", 1)], undefined)), ["a", "boundary"]);
    assert.deepEqual(kinds(await entriesOf([], undefined)), []);
  });

  it("keeps every record, what is no message as a foreign line with its reason", async () => {
    const entries = await entriesOf(
      [
        { type: "metadata", recordType: "title", text: "{t}", line: 1 },
        { type: "unknown", text: "�", bytesBase64: "/w==", reason: "no JSON", line: 2 },
        { type: "boundary", summaryText: "s", trigger: "auto", line: 3 },
        { type: "outside", message: message("gone"), reason: "rewound", line: 4 },
        { type: "sidechain", message: message("side"), linkedCallId: "call-1", line: 5 },
        typed("a", 6),
      ],
      "a",
    );
    assert.deepEqual(
      entries.map((entry) =>
        entry.type === "foreign" ? [entry.line, entry.reason] : [entry.type, entry.id],
      ),
      [
        [1, "no message: title"],
        [2, "not understood: no JSON (bytes in base64)"],
        [3, "compacted by another agent: auto"],
        [4, "outside the branch: rewound"],
        ["sidechain", "side"],
        ["message", "a"],
      ],
    );
    assert.equal(entries[1]?.type === "foreign" && entries[1].text, "/w==");
  });

  it("gives a record without a time that of the one before it, the first the file's own", async () => {
    const entries = await entriesOf([typed("a", 1), { ...typed("b", 2), at: 70 }, typed("c", 3)], "a");
    assert.deepEqual(
      entries.map(({ at }) => at),
      [5, 70, 70],
    );
  });

  it("keeps a reply's model, where its usage comes from, and the command of a slash command", async () => {
    const [entry] = await entriesOf(
      [
        {
          type: "message",
          message: { ...message("a"), usage: { inputTokens: 1, outputTokens: 2, model: "m" } },
          usageBasis: "imported",
          command: "/review",
          line: 1,
        },
      ],
      "a",
    );
    assert.ok(entry?.type === "message");
    assert.deepEqual([entry.modelId, entry.usageBasis, entry.command], ["m", "imported", "/review"]);
  });
});
