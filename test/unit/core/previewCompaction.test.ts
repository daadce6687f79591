import assert from "node:assert/strict";
import fc from "fast-check";
import { describe, it } from "mocha";
import type { Message } from "../../../src/core/messages.ts";
import { draftText, LadderWorld, ScriptedModel } from "./ladderWorld.ts";
import { assistant, calls, result, user } from "./messageBuilders.ts";

/** Turns of a question, a call, a result and an answer. */
function workDay(turns: number, outputBytes: number): Message[] {
  return Array.from({ length: turns }, (_, turn) => [
    user(`u${turn}`, `Go on with step ${turn}.`),
    calls(`c${turn}`, `call_${turn}`),
    result(`r${turn}`, `call_${turn}`, "x".repeat(outputBytes)),
    assistant(`a${turn}`, `Step ${turn} is done. ${"It went as planned. ".repeat(30)}`),
  ]).flat();
}

const idsOf = (messages: readonly Message[]): string[] => messages.map(({ id }) => id);

/** What has left the context since, in record order. */
function gone(before: readonly Message[], after: readonly Message[]): string[] {
  const here = new Set(idsOf(after));
  return idsOf(before).filter((id) => !here.has(id));
}

describe("a preview", () => {
  it("foresees what the run then does: what leaves, what stays, how many calls, the tokens between its two bounds", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          turns: fc.integer({ min: 1, max: 24 }),
          outputBytes: fc.integer({ min: 0, max: 6000 }),
          summarizerWindow: fc.integer({ min: 3000, max: 40_000 }),
          isStored: fc.boolean(),
        }),
        async ({ turns, outputBytes, summarizerWindow, isStored }) => {
          const world = new LadderWorld(workDay(turns, outputBytes));
          const model = new ScriptedModel(draftText(), summarizerWindow);
          const options = { model, isStored: () => isStored };
          const before = world.state.messages;
          const preview = await world.preview(options);
          assert.deepEqual(world.written, [], "a preview writes nothing");
          assert.equal(model.requests.length, 0, "a preview sends nothing");
          const outcome = await world.run(options);
          const { messages } = world.state;
          assert.equal(preview.before, outcome.before);
          assert.equal(preview.evictions.length, outcome.evictedCount);
          if (preview.wouldEnd !== undefined) {
            assert.equal(outcome.state, preview.wouldEnd.state);
            assert.equal(outcome.after, preview.afterEviction);
            assert.deepEqual(gone(before, messages), []);
            return;
          }
          assert.equal(outcome.state, "summarized");
          assert.deepEqual([...preview.summarizedIds].sort(), gone(before, messages).sort());
          assert.ok(preview.afterAtLeast <= outcome.after, `${preview.afterAtLeast} <= ${outcome.after}`);
          assert.ok(outcome.after <= preview.afterAtMost, `${outcome.after} <= ${preview.afterAtMost}`);
          assert.ok(model.requests.length <= preview.calls.atMost);
          for (const id of [...preview.keptIds, ...preview.tailIds]) {
            assert.ok(idsOf(messages).includes(id), `${id} stays`);
          }
        },
      ),
      { numRuns: 40 },
    );
  });

  it("tells of all that several calls would summarize, not of the first call's part alone", async () => {
    const world = new LadderWorld(workDay(20, 3000));
    const preview = await world.preview({ model: new ScriptedModel(draftText(), 24_000) });
    assert.equal(preview.calls.atMost, 4);
    assert.equal(preview.summarizedIds.at(-1), "a18", "all but the first request and the last turn");
  });

  it("with no model ends after eviction and says so", async () => {
    const preview = await new LadderWorld(workDay(6, 4000)).preview();
    assert.deepEqual(
      [preview.wouldEnd?.state, preview.wouldEnd?.reason, preview.summarizedIds],
      ["evicted", "no_model", []],
    );
    assert.equal(preview.afterAtLeast, preview.afterEviction);
  });

  it("of a run that fires by itself ends where evicting is enough", async () => {
    const world = new LadderWorld(workDay(10, 8000));
    const used = { tokens: 23_000, basis: "reported" as const };
    const options = {
      trigger: "window" as const,
      window: 30_000,
      used,
      model: new ScriptedModel(draftText()),
    };
    const preview = await world.preview(options);
    const outcome = await world.run(options);
    assert.deepEqual([preview.wouldEnd?.state, preview.wouldEnd?.reason], ["evicted", "evicted_enough"]);
    assert.deepEqual([outcome.state, outcome.after], ["evicted", preview.afterEviction]);
  });
});
