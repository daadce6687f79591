import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, it } from "mocha";
import { estimateContext } from "../../../src/core/estimate.ts";
import type { Message } from "../../../src/core/messages.ts";
import type { ModelChunk, ModelRequest } from "../../../src/core/model.ts";
import { ModelError } from "../../../src/core/model.ts";
import { createLiveSession } from "../../../src/engine/createLiveSession.ts";
import { openSessionStore } from "../../../src/sessions/sessionStore.ts";
import { draftText, ScriptedModel } from "../core/ladderWorld.ts";
import { assistant, calls, result, user } from "../core/messageBuilders.ts";
import { assertSendable, automatic, compact, drafter, say, talker, until } from "../kinds/kindWorld.ts";
import { Faults, faultyFiles } from "../sessions/faultyFiles.ts";
import { environment } from "../sessions/sessionBench.ts";
import { EngineWorld } from "./engineWorld.ts";

function day(turns = 6): Message[] {
  return Array.from({ length: turns }, (_, turn) => [
    user(`u${turn}`, `Look at part ${turn}.`),
    calls(`c${turn}`, `call_${turn}`),
    result(`r${turn}`, `call_${turn}`, `${turn} a line of output\n`.repeat(500)),
    assistant(`a${turn}`, `Part ${turn} was looked at. ${"It is well made. ".repeat(80)}`),
  ]).flat();
}

describe("an exchange", () => {
  let world: EngineWorld;
  beforeEach(() => {
    world = new EngineWorld();
    world.settings = { ...automatic(), automatic: "off" };
  });
  afterEach(() => world.end());

  it("sends no message of the assistant that says nothing; on the record they stay", async () => {
    const empty: Message = { id: "none", role: "assistant", content: [] };
    const live = await world.start([user("u", "Hi"), empty, assistant("blank", " \n"), user("u1", "There?")]);
    const model = talker("Yes.", 100_000);
    await say(live, "Hello?", { model });
    assert.deepEqual(
      model.requests[0]?.messages.map(({ id }) => id.replace(/^engine-.*/, "now")),
      ["u", "u1", "now"],
    );
    assert.equal(live.context.transcript.length, 6);
  });

  it("writes nothing for a reply of empty chunks, and what came of one that broke off", async () => {
    const live = await world.start(day(1));
    const nothing = new ScriptedModel(async function* (): AsyncGenerator<ModelChunk> {
      yield { type: "text", text: "" };
      yield { type: "finish", reason: "stop" };
    });
    assert.equal((await say(live, "One.", { model: nothing })).outcome.state, "complete");
    assert.equal(live.context.transcript.at(-1)?.role, "user");
    const broken = new ScriptedModel(async function* (): AsyncGenerator<ModelChunk> {
      yield { type: "text", text: "Half" };
      throw new ModelError("network", "gone");
    });
    const { outcome } = await say(live, "Two.", { model: broken });
    assert.deepEqual([outcome.state, outcome.error?.code], ["provider_error", "network"]);
    assert.deepEqual(live.context.transcript.at(-1)?.content, [{ type: "text", text: "Half" }]);
  });

  it("gives every tool call of a reply its result, whatever stands in its input", async () => {
    const live = await world.start([]);
    const circular: Record<string, unknown> = {};
    circular["self"] = circular;
    const model = new ScriptedModel(async function* (): AsyncGenerator<ModelChunk> {
      yield { type: "tool-call", toolCallId: "1", toolName: "read", input: circular };
      yield { type: "tool-call", toolCallId: "2", toolName: "read", input: undefined };
      yield { type: "tool-call", toolCallId: "2", toolName: "count", input: { big: 10n } };
    });
    await say(live, "Read it.", { model });
    const talk = talker("Good.", 100_000);
    await say(live, "And?", { model: talk });
    assertSendable(talk.requests[0] as ModelRequest);
    const again = await world.reload(live);
    assert.deepEqual(again.context.messages, live.context.messages);
  });

  it("acts on the number of the meter alone, and never after an undo until it is allowed again", async () => {
    world.settings = automatic();
    const live = await world.start(day());
    const model = talker("Yes.", 18_000);
    const said = await say(live, "Go on.", { model, summarizer: drafter() });
    assert.equal(said.runs[0]?.state, "evicted");
    assert.equal((await live.undo()).ok, true);
    const again = await world.reload(live);
    assert.deepEqual((await say(again, "Go on.", { model, summarizer: drafter() })).runs, []);
    await again.allowAutomatic();
    assert.equal((await say(again, "Go on.", { model, summarizer: drafter() })).runs.length, 1);
  });
});

describe("a run whose file fails it", () => {
  let world: EngineWorld;
  beforeEach(() => {
    world = new EngineWorld();
  });
  afterEach(() => world.end());

  it("after the eviction was written: evicted, with the failure beside it, in memory as in the file", async () => {
    const faults = new Faults();
    const store = openSessionStore(environment({ files: faultyFiles(faults) }), [world.place.path]);
    const entries = day().map((message) => ({ type: "message", id: message.id, at: 1, message }) as const);
    const id = await store.create({ title: "Full", entries });
    let ids = 0;
    const live = await createLiveSession({
      file: await store.open(id),
      settings: () => world.settings,
      clock: world.clock,
      newId: () => `full-${++ids}`,
      pause: () => new Promise((resolve) => setImmediate(resolve)),
    });
    const gate = Promise.withResolvers<void>();
    const summarizer = new ScriptedModel(async function* (): AsyncGenerator<ModelChunk> {
      await gate.promise;
      yield { type: "text", text: draftText() };
    });
    const running = compact(live, summarizer);
    await until(() => summarizer.requests.length === 1);
    faults.bytesLeft = 0;
    gate.resolve();
    const outcome = await running;
    assert.deepEqual([outcome.state, outcome.summaryFailure?.reason], ["evicted", "write_failed"]);
    assert.ok(outcome.evictedCount > 0 && outcome.after < outcome.before);
    faults.bytesLeft = Number.POSITIVE_INFINITY;
    await live.dispose();
    await store.dispose();
    const again = await world.open(id);
    assert.deepEqual(again.context.messages, outcome.messages);
  });

  it("a boundary whose first message is gone drops nothing, and the meter counts what is really sent", async () => {
    const live = await world.start(day());
    const usage = () => ({ inputTokens: 20_000, outputTokens: 500 });
    await say(live, "Go on.", { model: talker("Yes.", 100_000, usage) });
    const own = estimateContext(live.context.messages);
    await compact(live, drafter());
    await live.dispose();
    const log = `${world.place.path}/${live.id}.jsonl`;
    const text = readFileSync(log, "utf8");
    const kept = live.context.tailFrom ?? "";
    const damaged = text.replaceAll(`"firstKeptMessageId":"${kept}"`, '"firstKeptMessageId":"gone"');
    assert.notEqual(damaged, text);
    writeFileSync(log, damaged);
    const again = await world.open(live.id);
    assert.equal(again.context.brokenBoundaries.length, 1);
    assert.equal(again.context.messages.length, day().length + 2);
    // The eviction of the same run stands.
    const now = estimateContext(again.context.messages);
    assert.equal(again.meter.usedTokens, Math.round((20_500 * now) / own));
    assert.equal(
      Object.values(again.meter.breakdown).reduce((sum, tokens) => sum + tokens, 0),
      estimateContext(again.context.messages),
    );
  });
});
