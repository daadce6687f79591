import assert from "node:assert/strict";
import { describe, it } from "mocha";
import type { ImportReport } from "../../../src/sessions/import/importedSession.ts";
import { importReportMarkdown } from "../../../src/vscode/importReportWords.ts";
import { importSentence } from "../../../src/vscode/importSentence.ts";
import { importFixture } from "../sessions/import/importing.ts";

async function reportOf(fixture: string): Promise<ImportReport> {
  return (await importFixture(fixture)).report;
}

/** Rows of the table below a heading: name and count. */
function rows(markdown: string, heading: string): Record<string, number> {
  const section = markdown.split(/^## /m).find((part) => part.startsWith(heading)) ?? "";
  const found = [...section.matchAll(/^\| (\S[^|]*) \| ([\d,]+) \|/gm)];
  return Object.fromEntries(found.map(([, name, count]) => [name, Number(count?.replaceAll(",", ""))]));
}

describe("the import report", () => {
  it("tells lines that are no message (metadata) from lines of a kind that nobody knows", async () => {
    const markdown = importReportMarkdown("pi-tree.jsonl", await reportOf("pi-tree.jsonl"));
    assert.deepEqual(rows(markdown, "Lines of the file"), {
      All: 21,
      Messages: 12,
      Sidechain: 0,
      "Outside the branch": 2,
      Compactions: 2,
      Metadata: 4,
      Unknown: 1,
    });
    assert.match(markdown, /^\| Unknown .*damaged, or of a kind that nobody knows/m);
    assert.match(importSentence("T", await reportOf("pi-tree.jsonl")), /Lines of an unknown kind.*: 1\./);
    assert.doesNotMatch(importSentence("T", await reportOf("claude-users.jsonl")), /unknown/);
  });

  it("counts messages, calls, results, open calls, results without a call and sidechains", async () => {
    const turns = importReportMarkdown("claude-turns.jsonl", await reportOf("claude-turns.jsonl"));
    assert.deepEqual(rows(turns, "Transcript"), {
      Messages: 12,
      "Typed by a person": 3,
      "Notices and attachments": 2,
      "Tool calls": 4,
      Results: 3,
      "Open calls": 1,
      "Results without a call": 1,
      "Aborted turns": 1,
    });
    const side = importReportMarkdown("claude-sidechain.jsonl", await reportOf("claude-sidechain.jsonl"));
    assert.deepEqual(rows(side, "Beside the context"), {
      "Sidechain messages": 6,
      "Sidechain calls": 1,
      "Sidechain results": 1,
      "Outside the branch": 0,
    });
  });

  it("says where a session was already compacted, or that it was not", async () => {
    const compacted = importReportMarkdown("pi-tree.jsonl", await reportOf("pi-tree.jsonl"));
    assert.match(compacted, /## Compacted before\n\n- Line 12 · 9,000 tokens before it\n- Line 19 · 9,500/);
    const never = importReportMarkdown("claude-turns.jsonl", await reportOf("claude-turns.jsonl"));
    assert.match(never, /## Compacted before\n\nNo\./);
  });

  it("calls the entries of a JSON document no lines", async () => {
    const report = await reportOf("openai-tools.json");
    assert.deepEqual(rows(importReportMarkdown("openai-tools.json", report), "Entries of the file"), {
      All: 12,
      Messages: 11,
      Sidechain: 0,
      "Outside the branch": 0,
      Compactions: 0,
      Metadata: 0,
      Unknown: 1,
    });
    assert.match(importSentence("T", report), /Entries of an unknown kind/);
  });
});
