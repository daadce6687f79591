import assert from "node:assert/strict";
import { previewCompaction } from "../../../src/core/compactContext.ts";
import { defaultPolicy } from "../../../src/core/policy.ts";
import { draftText, LadderWorld, ScriptedModel, TestClock } from "./ladderWorld.ts";
import { assistant, calls, result, user } from "./messageBuilders.ts";

const messages = Array.from({ length: 20 }, (_, at) => [
  user(`u${at}`, `Please look at part ${at}. `.repeat(10)),
  calls(`c${at}`, "a"),
  result(`r${at}`, "a", `line ${at} `.repeat(80)),
  assistant(`a${at}`, "Seen. ".repeat(20)),
]).flat();

describe("a run that gives way", () => {
  it("does so between its stages and ends as one that does not", async () => {
    let pauses = 0;
    const pause = async (): Promise<void> => {
      pauses += 1;
    };
    const [alone, sharing] = [new LadderWorld(messages), new LadderWorld(messages)];
    const outcome = await alone.run({ model: new ScriptedModel(draftText()) });
    const shared = await sharing.run({ model: new ScriptedModel(draftText()), pause });
    assert.equal(outcome.state, "summarized");
    assert.deepEqual(shared, outcome);
    assert.deepEqual(sharing.branch, alone.branch);
    assert.ok(pauses >= 5, `${pauses} pauses`);
  });

  it("so does a preview", async () => {
    let pauses = 0;
    const pause = async (): Promise<void> => {
      pauses += 1;
    };
    const options = {
      trigger: "manual",
      policy: { ...defaultPolicy, keepRecentTokens: 200, keepRecentTurns: 1 },
      window: 128_000,
      isStored: () => true,
      clock: new TestClock(),
      model: new ScriptedModel(draftText()),
    } as const;
    const { state } = new LadderWorld(messages);
    const alone = await previewCompaction(state, options);
    assert.deepEqual(await previewCompaction(state, { ...options, pause }), alone);
    assert.ok(pauses >= 3, `${pauses} pauses`);
  });
});
