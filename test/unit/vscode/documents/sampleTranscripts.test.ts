import assert from "node:assert/strict";
import { createReadStream, existsSync } from "node:fs";
import { projectContext } from "../../../../src/core/projection.ts";
import { isChainEntry } from "../../../../src/sessions/entries.ts";
import { importSession } from "../../../../src/sessions/import/importSession.ts";
import { importedEntries } from "../../../../src/sessions/importedEntries.ts";
import { PAGE_LIMIT_BYTES } from "../../../../src/vscode/documents/pageLayout.ts";
import { TranscriptDocument } from "../../../../src/vscode/documents/transcriptDocument.ts";
import { createSlices } from "../../../../src/vscode/slices.ts";

const FOLDER = new URL("../../../../../shared/transcripts/", import.meta.url);
const available = existsSync(FOLDER);
const slices = createSlices();

describe("the transcript document of the sample transcripts", () => {
  before(function () {
    if (available) return;
    console.warn(`SKIPPED: the sample transcripts are missing (${FOLDER.pathname})`);
    this.skip();
  });

  for (const name of [
    "pi-large-session.jsonl",
    "pi-small.jsonl",
    "claude-fe5e.jsonl",
    "claude-small.jsonl",
    "claude-98b7-compacted.jsonl",
    "swe-marshmallow.traj",
  ]) {
    it(`holds every message of ${name} once, in pages under 512 kB, with texts at column 4`, async () => {
      const result = await importSession({ fileName: name, chunks: createReadStream(new URL(name, FOLDER)) });
      assert.ok(result.ok);
      let ids = 0;
      const newId = (): string => `id-${++ids}`;
      const entries = await importedEntries(result.imported, { newId, now: 0, pause: () => undefined });
      const context = projectContext(entries.filter(isChainEntry));
      const document = new TranscriptDocument();
      await document.update({ title: name, entries, context }, slices);
      const anchors: string[] = [];
      for (let page = 1; page <= document.pageCount; page += 1) {
        const { text, lines } = await document.render(page, slices);
        assert.ok(Buffer.byteLength(text) <= PAGE_LIMIT_BYTES);
        anchors.push(...[...lines.keys()].filter((id) => document.pageOf(id) === page));
        for (const line of text.split("\n").slice(2)) {
          assert.match(line, /^(?:$|#\d+ |── |(?:← )?page \d|End of |messages \d| {4}| {2}\S)/u);
        }
      }
      const messages = entries.flatMap((entry) => (entry.type === "message" ? [entry.message.id] : []));
      assert.deepEqual(anchors, messages);
      const { report } = result.imported;
      assert.equal(document.record.counts.calls, report.calls);
      assert.equal(document.record.counts.sidechain, report.sidechain.messages);
    }).timeout(20_000);
  }
});
