/** Long real sessions, through the commands that a person has: import, compact twice, take both back. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import type { CompactOutcome } from "../../src/core/compactionOutcome.ts";
import { estimateContext } from "../../src/core/estimate.ts";
import type { UndoOutcome } from "../../src/engine/liveSession.ts";
import { commands } from "../../src/vscode/contributions.ts";
import { documentPath } from "../../src/vscode/documents/documentAddress.ts";
import type { ImportedSessionResult } from "../../src/vscode/importCommand.ts";
import { writeSampleSessions } from "../demo/sessions/sampleSessions.mts";
import { SCHEME } from "./support/sessionDocuments.ts";

const root = process.env["CONTEXT_CAPSULE_ROOT"] ?? "";
const SAMPLES = join(root, "../shared/transcripts");
const FIXTURES = join(root, "test/fixtures/import");
const OFFLINE = "context-capsule/offline";
const GOOD = "context-capsule-demo/good";
const USUAL = { keepRecentTokens: 20_000, keepRecentTurns: 2 };
const TIGHT = { keepRecentTokens: 1000, keepRecentTurns: 1 };
const LONG_TOKENS = 60_000;

async function set(values: Readonly<Record<string, unknown>>): Promise<void> {
  const configuration = vscode.workspace.getConfiguration("contextCapsule");
  for (const [name, value] of Object.entries(values)) {
    await configuration.update(name, value, vscode.ConfigurationTarget.Global);
  }
}

async function importFile(path: string): Promise<ImportedSessionResult> {
  const imported = await vscode.commands.executeCommand<ImportedSessionResult | undefined>(
    commands.importSession,
    vscode.Uri.file(path),
  );
  assert.ok(imported, `${path} was not imported`);
  return imported;
}

async function compact(
  sessionId: string,
  settings: Readonly<Record<string, unknown>>,
): Promise<CompactOutcome> {
  await set(settings);
  const outcome = await vscode.commands.executeCommand<CompactOutcome | undefined>(
    commands.compactNow,
    sessionId,
  );
  assert.ok(outcome, "no run");
  return outcome;
}

const undo = (sessionId: string): Thenable<UndoOutcome> =>
  vscode.commands.executeCommand<UndoOutcome>(commands.undo, sessionId);

let readings = 0;

/** What would be sent now, as the document shows it, hashed. A new name each time, as open documents are kept. */
async function sentHash(sessionId: string): Promise<string> {
  const path = documentPath(sessionId, { kind: "sent", page: 1 }, `reading ${++readings}`);
  const document = await vscode.workspace.openTextDocument(vscode.Uri.from({ scheme: SCHEME, path }));
  const text = document.getText();
  assert.match(text, /^Context as sent now of /);
  return createHash("sha256").update(text).digest("hex");
}

async function checkTwoRuns(path: string): Promise<void> {
  const { sessionId } = await importFile(path);
  const fresh = await sentHash(sessionId);
  const first = await compact(sessionId, { ...USUAL, summarizer: OFFLINE });
  assert.equal(first.state, "summarized", first.reason);
  assert.ok(first.after < first.before);
  assert.equal(
    first.summary?.anchors.every(({ sourceDigest }) => sourceDigest.length === 64),
    true,
  );
  const once = await sentHash(sessionId);
  const second = await compact(sessionId, { ...TIGHT, summarizer: GOOD });
  assert.equal(second.state, "summarized", second.reason);
  assert.equal(second.before, first.after);
  assert.ok(second.after < second.before);
  assert.ok((second.summary?.generation ?? 0) > (first.summary?.generation ?? 0));
  assert.equal(second.messages.filter(({ kind }) => kind === "capsule").length, 1);
  assert.equal(estimateContext(second.messages), second.after);
  for (const hash of [once, fresh]) {
    const undone = await undo(sessionId);
    assert.equal(undone.ok, true, JSON.stringify(undone));
    assert.equal(await sentHash(sessionId), hash);
  }
  assert.deepEqual(await undo(sessionId), { ok: false, reason: "nothing_to_undo" });
}

describe("long sessions in the real host", () => {
  before(async () => {
    await vscode.extensions.getExtension("context-capsule.context-capsule")?.activate();
  });
  afterEach(async () => {
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    await vscode.commands.executeCommand("notifications.clearAll");
  });
  after(() => set({ summarizer: undefined, keepRecentTokens: undefined, keepRecentTurns: undefined }));

  describe("of the project's own", () => {
    let folder: string;
    before(async () => {
      folder = await mkdtemp(join(tmpdir(), "context-capsule-samples-"));
      await writeSampleSessions(folder);
    });

    it("Claude Code, over 60k tokens: compacted offline and by a model, undone twice to the same context", async () => {
      const path = join(folder, "tide-tables.claude.jsonl");
      const { sessionId } = await importFile(path);
      const whole = await compact(sessionId, { ...USUAL, summarizer: OFFLINE });
      assert.ok(whole.before > LONG_TOKENS, `${whole.before} tokens`);
      await checkTwoRuns(path);
    });

    it("every fixture imports and survives Compact Now with both summarizers", async () => {
      for (const name of await readdir(FIXTURES)) {
        const { sessionId, report } = await importFile(join(FIXTURES, name));
        assert.ok(report.messages > 0, name);
        const fresh = await sentHash(sessionId);
        for (const summarizer of [OFFLINE, GOOD]) {
          const outcome = await compact(sessionId, { ...TIGHT, summarizer });
          assert.ok(["nothing_to_do", "declined", "evicted", "summarized"].includes(outcome.state), name);
          const compacted = outcome.state === "evicted" || outcome.state === "summarized";
          assert.equal((await undo(sessionId)).ok, compacted, name);
          assert.equal(await sentHash(sessionId), fresh, name);
        }
      }
    });
  });

  describe("of other agents", () => {
    before(function () {
      if (existsSync(SAMPLES)) return;
      console.log(`SKIPPED: the sample transcripts are missing (${SAMPLES})`);
      this.skip();
    });

    it("pi-large-session.jsonl: compacted offline and by a model, undone twice to the same context", () =>
      checkTwoRuns(join(SAMPLES, "pi-large-session.jsonl")));

    for (const [name, messages] of [
      ["pi-small.jsonl", 5],
      ["claude-small.jsonl", 17],
      ["claude-98b7-compacted.jsonl", 14],
      ["claude-fe5e.jsonl", 24],
    ] as const) {
      it(`${name}, with 1000 recent tokens and one turn: each summarizer ends in a named state, undo gives it back`, async () => {
        const { sessionId, report } = await importFile(join(SAMPLES, name));
        assert.equal(report.messages, messages);
        const fresh = await sentHash(sessionId);
        for (const summarizer of [OFFLINE, GOOD]) {
          const outcome = await compact(sessionId, { ...TIGHT, summarizer });
          console.log(
            `${name}, ${summarizer}: ${outcome.state} (${outcome.reason}), ${outcome.before} → ${outcome.after}`,
          );
          const compacted = outcome.state === "evicted" || outcome.state === "summarized";
          assert.ok(compacted ? outcome.after < outcome.before : outcome.after === outcome.before);
          assert.equal((await undo(sessionId)).ok, compacted);
          assert.equal(await sentHash(sessionId), fresh);
        }
      });
    }
  });
});
