import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "mocha";
import type { Message } from "../../../src/core/messages.ts";
import { utf8Length } from "../../../src/core/utf8.ts";
import { draftText, ScriptedModel } from "../core/ladderWorld.ts";
import { assistant, calls, result, user } from "../core/messageBuilders.ts";
import { EngineWorld } from "../engine/engineWorld.ts";
import { automatic, compact, requestBytes, requestTokens, say, talker } from "./kindWorld.ts";

const WINDOW = 8000;
const WIDE = "a line of a log that nobody will read\n".repeat(950);

/** Some rounds, and in the middle one tool result of 9000 tokens. */
function withWideResult(): Message[] {
  const messages: Message[] = [];
  for (let turn = 0; turn < 8; turn += 1) {
    messages.push(user(`u${turn}`, `Look at part ${turn}.`), calls(`c${turn}`, `call_${turn}`));
    messages.push(result(`r${turn}`, `call_${turn}`, turn === 4 ? WIDE : `part ${turn} is fine`));
    messages.push(assistant(`a${turn}`, `Part ${turn} was looked at. ${"It is well made. ".repeat(40)}`));
  }
  return messages;
}

describe("kind 1: the summary request is itself too big", () => {
  let world: EngineWorld;
  beforeEach(() => {
    world = new EngineWorld();
  });
  afterEach(() => world.end());

  it("window 8k, one 9k result in the middle: it is made to fit, nothing above the window is sent, nothing is lost", async () => {
    world.settings = automatic();
    const live = await world.start(withWideResult());
    const summarizer = new ScriptedModel(draftText(), WINDOW);
    const model = talker("Here it is.", WINDOW);
    const { outcome, runs } = await say(live, "Go on.", { model, summarizer });
    assert.equal(outcome.state, "complete");
    assert.ok(runs.every(({ state }) => state === "evicted" || state === "summarized"));
    for (const request of summarizer.requests) assert.ok(requestBytes(request) <= WINDOW);
    assert.equal(model.requests.length, 1);
    for (const request of model.requests) assert.ok(requestTokens(request) <= WINDOW);
    assert.deepEqual(live.context.transcript.slice(0, withWideResult().length), withWideResult());
    assert.equal((await live.original("r4#call_4")).text, WIDE);
  });

  it("the same with nothing evictable: the summarizer reads it cut in the middle, within its window", async () => {
    world.settings = automatic();
    const messages = withWideResult().map(withoutResults);
    const live = await world.start(messages.with(8, assistant("wide", WIDE)));
    const model = new ScriptedModel(draftText(), WINDOW);
    const outcome = await compact(live, model);
    assert.equal(outcome.state, "summarized", `${outcome.reason} ${outcome.failures.join()}`);
    assert.ok(model.requests.length >= 1);
    for (const at of model.requests.keys()) assert.ok(utf8Length(model.sent(at)) <= WINDOW);
    assert.match(model.requests.map((_, at) => model.sent(at)).join(), /bytes of \d+ left out/);
  });

  it("a window that the person set rules the summarizer too, where it is the model of the chat", async () => {
    world.settings = automatic({ window: WINDOW });
    const live = await world.start(withWideResult().map(withoutResults));
    const model = new ScriptedModel(draftText(), 1_000_000);
    await live.setModel(model);
    const outcome = await compact(live, model);
    assert.ok(model.requests.length >= 1, outcome.reason);
    for (const at of model.requests.keys()) assert.ok(utf8Length(model.sent(at)) <= WINDOW);
  });

  it("a 9k result that no model has read yet cannot leave: it stops, names it, and sends nothing", async () => {
    world.settings = automatic();
    const live = await world.start([...withWideResult().slice(0, 6), ...withWideResult().slice(16, 19)]);
    const summarizer = new ScriptedModel(draftText(), WINDOW);
    const model = talker("Here it is.", WINDOW);
    const before = live.context.transcript.slice();
    const { outcome, runs } = await say(live, "Go on.", { model, summarizer });
    assert.equal(outcome.state, "stopped");
    assert.deepEqual(
      runs.map(({ state, reason }) => [state, reason]),
      [["stopped", "floor_at_ceiling"]],
    );
    assert.equal(runs[0]?.floorParts[0]?.messageId, "r4");
    assert.equal(model.requests.length + summarizer.requests.length, 0);
    assert.deepEqual(live.context.transcript.slice(0, before.length), before);
  });

  it("a summarizer whose window cannot even hold the instruction: stopped with the reason, history intact", async () => {
    world.settings = automatic();
    const live = await world.start(withWideResult().map(withoutResults));
    const before = live.context.messages.slice();
    for (const window of [1, 300, Number.NaN]) {
      const model = new ScriptedModel(draftText(), window);
      const outcome = await compact(live, model);
      if (Number.isNaN(window)) assert.equal(outcome.state, "summarized");
      else {
        assert.deepEqual([outcome.state, outcome.reason], ["stopped", "summary_request_too_big"]);
        assert.equal(model.requests.length, 0);
        assert.deepEqual(live.context.messages, before);
      }
    }
  });
});

function withoutResults(message: Message): Message {
  if (message.role === "tool") return assistant(message.id, "I read it.");
  const isCall = message.content.some(({ type }) => type === "tool-call");
  return isCall ? assistant(message.id, "I read a part of it.") : message;
}
