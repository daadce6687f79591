import assert from "node:assert/strict";
import * as vscode from "vscode";
import type { CompactOutcome } from "../../src/core/compactionOutcome.ts";
import type { Message } from "../../src/core/messages.ts";
import type { UndoOutcome } from "../../src/engine/liveSession.ts";
import type { OpenAiMessage } from "./support/sessionDocuments.ts";
import { importSession, messages } from "./support/sessionDocuments.ts";

const run = <Result>(name: string, ...args: unknown[]): Thenable<Result> =>
  vscode.commands.executeCommand<Result>(`contextCapsule.${name}`, ...args);

/** Words alone: nothing can be evicted, so the summary decides how a run ends. */
function talk(): OpenAiMessage[] {
  const rounds = Array.from({ length: 30 }, (_, index) => [
    {
      role: "user",
      content: index === 3 ? "Always answer in French from now on." : `Question ${index}: what next?`,
    },
    {
      role: "assistant",
      content: `Answer ${index}. ${"Some words of an answer that go on for a while. ".repeat(60)}`,
    },
  ]);
  return [...rounds.flat(), { role: "user", content: "And what is left?" }];
}

const SETTINGS = { keepRecentTokens: 1000, keepRecentTurns: 1 };

async function set(values: Readonly<Record<string, unknown>>): Promise<void> {
  const configuration = vscode.workspace.getConfiguration("contextCapsule");
  for (const [name, value] of Object.entries(values)) {
    await configuration.update(name, value, vscode.ConfigurationTarget.Global);
  }
}

const compactWith = async (sessionId: string, model: string): Promise<CompactOutcome> => {
  await set({ summarizer: `context-capsule-demo/${model}` });
  const outcome = await run<CompactOutcome | undefined>("compactNow", sessionId);
  assert.ok(outcome, `${model}: no run`);
  return outcome;
};

describe("Compact Now with scripted models", () => {
  before(async () => {
    await vscode.extensions.getExtension("context-capsule.context-capsule")?.activate();
    await set(SETTINGS);
  });
  after(async () => {
    await set({ summarizer: undefined, keepRecentTokens: undefined, keepRecentTurns: undefined });
    await vscode.commands.executeCommand("notifications.clearAll");
  });

  const refused: readonly (readonly [model: string, state: string, sign: string])[] = [
    ["empty", "rejected", "reply_empty"],
    ["blank", "rejected", "reply_empty"],
    ["cut-off", "rejected", "reply_cut_off"],
    ["refusal", "rejected", "reply_refused"],
    ["reasoning-only", "rejected", "reply_reasoning_only"],
    ["tool-call", "rejected", "reply_tool_call"],
    ["two-objects", "rejected", "reply_two_objects"],
    ["prose-around", "rejected", "reply_prose"],
    ["error-401", "provider_error", "authentication"],
    ["error-429", "provider_error", "rate"],
    ["quota", "provider_error", "quota"],
    ["no-permissions", "provider_error", "permission"],
  ];

  describe("that fail", () => {
    let sessionId: string;
    let unchanged: readonly Message[] | undefined;
    before(async () => {
      sessionId = await importSession("compact-refused", talk());
    });

    for (const [model, state, sign] of refused) {
      it(`${model} → ${state} ${sign}, and nothing changed`, async () => {
        const outcome = await compactWith(sessionId, model);
        assert.equal(outcome.state, state);
        assert.ok(
          [...outcome.failures, outcome.error?.code].includes(sign),
          JSON.stringify(outcome.failures),
        );
        assert.notEqual(outcome.nextAction, "none");
        unchanged ??= outcome.messages;
        assert.deepEqual(outcome.messages, unchanged);
        assert.equal(outcome.messages.length, talk().length);
      });
    }
  });

  it("good → summarized; every commitment of the person stands, and undo takes it back whole", async () => {
    const sessionId = await importSession("compact-good", talk());
    const before = (await compactWith(sessionId, "empty")).messages;
    const first = await compactWith(sessionId, "good");
    assert.equal(first.state, "summarized");
    assert.ok(first.after < first.before);
    assert.ok(first.messages.some(({ kind }) => kind === "capsule"));
    assert.ok(
      first.summary?.anchors.some(
        ({ critical, text }) => critical && text.includes("Always answer in French"),
      ),
    );

    assert.equal((await run<UndoOutcome>("undo", sessionId)).ok, true);
    assert.deepEqual(await run<UndoOutcome>("undo", sessionId), { ok: false, reason: "nothing_to_undo" });
    assert.deepEqual((await compactWith(sessionId, "empty")).messages, before);
  });

  it("forgetful → the code carries what the model dropped and reworded", async () => {
    const sessionId = await importSession("compact-forgetful", talk());
    await compactWith(sessionId, "good");
    const second = await compactWith(sessionId, "forgetful");
    const capsule = second.messages.find(({ kind }) => kind === "capsule");
    assert.match(JSON.stringify(capsule), /Always answer in French from now on\./);
    assert.doesNotMatch(JSON.stringify(capsule), /Preferably rather answer/);
  });

  it("tool results leave first, free: a failed summary after that is said beside it", async () => {
    const sessionId = await importSession("compact-evicted", messages(30));
    const outcome = await compactWith(sessionId, "empty");
    assert.equal(outcome.state, "evicted");
    assert.ok(outcome.evictedCount > 0);
    assert.deepEqual(outcome.summaryFailure?.failures, ["reply_empty"]);
  });

  it("nothing worth compacting is said as that", async () => {
    const sessionId = await importSession("compact-short", [{ role: "user", content: "Hello." }]);
    assert.equal((await compactWith(sessionId, "good")).state, "nothing_to_do");
  });
});
