import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "mocha";
import type { Message } from "../../../src/core/messages.ts";
import { draftText, ScriptedModel } from "../core/ladderWorld.ts";
import { assistant, system, textOfTokens, user } from "../core/messageBuilders.ts";
import { EngineWorld } from "../engine/engineWorld.ts";
import { automatic, requestTokens, say, talker } from "./kindWorld.ts";

const WINDOW = 8000;
const LINE = 6000;

describe("kind 2: loops", () => {
  let world: EngineWorld;
  beforeEach(() => {
    world = new EngineWorld();
    world.settings = automatic();
  });
  afterEach(() => world.end());

  it("a system message alone near the window: no call is paid, and it stops with the part that is too big", async () => {
    const live = await world.start([
      system("s", textOfTokens(7990)),
      user("u", "Hello"),
      assistant("a", "Hello."),
    ]);
    const summarizer = new ScriptedModel(draftText(), WINDOW);
    const model = talker("Yes.", WINDOW);
    for (let message = 0; message < 3; message += 1) {
      const { outcome, runs } = await say(live, `Message ${message}`, { model, summarizer });
      assert.equal(outcome.state, "stopped");
      assert.deepEqual([runs.length, runs[0]?.state, runs[0]?.reason], [1, "stopped", "floor_at_ceiling"]);
      assert.equal(runs[0]?.floorParts[0]?.what, "system");
      assert.equal(outcome.compaction?.floorParts[0]?.tokens, 7990);
      assert.equal(live.meter.level, "stopped");
    }
    assert.equal(model.requests.length + summarizer.requests.length, 0);
  });

  it("a tail of one 40k message at a window of 33k: no call, and the message is named", async () => {
    const live = await world.start([
      user("u", "Hello"),
      assistant("a", textOfTokens(2000)),
      user("big", textOfTokens(40_000)),
    ]);
    const summarizer = new ScriptedModel(draftText(), 33_000);
    const model = talker("Yes.", 33_000);
    const { outcome, runs } = await say(live, "And?", { model, summarizer });
    assert.equal(outcome.state, "stopped");
    assert.equal(runs[0]?.reason, "floor_at_ceiling");
    assert.deepEqual(runs[0]?.floorParts[0], { what: "tail", messageId: "big", tokens: 40_000 + 5 });
    assert.equal(model.requests.length + summarizer.requests.length, 0);
  });

  describe("a summarizer that always writes 6k of 8k", () => {
    const facts = Array.from({ length: 95 }, (_, at) => `fact ${at} `.padEnd(240, "x"));

    function longDay(): Message[] {
      return Array.from({ length: 9 }, (_, turn) => [
        user(`u${turn}`, `Look at part ${turn}.`),
        assistant(`a${turn}`, `Part ${turn} was looked at. ${"It is well made. ".repeat(180)}`),
      ]).flat();
    }

    it("is held to its bound where it would leave the request at the line, and is not paid message after message", async () => {
      const live = await world.start(longDay());
      const summarizer = new ScriptedModel(draftText({ facts }), WINDOW);
      summarizer.countTokens = (text) => Promise.resolve(Math.ceil(text.length / 4));
      const model = talker(`Here it is. ${"And so on. ".repeat(200)}`, WINDOW);
      let summarized = 0;
      for (let message = 0; message < 12; message += 1) {
        const { outcome, runs } = await say(live, `Message ${message}`, { model, summarizer });
        assert.equal(outcome.state, "complete");
        summarized += runs.filter(({ state }) => state === "summarized").length;
        if (runs[0]?.state === "summarized") assert.ok(runs[0].after < LINE, `${runs[0].after}`);
      }
      assert.deepEqual([summarizer.requests.length, summarized], [2, 2]);
      for (const request of model.requests) assert.ok(requestTokens(request) <= WINDOW);
      const receipt = live.context.receipts.find(({ state }) => state === "summarized");
      assert.ok((receipt?.droppedItems ?? 0) > 0);
    });

    it("that makes nothing smaller is paid once, then never again for the same content", async () => {
      const live = await world.start(longDay());
      const summarizer = new ScriptedModel(draftText({ objective: "Go on. ".repeat(1100), facts }), WINDOW);
      const model = talker("Here it is. ".repeat(20), WINDOW);
      for (let message = 0; message < 5; message += 1) {
        const { outcome, runs } = await say(live, `Message ${message}`, { model, summarizer });
        assert.equal(outcome.state, "complete");
        assert.deepEqual(
          runs.map(({ state, reason }) => [state, reason]),
          [message === 0 ? ["rejected", "gain_too_small"] : ["declined", "already_attempted"]],
        );
      }
      assert.equal(summarizer.requests.length, 1);
    });
  });

  it("at the line with little that could leave, nobody is paid to write the capsule anew", async () => {
    const live = await world.start([user("root", textOfTokens(4100)), assistant("a", "Good. ".repeat(1200))]);
    const facts = Array.from({ length: 16 }, (_, at) => `fact ${at} `.padEnd(240, "x"));
    const summarizer = new ScriptedModel(draftText({ facts }), 1_000_000);
    const model = talker("So it is. ".repeat(40), WINDOW);
    let over = 0;
    for (let message = 0; message < 24; message += 1) {
      const { runs } = await say(live, `Message ${message}`, { model, summarizer });
      over += runs.length;
    }
    assert.ok(summarizer.requests.length <= 4 && over > 3 * summarizer.requests.length, `${over} runs`);
  });

  it("a capsule full of commitments is no reason to pay again: nothing is gained by writing it anew", async () => {
    const rules = Array.from({ length: 40 }, (_, at) => `Rule ${at}: ${"never ".repeat(20)}do thing ${at}.`);
    const live = await world.start([
      user("u0", "Hello"),
      ...rules.map((rule, at) => user(`rule-${at}`, rule)),
    ]);
    const anchors = rules.map((text, at) => ({
      kind: "constraint",
      text,
      critical: true,
      source_segment_id: `rule-${at}`,
    }));
    const summarizer = new ScriptedModel(draftText({ anchors }), 100_000);
    const model = talker("Good.", WINDOW);
    for (let message = 0; message < 6; message += 1)
      await say(live, `Go on ${message}.`, { model, summarizer });
    assert.ok(summarizer.requests.length <= 1, `${summarizer.requests.length} calls`);
  });
});
