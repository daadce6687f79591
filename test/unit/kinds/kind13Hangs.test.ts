import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "mocha";
import type { Message } from "../../../src/core/messages.ts";
import type { ModelChunk } from "../../../src/core/model.ts";
import { draftText, ScriptedModel } from "../core/ladderWorld.ts";
import { assistant, user } from "../core/messageBuilders.ts";
import { EngineWorld } from "../engine/engineWorld.ts";
import { automatic, compact, drafter, say, talker, until } from "./kindWorld.ts";

const WINDOW = 8000;

function day(turns = 8): Message[] {
  return Array.from({ length: turns }, (_, turn) => [
    user(`u${turn}`, `Look at part ${turn}.`),
    assistant(`a${turn}`, `Part ${turn} was looked at. ${"It is well made. ".repeat(190)}`),
  ]).flat();
}

const never = <Result>() => new Promise<Result>(() => {});

/** Never answers, and does not listen to a cancel either. */
function silent(window = 1_000_000): ScriptedModel {
  return new ScriptedModel(
    () => ({ [Symbol.asyncIterator]: () => ({ next: () => never<IteratorResult<ModelChunk>>() }) }),
    window,
  );
}

describe("kind 13: hangs", () => {
  let world: EngineWorld;
  beforeEach(() => {
    world = new EngineWorld();
  });
  afterEach(() => world.end());

  it("a summarizer that never answers: other sessions go on, the file does too, and a reload shows no run", async () => {
    const [live, other] = [await world.start(day()), await world.start(day())];
    const running = compact(live, silent());
    await until(() => live.meter.running?.phase === "summarizing");
    assert.equal((await compact(other, drafter())).state, "summarized");
    const { outcome } = await say(live, "Are you there?", { model: talker("Yes.", 1_000_000) });
    assert.equal(outcome.state, "complete");
    const again = await world.reload(live);
    assert.equal((await running).state, "cancelled");
    assert.equal(again.meter.running, undefined);
    assert.equal(again.context.transcript.length, day().length + 2);
    assert.equal((await compact(again, drafter())).state, "summarized");
  });

  it("60 s without a chunk and 300 s in all are named, and the chat is answered all the same", async () => {
    world.settings = automatic();
    const live = await world.start(day());
    const talking = say(live, "Go on.", { model: talker("Here.", WINDOW), summarizer: silent() });
    await until(() => live.meter.running?.phase === "summarizing" && world.clock.isAwaited);
    world.clock.pass(60_000);
    const { outcome, runs } = await talking;
    assert.equal(runs[0]?.reason, "no_chunk_in_time");
    assert.equal(outcome.state, "complete");
  });

  it("cancel at any moment: in a run, in its counting, in a question that nobody answers, in a reply", async () => {
    world.settings = automatic();
    const counterless = talker("Here.", WINDOW);
    const hanging = drafter();
    hanging.countTokens = () => never();
    for (const moment of ["counting the context", "asking", "summarizing", "sizing", "answering"] as const) {
      world.settings = { ...automatic(), automatic: moment === "asking" ? "ask" : "on" };
      const live = await world.start(day());
      const abort = new AbortController();
      const model =
        moment === "answering" ? partial() : moment === "counting the context" ? counting() : counterless;
      let asked = false;
      const talking = say(live, "Go on.", {
        model,
        summarizer: moment === "summarizing" ? silent() : moment === "sizing" ? hanging : drafter(),
        signal: abort.signal,
        mayCompact: () => {
          asked = true;
          return never();
        },
      });
      await until(() => {
        if (moment === "asking") return asked;
        if (moment === "summarizing") return live.meter.running?.phase === "summarizing";
        if (moment === "sizing") return live.meter.running !== undefined && world.clock.isAwaited;
        if (moment === "counting the context") return world.clock.isAwaited;
        return model.requests.length === 1;
      });
      abort.abort();
      const { outcome } = await talking;
      assert.equal(outcome.state, "cancelled", moment);
      assert.equal(live.meter.running, undefined, moment);
      const kept = live.context.transcript.slice(day().length);
      const said = moment === "answering" ? ["Go on.", "Half of"] : ["Go on."];
      assert.deepEqual(
        kept.flatMap(({ content }) => content.map((part) => (part.type === "text" ? part.text : part.type))),
        said,
        moment,
      );
      world.settings = automatic();
      const next = await say(live, "Again.", { model: counterless, summarizer: drafter() });
      assert.equal(next.outcome.state, "complete", moment);
    }
  });

  it("a counter that never answers is left alone after five seconds, in a chat and in a compaction", async () => {
    world.settings = automatic();
    const live = await world.start(day());
    const talking = say(live, "Go on.", { model: counting(), summarizer: drafter() });
    for (let wait = 0; wait < 2; wait += 1) {
      await until(() => world.clock.isAwaited);
      world.clock.pass(5000);
      if (wait === 0)
        await until(() => live.meter.running === undefined && live.context.transcript.length > day().length);
    }
    const { outcome } = await talking;
    assert.equal(outcome.state, "complete");

    const summarizer = drafter();
    summarizer.countTokens = () => never();
    const running = compact(await world.start(day()), summarizer);
    await until(() => world.clock.isAwaited);
    world.clock.pass(5000);
    assert.equal((await running).state, "summarized");
  });

  it("a run that was cancelled before it called anybody paid nothing, and the same content may be tried again", async () => {
    world.settings = automatic();
    const live = await world.start(day());
    await live.setModel(talker("Here.", WINDOW));
    const abort = new AbortController();
    abort.abort();
    const summarizer = drafter();
    const cancelled = await live.compact({ trigger: "window", model: summarizer, signal: abort.signal });
    assert.equal(cancelled.state, "cancelled");
    assert.equal(live.context.receipts.at(-1)?.call, undefined);
    const { runs } = await say(live, "Go on.", { model: talker("Here.", WINDOW), summarizer });
    assert.equal(runs[0]?.state, "summarized", runs[0]?.reason);
  });

  it("a window that closes in the middle of a reply keeps what came of it", async () => {
    const live = await world.start(day(2));
    const model = partial();
    const talking = say(live, "Go on.", { model });
    await until(() => model.requests.length === 1 && live.context.transcript.length === 5);
    await new Promise((resolve) => setImmediate(resolve));
    const again = await world.reload(live);
    assert.equal((await talking).outcome.state, "cancelled");
    const last = again.context.messages.at(-1);
    assert.deepEqual(last?.content, [{ type: "text", text: "Half of" }]);
  });

  function counting(): ScriptedModel {
    const model = talker("Here.", WINDOW);
    model.countTokens = () => never();
    return model;
  }

  function partial(): ScriptedModel {
    return new ScriptedModel(async function* (): AsyncGenerator<ModelChunk> {
      yield { type: "text", text: "Half of" };
      await never();
      yield { type: "text", text: draftText() };
    }, WINDOW);
  }
});
