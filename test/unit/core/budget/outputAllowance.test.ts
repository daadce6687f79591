import assert from "node:assert/strict";
import fc from "fast-check";
import { describe, it } from "mocha";
import { outputAllowance } from "../../../../src/core/budget/outputAllowance.ts";

describe("the output clamp", () => {
  const tokens = (remaining: number, floorTokens = 256, capTokens = 1000) =>
    outputAllowance({ costOf: (output) => 500 + output, remaining, floorTokens, capTokens });

  const cases: readonly (readonly [remaining: number, allowance: number | undefined])[] = [
    [2000, 1000],
    [1500, 1000],
    [1499, 999],
    [757, 257],
    [756, 256],
    [755, undefined],
    [0, undefined],
    [Number.NEGATIVE_INFINITY, undefined],
    [Number.POSITIVE_INFINITY, 1000],
  ];
  for (const [remaining, allowance] of cases) {
    it(`a remainder of ${remaining} pays ${allowance ?? "nothing: one under the floor stops"}`, () => {
      assert.equal(tokens(remaining), allowance);
    });
  }

  it("a cap below the floor is the floor", () => {
    assert.deepEqual([tokens(600, 256, 100), tokens(599, 256, 100)], [100, undefined]);
  });

  it("clamp is the largest affordable", () => {
    const question = fc.record({
      inputCost: fc.nat(5000),
      perToken: fc.nat(20),
      remaining: fc.nat(20_000),
      floorTokens: fc.integer({ min: 1, max: 500 }),
      capTokens: fc.integer({ min: 1, max: 3000 }),
    });
    fc.assert(
      fc.property(question, ({ inputCost, perToken, ...rest }) => {
        const costOf = (output: number) => inputCost + output * perToken;
        const allowance = outputAllowance({ costOf, ...rest });
        const floor = Math.min(rest.floorTokens, rest.capTokens);
        if (allowance === undefined) return assert.ok(costOf(floor) > rest.remaining);
        assert.ok(allowance >= floor && allowance <= rest.capTokens);
        assert.ok(costOf(allowance) <= rest.remaining);
        assert.ok(allowance === rest.capTokens || costOf(allowance + 1) > rest.remaining);
      }),
    );
  });
});
