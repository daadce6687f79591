import assert from "node:assert/strict";
import { createReadStream, existsSync } from "node:fs";
import type { ImportedSession, ImportReport } from "../../../../src/sessions/import/importedSession.ts";
import { importSession } from "../../../../src/sessions/import/importSession.ts";
import { contextOf, outline } from "./importing.ts";

const FOLDER = new URL("../../../../../shared/transcripts/", import.meta.url);
const available = existsSync(FOLDER);

async function importSample(name: string) {
  return await importSession({ fileName: name, chunks: createReadStream(new URL(name, FOLDER)) });
}

async function sample(name: string): Promise<ImportedSession> {
  const result = await importSample(name);
  assert.ok(result.ok, result.ok ? "" : result.reason);
  return result.imported;
}

describe("the sample transcripts", () => {
  before(function () {
    if (available) return;
    console.warn(`SKIPPED: the sample transcripts are missing (${FOLDER.pathname})`);
    this.skip();
  });

  const table: [string, Partial<ImportReport>][] = [
    [
      "pi-large-session.jsonl",
      {
        lines: 1019,
        messageLines: 914,
        metadataLines: 105,
        unknownLines: 0,
        messages: 914,
        userMessages: 88,
        notices: 0,
        calls: 391,
        results: 373,
        openCalls: 18,
        abortedTurns: 21,
        boundaries: [],
        notes: [],
      },
    ],
    [
      "claude-fe5e.jsonl",
      {
        lines: 438,
        messageLines: 32,
        sidechainLines: 405,
        metadataLines: 1,
        unknownLines: 0,
        messages: 24,
        userMessages: 2,
        notices: 2,
        calls: 11,
        results: 11,
        openCalls: 0,
        sidechain: { messages: 322, calls: 156, results: 156 },
        boundaries: [],
      },
    ],
    [
      "claude-98b7-compacted.jsonl",
      {
        lines: 26,
        messageLines: 14,
        boundaryLines: 1,
        metadataLines: 11,
        messages: 14,
        userMessages: 3,
        notices: 7,
        boundaries: [
          {
            line: 20,
            afterMessageId: "msg_0113bsRzF6soG1NBT4YCzfbT",
            trigger: "manual",
            tokensBefore: 26634,
          },
        ],
      },
    ],
    [
      "claude-small.jsonl",
      { lines: 89, boundaryLines: 2, sidechainLines: 7, unknownLines: 0, calls: 2, results: 1, openCalls: 1 },
    ],
    [
      "pi-small.jsonl",
      {
        lines: 9,
        messages: 5,
        userMessages: 2,
        notices: 1,
        boundaryLines: 2,
        metadataLines: 3,
        unknownLines: 0,
      },
    ],
    [
      "swe-marshmallow.traj",
      { lines: 28, messages: 28, userMessages: 1, notices: 0, calls: 13, results: 13, openCalls: 0 },
    ],
    [
      "cline-session.json",
      { lines: 32, messages: 34, userMessages: 5, notices: 1, calls: 11, results: 11, unknownLines: 0 },
    ],
  ];
  for (const [name, expected] of table) {
    it(`counts ${name}`, async () => {
      const { report } = await sample(name);
      const seen = Object.fromEntries(
        Object.keys(expected).map((key) => [key, report[key as keyof ImportReport]]),
      );
      assert.deepEqual(seen, expected);
    });
  }

  it("starts each context where its agent's own began", async () => {
    assert.equal(contextOf(await sample("pi-large-session.jsonl")).length, 914);
    assert.deepEqual(contextOf(await sample("pi-small.jsonl")), [
      "2c19d326",
      "30c6a75f",
      "22a2720e",
      "ddd2179a",
      "4a666296",
    ]);
    const compacted = await sample("claude-98b7-compacted.jsonl");
    assert.deepEqual(contextOf(compacted).length, 5);
    assert.equal(contextOf(compacted)[0], "d566c099-bf86-4b03-8f1b-b198ee675bd7");
    assert.match(
      outline(compacted.records).join("\n"),
      /^user notice d566c099[^:]*: This session is being continued/m,
    );
  });

  it("finds the words of the person in the Claude Code samples, and nobody else's", async () => {
    const typed = async (name: string) =>
      (await sample(name)).records.flatMap((record) =>
        record.type === "message" && record.message.role === "user" && record.message.kind === undefined
          ? record.message.content.map((part) => (part.type === "text" ? part.text : part.type))
          : [],
      );
    assert.deepEqual(await typed("claude-fe5e.jsonl"), [
      "create TODO app by Next.js",
      "Thanks! Please update CLAUDE.md for current changes",
    ]);
    assert.deepEqual(await typed("claude-98b7-compacted.jsonl"), [
      "Give me 4 20 sentince long paragraphs of lorem ipsum as if you were shrek",
      "Give me 4 20 sentince long paragraphs of lorem ipsum as if you were shrek for testing",
      "im testing chat just do it",
    ]);
  });

  it("links every sub-agent of claude-fe5e to its Task call, and reports usage once a message", async () => {
    const { records } = await sample("claude-fe5e.jsonl");
    const linked = new Set<string>();
    for (const record of records) {
      if (record.type !== "sidechain") continue;
      assert.ok(record.linkedCallId !== undefined, `${record.message.id} is linked`);
      linked.add(record.linkedCallId);
    }
    assert.equal(linked.size, 5);
    const replies = records.filter(
      (record) => record.type === "message" && record.message.role === "assistant",
    );
    assert.equal(replies.length, 9);
    const outputs = replies.flatMap((record) =>
      "message" in record ? [record.message.usage?.outputTokens] : [],
    );
    assert.deepEqual(outputs.slice(0, 3), [172, 1, 598]);
  });

  for (const [name, agent] of [
    ["codex-small.jsonl", "Codex"],
    ["copilot-mcp.json", "GitHub Copilot Chat"],
    ["copilotcli-small.jsonl", "GitHub Copilot CLI"],
    ["gemini-v040.jsonl", "Gemini CLI"],
  ] as const) {
    it(`names ${agent} when it refuses ${name}`, async () => {
      const result = await importSample(name);
      assert.ok(!result.ok);
      assert.equal(result.code, "unknown_format");
      assert.match(result.reason, new RegExp(`is a session of ${agent}, which cannot be read yet`));
    });
  }
});
