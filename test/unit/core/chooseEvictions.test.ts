import assert from "node:assert/strict";
import fc from "fast-check";
import { chooseEvictions, minBatchTokens } from "../../../src/core/chooseEvictions.ts";
import type { EvictionCandidate } from "../../../src/core/plan.ts";

function candidatesOf(...gains: number[]): EvictionCandidate[] {
  return gains.map((gainTokens, i) => ({
    messageIndex: i,
    messageId: `m${i}`,
    segmentId: `m${i}#c`,
    toolCallId: "c",
    toolName: "read",
    digest: "0".repeat(64),
    bytes: gainTokens * 4,
    gainTokens,
    citation: "",
  }));
}

const chosen = (gains: number[], ceilingTokens: number, neededTokens?: number): number =>
  chooseEvictions(candidatesOf(...gains), { ceilingTokens, neededTokens }).length;

describe("chooseEvictions", () => {
  it("a batch is at least 4096 tokens, or 5 % of a small ceiling", () => {
    assert.equal(minBatchTokens(200_000), 4096);
    assert.equal(minBatchTokens(8000), 400);
    assert.equal(chosen([4095], 200_000, 9000), 0);
    assert.equal(chosen([4096], 200_000, 9000), 1);
    assert.equal(chosen([399], 8000, 9000), 0);
    assert.equal(chosen([400], 8000, 9000), 1);
  });

  it("less is taken where it is enough to get under the line", () => {
    assert.equal(chosen([100], 200_000, 100), 1);
    assert.equal(chosen([99], 200_000, 100), 0);
  });

  it("a batch is filled up to its minimum, the oldest first, and not beyond what is needed", () => {
    assert.equal(chosen([2000, 2000, 2000, 2000], 200_000, 100), 3);
    assert.equal(chosen([2000, 2000, 2000, 2000], 200_000, 6001), 4);
    assert.equal(chosen([5000, 5000], 200_000, 100), 1);
  });

  it("what does not reach the line is still taken when it makes a batch", () => {
    assert.equal(chosen([3000, 3000], 200_000, 50_000), 2);
  });

  it("a manual run takes all there is, in a batch that pays", () => {
    assert.equal(chosen([3000, 3000, 3000], 200_000), 3);
    assert.equal(chosen([3000], 200_000), 0);
  });

  it("nothing needed, nothing evicted", () => {
    assert.equal(chosen([5000], 200_000, 0), 0);
    assert.equal(chosen([5000], 200_000, -1), 0);
    assert.equal(chosen([], 200_000, 100), 0);
  });

  it("what is chosen wins a batch or enough, and no candidate too many", () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(3000)),
        fc.integer({ min: 1, max: 200_000 }),
        fc.integer({ min: 1, max: 20_000 }),
        (gains, ceilingTokens, neededTokens) => {
          const sum = (list: readonly { gainTokens: number }[]): number =>
            list.reduce((total, { gainTokens }) => total + gainTokens, 0);
          const candidates = candidatesOf(...gains);
          const batch = chooseEvictions(candidates, { ceilingTokens, neededTokens });
          const minimum = Math.min(4096, ceilingTokens / 20);
          if (batch.length === 0) {
            assert.ok(sum(candidates) < minimum && sum(candidates) < neededTokens);
          } else {
            assert.ok(sum(batch) >= minimum || sum(batch) >= neededTokens);
            assert.ok(sum(batch.slice(0, -1)) < Math.max(minimum, neededTokens));
            assert.deepEqual(batch, candidates.slice(0, batch.length));
          }
        },
      ),
    );
  });
});
