import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "mocha";
import type { Message } from "../../../src/core/messages.ts";
import type { ModelRequest } from "../../../src/core/model.ts";
import { createOfflineModel } from "../../../src/models/offline/offlineModel.ts";
import type { ScriptedModel } from "../core/ladderWorld.ts";
import { assistant, calls, result, user } from "../core/messageBuilders.ts";
import { EngineWorld } from "../engine/engineWorld.ts";
import { assertSendable, automatic, compact, drafter, samples, say, talker } from "./kindWorld.ts";

const LONG_ID = `call_${"x".repeat(60)}`;
const WIDE = "a line of output\n".repeat(80);

/** Every shape of pairs that was seen to break a cut, in one session. */
function oddDay(): Message[] {
  return [
    user("u0", "Look at all of it."),
    calls("c0", "p1", "p2", "p3"),
    result("r0b", "p2", WIDE),
    result("r0a", "p1", WIDE),
    result("r0c", "p3", WIDE),
    assistant("a0", "Three at once."),
    user("u1", "And the next."),
    calls("c1", "p1", LONG_ID),
    result("r1", "p1", WIDE),
    assistant("a1", "One of them never came."),
    user("u2", "The same ids again."),
    calls("c2", "p1"),
    result("r2a", "p1", WIDE),
    calls("c3", "p1"),
    result("r2b", "p1", WIDE),
    assistant("a2", ""),
    user("u3", "And a last one."),
    calls("c4", LONG_ID, "p2"),
    result("r3a", LONG_ID, WIDE),
    result("r3b", "p2", WIDE),
    assistant("a3", "Done."),
  ];
}

describe("kind 6: calls and results are never parted", () => {
  let world: EngineWorld;
  let model: ScriptedModel;
  beforeEach(() => {
    world = new EngineWorld();
    model = talker("Yes.", 1_000_000);
  });
  afterEach(() => world.end());

  it("wherever the cut is wanted, three compactions in a row: each request that is sent is whole", async () => {
    for (let tokens = 0; tokens <= 2600; tokens += 130) {
      world.settings = automatic({ keepRecentTokens: tokens, keepRecentTurns: tokens % 3 });
      world.settings = { ...world.settings, automatic: "off" };
      const live = await world.start(oddDay());
      for (let round = 0; round < 3; round += 1) {
        await compact(live, drafter());
        const { outcome } = await say(live, `Go on, ${round}.`, { model });
        assert.equal(outcome.state, "complete");
        assertSendable(model.requests.at(-1) as ModelRequest, `${tokens} tokens, round ${round}`);
        await live.file.append(
          oddDay().map((message) => {
            const id = `${round}-${message.id}`;
            return { type: "message", id, at: 3, message: { ...message, id } };
          }),
          "turn",
        );
      }
      assert.deepEqual(live.context.brokenBoundaries, []);
    }
  });

  it("a result before its call, and one without a call, stop no chat and are cut off from nothing", async () => {
    const orphan = [
      result("early", "later", WIDE),
      user("u", "Hello"),
      calls("c", "later"),
      result("r", "later"),
    ];
    const live = await world.start([...orphan, ...oddDay()]);
    const { outcome } = await say(live, "Go on.", { model });
    assert.equal(outcome.state, "complete");
    assert.deepEqual(
      live.context.messages.slice(0, 4).map(({ id }) => id),
      ["early", "u", "c", "r"],
    );
    await compact(live, drafter());
    await say(live, "And on.", { model });
    const request = model.requests.at(-1);
    assert.deepEqual(new Set(request?.messages.map(({ id }) => id)).size, request?.messages.length);
  });

  for (const sample of samples()) {
    it(`${sample.name}: three compactions in a row, each request whole, everything still on the record`, async function () {
      this.timeout(60_000);
      world.settings = {
        ...automatic({ keepRecentTokens: 1000, keepRecentTurns: 1 }),
        automatic: "off",
      };
      const live = await sample.open(world);
      const before = live.context.transcript.slice();
      const offline = createOfflineModel({ name: "Offline", chatReply: "" });
      await say(live, "Where do we stand?", { model });
      assertSendable(model.requests.at(-1) as ModelRequest, sample.name);
      for (let round = 0; round < 3; round += 1) {
        await live.compact({ trigger: "manual", model: offline, signal: new AbortController().signal });
        await say(live, `Go on, ${round}. ${"More words. ".repeat(900)}`, { model });
        assertSendable(model.requests.at(-1) as ModelRequest, `${sample.name}, round ${round}`);
      }
      assert.ok(live.context.generations.length >= 1, "nothing was ever compacted");
      assert.deepEqual(live.context.transcript.slice(0, before.length), before);
      assert.deepEqual(live.context.brokenBoundaries, []);
    });
  }
});
