import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { estimateTokens } from "../../../src/core/estimate.ts";
import type { Message } from "../../../src/core/messages.ts";
import type { ImportedSession } from "../../../src/sessions/import/importedSession.ts";
import { importSession } from "../../../src/sessions/import/importSession.ts";
import type { SampleSession } from "../../demo/sessions/sampleSessions.mts";
import { longSample, sampleSessions } from "../../demo/sessions/sampleSessions.mts";

/** Below the Demo Model's window of 72,000, above its trigger line of 55,616. */
const LONG_SAMPLE_TOKENS = { least: 60_000, most: 70_000 };

async function read({ fileName, text }: SampleSession): Promise<ImportedSession> {
  async function* chunks() {
    yield new TextEncoder().encode(text);
  }
  const result = await importSession({ fileName, chunks: chunks() });
  assert.ok(result.ok, result.ok ? "" : result.reason);
  return result.imported;
}

function contextOf(session: ImportedSession): Message[] {
  return session.records.flatMap((record) => (record.type === "message" ? [record.message] : []));
}

describe("the sample sessions", () => {
  it("are the same every time", () => {
    const digests = () => sampleSessions().map(({ text }) => createHash("sha256").update(text).digest("hex"));
    assert.deepEqual(digests(), digests());
  });

  it("hold a long one that is nearly full for the Demo Model", async () => {
    const tokens = contextOf(await read(longSample())).reduce(
      (sum, message) => sum + estimateTokens(message),
      0,
    );
    assert.ok(tokens >= LONG_SAMPLE_TOKENS.least && tokens <= LONG_SAMPLE_TOKENS.most, `${tokens} tokens`);
  });

  for (const sample of sampleSessions()) {
    it(`${sample.fileName} is read without an unknown line`, async () => {
      const session = await read(sample);
      assert.ok(sample.fileName.includes(session.format.split("-")[0] as string));
      assert.deepEqual(
        session.records.filter(({ type }) => type === "unknown"),
        [],
      );
      const users = contextOf(session).filter(({ role, kind }) => role === "user" && kind === undefined);
      assert.ok(users.length >= 3, `${users.length} user messages`);
    });
  }

  it("keep a helper agent, a command and a reminder out of what the user said", async () => {
    const session = await read(longSample());
    assert.ok(session.records.some(({ type }) => type === "sidechain"));
    const said = contextOf(session).filter(({ role, kind }) => role === "user" && kind === undefined);
    const text = JSON.stringify(said);
    assert.ok(text.includes("only the page, look for slow spots"));
    for (const foreign of ["command-name", "system-reminder", "data/places.json"])
      assert.ok(!text.includes(foreign));
  });

  it("keep an aborted turn's open call", async () => {
    const library = sampleSessions().find(({ fileName }) => fileName.includes(".pi."));
    assert.ok(library);
    const messages = contextOf(await read(library));
    const results = new Set(
      messages.flatMap(({ content }) =>
        content.flatMap((part) => (part.type === "tool-result" ? [part.toolCallId] : [])),
      ),
    );
    const open = messages.flatMap(({ content }) =>
      content.filter((part) => part.type === "tool-call" && !results.has(part.toolCallId)),
    );
    assert.equal(open.length, 1);
  });
});
