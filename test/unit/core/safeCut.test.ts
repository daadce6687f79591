import assert from "node:assert/strict";
import fc from "fast-check";
import { indexContext } from "../../../src/core/contextIndex.ts";
import type { Message } from "../../../src/core/messages.ts";
import { safeCut, safeCutIn } from "../../../src/core/safeCut.ts";
import { deepFreeze, LONG_ID, transcriptArbitrary } from "./arbitraries.ts";
import { assistant, calls, result, user } from "./messageBuilders.ts";
import { callOfEachResult, safeCutOracle } from "./safeCutOracle.ts";

describe("safeCut", () => {
  const round = [
    user("m0", "go"),
    calls("m1", "a", "b"),
    result("m2", "a"),
    result("m3", "b"),
    assistant("m4", "ok"),
  ];

  it("cut past the end clamps, empty gives 0", () => {
    assert.equal(safeCut(round, 99), 5);
    assert.equal(safeCut(round, Number.POSITIVE_INFINITY), 5);
    assert.equal(safeCut(round, -3), 0);
    assert.equal(safeCut([], 7), 0);
  });

  it("a cut that is no number is refused", () => {
    assert.throws(() => safeCut(round, Number.NaN), { name: "CompactionError", code: "invalid_options" });
  });

  it("a legal cut stays where it was asked", () => {
    for (const cut of [0, 1, 4, 5]) assert.equal(safeCut(round, cut), cut);
  });

  it("cut on a result moves to its call", () => assert.equal(safeCut(round, 2), 1));

  it("cut between two results moves to the call", () => assert.equal(safeCut(round, 3), 1));

  it("growth repeats until stable", () => {
    const woven = [
      user("m0", "go"),
      calls("m1", "a"),
      calls("m2", "b"),
      result("m3", "a"),
      calls("m4", "c"),
      result("m5", "b"),
      result("m6", "c"),
    ];
    assert.equal(safeCut(woven, 6), 1);
  });

  it("two rounds that touch are two rounds", () => {
    const rounds = [
      calls("m0", "a"),
      result("m1", "a"),
      calls("m2", "a"),
      result("m3", "a"),
      user("m4", "on"),
    ];
    assert.deepEqual(
      [0, 1, 2, 3, 4].map((cut) => safeCut(rounds, cut)),
      [0, 0, 2, 2, 4],
    );
  });

  it("a message that answers one call and makes the next binds both rounds", () => {
    const both: Message = {
      id: "m2",
      role: "assistant",
      content: [...result("", "a").content, ...calls("", "b").content],
    };
    const messages = [user("m0", "go"), calls("m1", "a"), both, result("m3", "b"), assistant("m4", "ok")];
    assert.deepEqual(
      [1, 2, 3, 4].map((cut) => safeCut(messages, cut)),
      [1, 1, 1, 4],
    );
  });

  it("a kept orphan forces 0", () => {
    const messages = [user("m0", "go"), assistant("m1", "ok"), user("m2", "on"), result("m3", "nobody")];
    for (const cut of [1, 2, 3]) assert.equal(safeCut(messages, cut), 0);
  });

  it("a dropped orphan does no harm", () => {
    const messages = [user("m0", "go"), result("m1", "nobody"), user("m2", "on"), assistant("m3", "ok")];
    assert.equal(safeCut(messages, 2), 2);
    assert.equal(safeCut(messages, 3), 3);
  });

  it("a result before its call is an orphan", () => {
    const messages = [user("m0", "go"), result("m1", "a"), calls("m2", "a"), user("m3", "on")];
    assert.equal(safeCut(messages, 1), 0);
    assert.equal(safeCut(messages, 2), 2);
  });

  it("reused ids pair in order", () => {
    const messages = [
      calls("m0", LONG_ID),
      result("m1", LONG_ID),
      user("m2", "again"),
      calls("m3", LONG_ID),
      result("m4", LONG_ID),
    ];
    assert.equal(safeCut(messages, 4), 3);
    assert.equal(safeCut(messages, 2), 2);
  });

  it("a result pairs with the nearest earlier unanswered call of its id", () => {
    const messages = [
      calls("m0", "a"),
      user("m1", "x"),
      calls("m2", "a"),
      result("m3", "a"),
      user("m4", "y"),
      result("m5", "a"),
    ];
    assert.equal(safeCut(messages.slice(0, 4), 3), 2);
    assert.equal(safeCut(messages, 4), 0);
  });

  it("a call still pending at the very end stays in the tail", () => {
    const pending = [
      user("m0", "go"),
      assistant("m1", "ok"),
      user("m2", "on"),
      calls("m3", "a", "b"),
      result("m4", "a"),
    ];
    assert.equal(safeCut(pending, 5), 3);
    assert.equal(safeCut(pending.slice(0, 4), 4), 3);
    assert.equal(safeCut([...pending, result("m5", "b")], 6), 6);
  });

  it("an open call that is not at the end forbids nothing", () => {
    const messages = [user("m0", "go"), calls("m1", "a"), user("m2", "on"), assistant("m3", "ok")];
    assert.equal(safeCut(messages, 2), 2);
  });

  const asked = transcriptArbitrary().chain((messages) =>
    fc.tuple(fc.constant(messages), fc.nat({ max: messages.length + 2 })),
  );

  it("equals the largest legal index at or below the request, found the slow way", () => {
    fc.assert(
      fc.property(asked, ([messages, requested]) => {
        assert.equal(safeCut(messages, requested), safeCutOracle(messages, requested));
        assert.equal(safeCutIn(indexContext(messages), requested), safeCut(messages, requested));
      }),
      { numRuns: 500 },
    );
  });

  it("never orphans a kept result, but where an orphan forces 0", () => {
    fc.assert(
      fc.property(asked, ([messages, requested]) => {
        const cut = safeCut(messages, requested);
        const orphaned = callOfEachResult(messages).filter((pair) => pair.at >= cut && pair.call < cut);
        if (cut > 0) assert.deepEqual(orphaned, []);
        else assert.ok(orphaned.every((pair) => pair.call === -1));
      }),
    );
  });

  it("never later than asked, stable when asked again, same input same output, input unchanged", () => {
    fc.assert(
      fc.property(asked, ([messages, requested]) => {
        deepFreeze(messages);
        const cut = safeCut(messages, requested);
        assert.ok(cut <= requested);
        assert.equal(safeCut(messages, cut), cut);
        assert.equal(safeCut(messages, requested), cut);
      }),
    );
  });
});
