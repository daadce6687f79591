import assert from "node:assert/strict";
import fc from "fast-check";
import { summaryMessage } from "../../../../src/core/capsule/summaryMessage.ts";
import { estimateTokens } from "../../../../src/core/estimate.ts";
import { evaluateContextSummary } from "../../../../src/core/evidence/evaluateContextSummary.ts";
import { evaluateContextSummaryStability } from "../../../../src/core/evidence/evaluateContextSummaryStability.ts";
import { anchorOf, capsule, source } from "../capsule/capsuleBuilders.ts";

const RULE = "Never push to main.";
const rule = anchorOf("constraint.1.1", source("u1", RULE), { kind: "constraint", critical: true });
const fact = anchorOf("fact.1.2", source("u2", "The port is 19317."));
const expected = [
  { kind: "constraint", text: RULE, critical: true, weight: 3 },
  { kind: "fact", text: fact.text },
] as const;
const originalTokens = 100_000;

describe("evaluateContextSummary", () => {
  it("recalls what stands there word for word, and is stable when all of it does and it is smaller", () => {
    const evaluation = evaluateContextSummary(capsule([rule, fact]), { expected, originalTokens });
    const tokens = estimateTokens(summaryMessage(capsule([rule, fact])));
    assert.deepEqual(evaluation, {
      criticalAnchorRecall: 1,
      weightedAnchorRecall: 1,
      exactRecoveryCoverage: 1,
      compressionRatio: tokens / originalTokens,
      anchorDensity: 2000 / tokens,
      stable: true,
      lost: [],
      unrecoveredDigests: [],
    });
  });

  const losses = {
    "a paraphrase": { ...rule, text: "Do not push to main." },
    "one more blank": { ...rule, text: "Never push  to main." },
    "another case": { ...rule, text: "never push to main." },
    "another kind": { ...rule, kind: "decision" as const },
    "a commitment that is no longer critical": { ...rule, critical: false },
  };
  for (const [name, changed] of Object.entries(losses)) {
    it(`paraphrase counts as lost: ${name}`, () => {
      const evaluation = evaluateContextSummary(capsule([changed, fact]), { expected, originalTokens });
      assert.equal(evaluation.criticalAnchorRecall, 0);
      assert.equal(evaluation.weightedAnchorRecall, 1 / 4);
      assert.equal(evaluation.stable, false);
      assert.deepEqual(evaluation.lost, [expected[0]]);
    });
  }

  it("a key that is expected must be that key", () => {
    const keyed = (key: string) =>
      evaluateContextSummary(capsule([rule]), {
        expected: [{ key, kind: "constraint", text: RULE }],
        originalTokens,
      }).weightedAnchorRecall;
    assert.equal(keyed("constraint.1.1"), 1);
    assert.equal(keyed("constraint.1.2"), 0);
  });

  it("an empty denominator is 1", () => {
    const nothing = evaluateContextSummary(capsule([]), { expected: [], originalTokens });
    assert.deepEqual(
      [nothing.criticalAnchorRecall, nothing.weightedAnchorRecall, nothing.exactRecoveryCoverage],
      [1, 1, 1],
    );
    const weightless = evaluateContextSummary(capsule([]), {
      expected: [{ kind: "fact", text: "x", weight: 0 }],
      originalTokens: 0,
    });
    assert.equal(weightless.weightedAnchorRecall, 1);
    assert.equal(weightless.compressionRatio, 1);
    assert.equal(weightless.stable, false);
  });

  it("recovery coverage counts the digests that the citations name", () => {
    const digests = ["a".repeat(64), "b".repeat(64)];
    const citations = [{ segmentId: "t1#c1", digest: "a".repeat(64), what: "log" }];
    const evaluation = evaluateContextSummary(capsule([], { citations }), {
      expected: [],
      expectedRecoveryDigests: digests,
      originalTokens,
    });
    assert.equal(evaluation.exactRecoveryCoverage, 1 / 2);
    assert.deepEqual(evaluation.unrecoveredDigests, ["b".repeat(64)]);
  });

  it("is not stable unless it is smaller, what stays beside it counted", () => {
    const tokens = estimateTokens(summaryMessage(capsule([rule, fact])));
    const stable = (more: { originalTokens: number; retainedTokens?: number }) =>
      evaluateContextSummary(capsule([rule, fact]), { expected, ...more }).stable;
    assert.equal(stable({ originalTokens: tokens + 1 }), true);
    assert.equal(stable({ originalTokens: tokens }), false);
    assert.equal(stable({ originalTokens: tokens + 1, retainedTokens: 1 }), false);
  });

  it("shares lie between 0 and 1, and more anchors never recall less", () => {
    const anchors = fc.subarray([rule, fact, { ...rule, key: "x.1", text: "y" }]);
    fc.assert(
      fc.property(anchors, fc.subarray([...expected]), (held, wanted) => {
        const some = evaluateContextSummary(capsule(held), { expected: wanted, originalTokens });
        const all = evaluateContextSummary(capsule([rule, fact]), { expected: wanted, originalTokens });
        for (const share of [some.criticalAnchorRecall, some.weightedAnchorRecall])
          assert.ok(share >= 0 && share <= 1);
        assert.ok(some.weightedAnchorRecall <= all.weightedAnchorRecall);
        assert.equal(some.lost.length === 0, some.weightedAnchorRecall === 1);
      }),
    );
  });
});

describe("evaluateContextSummaryStability", () => {
  const good = capsule([rule, fact]);
  const drifting = capsule([{ ...rule, text: "Don't push to main." }, fact]);

  it("one drifting repetition named", () => {
    const stability = evaluateContextSummaryStability([good, good, drifting, good], {
      expected,
      originalTokens,
    });
    assert.equal(stability.stable, false);
    assert.deepEqual(stability.failures, ["repetition_3:evaluation"]);
    assert.equal(stability.criticalAnchorRecall, 0);
    assert.equal(stability.repetitions, 4);
  });

  it("is stable when every repetition is", () => {
    const stability = evaluateContextSummaryStability([good, good], { expected, originalTokens });
    assert.equal(stability.stable, true);
    assert.deepEqual(stability.failures, []);
    assert.equal(stability.meanCompressionRatio, stability.evaluations[0]?.compressionRatio);
  });

  it("refuses to call nothing stable", () => {
    assert.throws(() => evaluateContextSummaryStability([], { expected, originalTokens }), {
      code: "invalid_options",
    });
  });
});
