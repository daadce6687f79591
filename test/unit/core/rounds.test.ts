import assert from "node:assert/strict";
import fc from "fast-check";
import { indexContext } from "../../../src/core/contextIndex.ts";
import { nextBoundary, unreadFrom, wholeRound } from "../../../src/core/rounds.ts";
import { transcriptArbitrary } from "./arbitraries.ts";
import { assistant, calls, result, user } from "./messageBuilders.ts";
import { callOfEachResult } from "./safeCutOracle.ts";

describe("rounds", () => {
  const messages = [
    user("m0", "go"),
    calls("m1", "a", "b"),
    result("m2", "a"),
    result("m3", "b"),
    calls("m4", "a"),
    result("m5", "a"),
    assistant("m6", "ok"),
  ];
  const index = indexContext(messages);

  it("boundaries stand before and behind a round, never in it", () => {
    assert.deepEqual(
      [0, 1, 4, 6, 7].map((cut) => nextBoundary(index, cut)),
      [1, 4, 6, 7, 7],
    );
  });

  it("a message stands in the round that it belongs to", () => {
    const rounds = messages.map((_, at) => wholeRound(index, at));
    const expected = [
      [0, 0],
      [1, 3],
      [1, 3],
      [1, 3],
      [4, 5],
      [4, 5],
      [6, 6],
    ];
    assert.deepEqual(
      rounds.map(({ first, last }) => [first, last]),
      expected,
    );
  });

  it("a whole round holds the call of each of its results, and every result of its calls", () => {
    fc.assert(
      fc.property(transcriptArbitrary({ looseResults: false }), (transcript) => {
        const indexed = indexContext(transcript);
        const pairs = callOfEachResult(transcript);
        transcript.forEach((_, at) => {
          const { first, last } = wholeRound(indexed, at);
          assert.ok(first <= at && at <= last);
          const inside = (position: number): boolean => first <= position && position <= last;
          for (const pair of pairs) assert.equal(inside(pair.at), inside(pair.call));
        });
      }),
    );
  });

  it("what no model has read begins behind the newest answer, or with the calls whose results just came", () => {
    const unread = (...more: Parameters<typeof indexContext>[0]): number =>
      unreadFrom(indexContext([...messages, ...more]));
    assert.equal(unread(), 7);
    assert.equal(unread(user("m7", "a file", "attachment"), user("m8", "next")), 7);
    assert.equal(unread(calls("m7", "c"), result("m8", "c")), 7);
    assert.equal(unread(calls("m7", "c")), 7);
    assert.equal(unreadFrom(indexContext([user("m0", "first words")])), 0);
  });
});
