import assert from "node:assert/strict";
import type * as vscode from "vscode";
import type { CompactOutcome } from "../../../src/core/compactionOutcome.ts";
import type { ChatModel } from "../../../src/core/model.ts";
import type { CompactRequest } from "../../../src/engine/liveSession.ts";
import { ActiveSession } from "../../../src/vscode/activeSession.ts";
import { CompactCommand } from "../../../src/vscode/compactCommand.ts";
import { FakeLive, FakeStore } from "./fakeSessions.ts";
import { answers, executedCommands, resetWindow, ShimMemento, shown } from "./vscodeShim.ts";

const model = { id: "demo/good", vendor: "demo", name: "Demo", limits: {} } as unknown as ChatModel;

const outcome: CompactOutcome = {
  runId: "r1",
  state: "summarized",
  reason: "summary_accepted",
  nextAction: "continue",
  failures: [],
  messages: [],
  before: 81_234,
  after: 12_400,
  retired: [],
  carriedOutKeys: [],
  evictedCount: 0,
  floorParts: [],
  receipts: [],
};

function world(
  run: (request: CompactRequest) => Promise<CompactOutcome>,
  chosen: ChatModel | undefined = model,
) {
  const files = new FakeStore();
  files.titles.set("a", "a");
  const errors: unknown[] = [];
  const requests: CompactRequest[] = [];
  const asked: boolean[] = [];
  const sessions = new ActiveSession({
    openStore: async () => files.store,
    openLive: async (file) => {
      const live = new FakeLive(file, files);
      live.run = (request) => {
        requests.push(request);
        return run(request);
      };
      return live.session;
    },
    workspaceState: new ShimMemento() as unknown as vscode.Memento,
  });
  const command = new CompactCommand({
    sessions,
    summarizer: {
      choose: async (interactive) => {
        asked.push(interactive);
        return chosen;
      },
    },
    onError: (error) => errors.push(error),
  });
  return { command, sessions, requests, asked, errors };
}

const endsWith = (partial: Partial<CompactOutcome>) => async () => ({ ...outcome, ...partial });

describe("CompactCommand", () => {
  beforeEach(resetWindow);

  it("runs by hand with the chosen model, shows phases, and ends in one message with one next action", async () => {
    const { command, requests, asked } = world(async ({ onPhase }) => {
      for (const phase of ["planning", "summarizing", "saving"] as const) onPhase?.(phase);
      return outcome;
    });
    assert.equal((await command.compact("a", "the paths"))?.state, "summarized");
    assert.deepEqual(asked, [true]);
    assert.deepEqual(
      [requests[0]?.trigger, requests[0]?.model, requests[0]?.focus],
      ["manual", model, "the paths"],
    );
    const [progress] = shown.progress;
    assert.deepEqual([progress?.cancellable, progress?.done], [true, true]);
    assert.deepEqual(progress?.reports, ["Planning…", "Summarizing with Demo…", "Saving…"]);
    assert.equal(shown.messages.length, 1);
    assert.deepEqual(shown.messages[0]?.buttons, ["Continue in Chat"]);
    await shown.messages[0]?.answer("Continue in Chat");
    assert.deepEqual(executedCommands, [{ command: "contextCapsule.continueInChat", args: ["a"] }]);
  });

  it("hands a cancel on to the run, and confirms it without a notification", async () => {
    const { command } = world(
      ({ signal }) =>
        new Promise((resolve) => {
          signal.addEventListener("abort", () =>
            resolve({
              ...outcome,
              state: "cancelled",
              reason: "cancelled_by_person",
              nextAction: "compact_again",
            }),
          );
        }),
    );
    const run = command.compact("a");
    while (shown.progress.length === 0) await new Promise((later) => setImmediate(later));
    shown.progress[0]?.cancel();
    assert.equal((await run)?.state, "cancelled");
    assert.deepEqual(shown.messages, []);
    assert.match(shown.statusMessages[0] ?? "", /Cancelled, nothing changed/);
  });

  it("warns of what went wrong, and informs of what did not", async () => {
    const kinds = async (partial: Partial<CompactOutcome>) => {
      resetWindow();
      await world(endsWith(partial)).command.compact("a");
      return shown.messages.map(({ kind }) => kind);
    };
    assert.deepEqual(await kinds({}), ["information"]);
    assert.deepEqual(await kinds({ state: "nothing_to_do", reason: "nothing_leaves" }), ["information"]);
    assert.deepEqual(await kinds({ state: "declined", reason: "gain_too_small" }), ["information"]);
    for (const state of ["rejected", "timed_out", "provider_error", "stopped"] as const) {
      assert.deepEqual(await kinds({ state, reason: "model_failed" }), ["warning"], state);
    }
    const summaryFailure = { state: "rejected", reason: "reply_rejected", failures: [] } as const;
    const evicted = { state: "evicted", reason: "evicted_enough" } as const;
    assert.deepEqual(await kinds({ ...evicted, summaryFailure }), ["warning"]);
    const cancelled = { state: "cancelled", reason: "cancelled_by_person", failures: [] } as const;
    assert.deepEqual(await kinds({ ...evicted, summaryFailure: cancelled }), ["information"]);
  });

  it("does not begin without a model, or while a run is under way", async () => {
    const none = world(endsWith({}), undefined);
    const withoutModel = new CompactCommand({
      sessions: none.sessions,
      summarizer: { choose: async () => undefined },
      onError: () => assert.fail(),
    });
    assert.equal(await withoutModel.compact("a"), undefined);
    assert.deepEqual(none.requests, []);

    const busy = world(endsWith({}));
    await busy.sessions.activate("a");
    (busy.sessions.current as unknown as FakeLive).change({
      running: { runId: "r", startedAt: 0, phase: "planning" },
    });
    assert.equal(await busy.command.compact("a"), undefined);
    assert.deepEqual(busy.requests, []);
    assert.match(shown.messages[0]?.text ?? "", /already running/);
  });

  it("asks for the focus first, and does nothing where that is dismissed", async () => {
    const { command, requests } = world(endsWith({}));
    answers.inputs = [undefined, "  the open questions "];
    assert.equal(await command.compactWithFocus("a"), undefined);
    await command.compactWithFocus("a");
    assert.deepEqual(
      requests.map(({ focus }) => focus),
      ["the open questions"],
    );
  });

  it("offers each retired commitment back", async () => {
    const retired = [
      { key: "k1", text: "Never push", byKey: "n1", sentence: "you may push" },
      { key: "k2", text: "Use tabs", byKey: "n2", sentence: "spaces now" },
    ];
    await world(endsWith({ retired: retired.slice(0, 1) })).command.compact("a");
    await shown.messages[0]?.answer("Restore Commitment");
    assert.deepEqual(executedCommands, [
      { command: "contextCapsule.restoreCommitment", args: [{ sessionId: "a", key: "k1" }] },
    ]);
    resetWindow();
    answers.picks = [1];
    await world(endsWith({ retired })).command.compact("a");
    await shown.messages[0]?.answer("Restore a Commitment…");
    assert.deepEqual(
      executedCommands.map(({ args }) => args),
      [[{ sessionId: "a", key: "k2" }]],
    );
  });
});
