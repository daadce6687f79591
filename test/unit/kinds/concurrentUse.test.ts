import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "mocha";
import type { Message } from "../../../src/core/messages.ts";
import { textOf } from "../../../src/core/messages.ts";
import type { ModelChunk } from "../../../src/core/model.ts";
import { createLiveSession } from "../../../src/engine/createLiveSession.ts";
import type { SessionError } from "../../../src/sessions/session.ts";
import { openSessionStore } from "../../../src/sessions/sessionStore.ts";
import { draftText, ScriptedModel } from "../core/ladderWorld.ts";
import { assistant, user } from "../core/messageBuilders.ts";
import { EngineWorld } from "../engine/engineWorld.ts";
import { Faults, faultyFiles } from "../sessions/faultyFiles.ts";
import { environment } from "../sessions/sessionBench.ts";
import { compact, drafter, say, talker, until } from "./kindWorld.ts";

const RULE = "Never push to main without a review.";

function day(turns = 6, prefix = ""): Message[] {
  return Array.from({ length: turns }, (_, turn) => [
    user(`${prefix}u${turn}`, turn === 1 ? RULE : `Look at part ${turn}.`),
    assistant(`${prefix}a${turn}`, `Part ${turn} was looked at. ${"It is well made. ".repeat(80)}`),
  ]).flat();
}

describe("kind 21: what happens while a compaction runs", () => {
  let world: EngineWorld;
  beforeEach(() => {
    world = new EngineWorld();
  });
  afterEach(() => world.end());

  /** A summarizer that waits for `go`. */
  function gated() {
    const gate = Promise.withResolvers<void>();
    const model = new ScriptedModel(async function* (): AsyncGenerator<ModelChunk> {
      await gate.promise;
      yield { type: "text", text: draftText() };
    });
    return { model, go: () => gate.resolve() };
  }

  it("a chat goes on: both exchanges are kept, in order, behind the boundary, now and after a reload", async () => {
    const live = await world.start(day());
    const { model: summarizer, go } = gated();
    const running = compact(live, summarizer);
    await until(() => summarizer.requests.length === 1);
    const model = talker("An answer.", 1_000_000);
    await say(live, "Typed meanwhile, one.", { model });
    await say(live, "Typed meanwhile, two.", { model });
    go();
    assert.equal((await running).state, "summarized");
    const said = live.context.messages.slice(-4).map(textOf);
    assert.deepEqual(said, ["Typed meanwhile, one.", "An answer.", "Typed meanwhile, two.", "An answer."]);
    const again = await world.reload(live);
    assert.deepEqual(again.context.messages, live.context.messages);
    assert.equal((await again.undo()).ok, true);
    assert.deepEqual(again.context.messages.slice(0, day().length), day());
    assert.deepEqual(again.context.messages.slice(-4).map(textOf), said);
  });

  it("two runs asked for in one breath: one runs, the other is told so", async () => {
    const live = await world.start(day());
    const models = [drafter(), drafter()];
    const outcomes = await Promise.all(models.map((model) => compact(live, model)));
    assert.deepEqual(
      outcomes.map(({ state, reason }) => [state, reason]),
      [
        ["summarized", "summary_accepted"],
        ["declined", "already_running"],
      ],
    );
    assert.equal(models[1]?.requests.length, 0);
    assert.equal(live.context.generations.length, 1);
  });

  it("a commitment made in the same breath as a run, before or after it, is never lost", async () => {
    for (const first of ["hand", "run"] as const) {
      const live = await world.start(day());
      await compact(live, drafter());
      await live.file.append(
        day(4, "later-").map((message) => ({ type: "message", id: message.id, at: 3, message })),
        "turn",
      );
      const hand = () => live.changeCommitment({ action: "add", text: "Use tabs." });
      const run = () => compact(live, drafter());
      const [made, outcome] = await Promise.all(
        first === "hand" ? [hand(), run()] : [run(), hand()].reverse(),
      );
      assert.ok(made !== undefined && "ok" in made && made.ok, first);
      assert.ok(outcome !== undefined);
      const again = await world.reload(live);
      const commitments = again.context.summary?.anchors.filter(({ critical }) => critical);
      assert.deepEqual(
        commitments?.map(({ text }) => text),
        ["Use tabs."],
        first,
      );
      assert.equal(again.context.summary?.generation, 3, first);
      await again.dispose();
    }
  });

  it("two commitments at once are two generations, and two undos take back two runs", async () => {
    const live = await world.start(day());
    await compact(live, drafter());
    const made = await Promise.all(
      ["Use tabs.", "Use spaces."].map((text) => live.changeCommitment({ action: "add", text })),
    );
    assert.deepEqual(made, [
      { ok: true, generation: 2 },
      { ok: true, generation: 3 },
    ]);
    await live.file.append(
      day(4, "later-").map((message) => ({ type: "message", id: message.id, at: 3, message })),
      "turn",
    );
    await compact(live, drafter());
    const undone = await Promise.all([live.undo(), live.undo(), live.undo()]);
    assert.deepEqual(
      undone.map(({ ok }) => ok),
      [true, true, false],
    );
    assert.equal(new Set(undone.map((one) => (one.ok ? one.runId : ""))).size, 3);
    assert.deepEqual(live.context.messages.slice(0, day().length), day());
  });

  it("an earlier request edited in the middle of a run ends the run, and nothing of it counts", async () => {
    const live = await world.start(day());
    const { model: summarizer, go } = gated();
    const running = compact(live, summarizer);
    await until(() => summarizer.requests.length === 1);
    await live.branchFrom("a2");
    go();
    assert.equal((await running).state, "cancelled");
    assert.deepEqual(live.context.messages, day().slice(0, 6));
    const again = await world.reload(live);
    assert.deepEqual([again.context.messages, again.context.generations], [day().slice(0, 6), []]);
  });

  it("a full disk in the middle of a run: what was is what is, and it says what went wrong", async () => {
    const faults = new Faults();
    const store = openSessionStore(environment({ files: faultyFiles(faults) }), [world.place.path]);
    const id = await store.create({
      title: "Full",
      entries: day().map((message) => ({ type: "message", id: message.id, at: 1, message })),
    });
    const live = await createLiveSession({
      file: await store.open(id),
      settings: () => world.settings,
      clock: world.clock,
      newId: (() => {
        let ids = 0;
        return () => `full-${++ids}`;
      })(),
      pause: () => new Promise((resolve) => setImmediate(resolve)),
    });
    const before = live.context.messages.slice();
    const { model: summarizer, go } = gated();
    const running = compact(live, summarizer);
    await until(() => summarizer.requests.length === 1);
    faults.bytesLeft = 100;
    go();
    const outcome = await running;
    assert.deepEqual(
      [outcome.state, outcome.reason, outcome.error?.code],
      ["stopped", "write_failed", "disk_full"],
    );
    assert.deepEqual(live.context.messages, before);
    await assert.rejects(
      say(live, "Is there room?", { model: talker("No.", 1_000_000) }),
      (error: SessionError) => error.code === "disk_full",
    );
    faults.bytesLeft = Number.POSITIVE_INFINITY;
    assert.equal((await compact(live, drafter())).state, "summarized");
    await live.dispose();
    await store.dispose();
    const reopened = await world.open(id);
    assert.equal(reopened.context.generations.length, 1);
    assert.deepEqual(reopened.context.transcript, day());
  });

  it("another window takes over in the middle of a run: the run writes nothing, and both show the same", async () => {
    const live = await world.start(day());
    const { model: summarizer, go } = gated();
    const running = compact(live, summarizer);
    await until(() => summarizer.requests.length === 1);
    const otherStore = openSessionStore(environment({ windowName: "window B" }), [world.place.path]);
    const other = await otherStore.open(live.id);
    await other.takeOver();
    go();
    const outcome = await running;
    assert.deepEqual([outcome.state, outcome.reason], ["stopped", "write_failed"]);
    assert.equal(live.file.readOnly?.reason, "other_window");
    assert.deepEqual(live.context.messages, day());
    assert.deepEqual(
      other.state.entries.filter(({ type }) => type === "compaction"),
      [],
    );
    assert.deepEqual((await compact(live, drafter())).reason, "read_only");
    await other.close();
    await otherStore.dispose();
  });

  it("settings changed in the middle of a run hold from the next one on", async () => {
    const live = await world.start(day());
    const { model: summarizer, go } = gated();
    const running = compact(live, summarizer);
    await until(() => summarizer.requests.length === 1);
    world.settings = {
      ...world.settings,
      automatic: "on",
      policy: { ...world.settings.policy, keepRecentTokens: 1_000_000 },
    };
    live.settingsChanged();
    go();
    assert.equal((await running).state, "summarized");
    assert.equal(live.meter.automatic, "on");
    const tail = live.context.messages.slice(
      live.context.messages.findIndex(({ kind }) => kind === "capsule") + 1,
    );
    assert.ok(tail.length < day().length / 2);
  });
});
