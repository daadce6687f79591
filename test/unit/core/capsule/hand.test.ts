import assert from "node:assert/strict";
import fc from "fast-check";
import { completeDraft } from "../../../../src/core/capsule/carry.ts";
import type { ContextSummary } from "../../../../src/core/capsule/contextSummary.ts";
import type { HandAction } from "../../../../src/core/capsule/hand.ts";
import { applyCommitment, commitmentSource, commitmentStatement } from "../../../../src/core/capsule/hand.ts";
import { validateContextSummaryTransition } from "../../../../src/core/capsule/transition.ts";
import { nastyText, PROPERTY_TIMEOUT_MS, RUNS, summaryArbitrary } from "./capsuleArbitraries.ts";
import { anchorOf, capsule, draft, quote, source } from "./capsuleBuilders.ts";

const gone = source("gone", "Never push to main.");
const old = anchorOf("constraint.1.1", gone, { kind: "decision", critical: true });
const loose = anchorOf("fact.1.2", gone);
const previous = capsule([old, loose], { generation: 2, facts: ["42 tests pass"] });

function act(action: HandAction, before: ContextSummary | "none" = previous) {
  const active = before === "none" ? undefined : before;
  const statement = commitmentStatement(active, action);
  assert.ok(statement !== undefined);
  const from = commitmentSource("h1", statement);
  const result = applyCommitment(active, action, from);
  assert.ok(result.ok, JSON.stringify(result));
  assert.deepEqual(validateContextSummaryTransition(result.summary, active, [from]).failures, []);
  return { ...result, statement, from };
}

describe("applyCommitment", function () {
  this.timeout(PROPERTY_TIMEOUT_MS);

  it("a person's retire, reword, add and pin are valid ground", () => {
    const retired = act({ type: "retire", key: old.key });
    assert.equal(retired.statement, 'Retire the commitment: "Never push to main."');
    assert.deepEqual(retired.anchor, {
      key: "hand.3.1",
      kind: "decision",
      text: retired.statement,
      critical: true,
      sourceSegmentId: "h1",
      sourceDigest: retired.from.digest,
      supersedes: [old.key],
    });
    const reworded = act({ type: "reword", key: old.key, text: "Push to main only when CI is green." });
    assert.equal(reworded.anchor.text, "Push to main only when CI is green.");
    assert.equal(reworded.anchor.kind, "decision");
    const added = act({ type: "add", text: " Use tabs. ", kind: "constraint" });
    assert.equal(added.anchor.text, "Use tabs.");
    assert.deepEqual(added.anchor.supersedes, []);
    for (const { summary } of [retired, reworded, added]) {
      assert.equal(summary.generation, 3);
      assert.deepEqual(summary.facts, previous.facts);
      assert.ok(summary.anchors.some(({ key }) => key === loose.key));
      assert.ok(Object.isFrozen(summary.anchors));
    }
    const pinned = source("u9", "Pushing is fine since today.", { stays: true });
    const sources = [source("k", "{}", { role: "capsule" }), pinned];
    const carried = completeDraft({
      draft: draft([quote("u9", pinned.text, { kind: "decision", supersedes: [old.key] })]),
      previous,
      sources,
      ceilingTokens: 1e6,
    });
    assert.ok(carried.ok);
    assert.deepEqual(
      carried.retired.map(({ key }) => key),
      [old.key],
    );
    assert.deepEqual(validateContextSummaryTransition(carried.summary, previous, sources).failures, []);
    assert.ok(!retired.summary.anchors.some(({ key }) => key === old.key));
    assert.ok(added.summary.anchors.some(({ key }) => key === old.key));
  });

  it("the first commitment of a branch makes its first capsule", () => {
    const { summary } = act({ type: "add", text: "Use tabs." }, "none");
    assert.equal(summary.generation, 1);
    assert.equal(summary.anchors.length, 1);
  });

  it("what the hand did is carried like any commitment, and can be taken back by it", () => {
    const { summary } = act({ type: "retire", key: old.key });
    const u1 = source("u1", "Use spaces.");
    const carried = completeDraft({
      draft: draft([quote("u1", "Use spaces.")]),
      previous: summary,
      sources: [u1],
      ceilingTokens: 1e6,
    });
    assert.ok(carried.ok);
    assert.ok(carried.summary.anchors.some(({ key }) => key === "hand.3.1"));
    const restored = act({ type: "add", text: "Never push to main." }, carried.summary);
    assert.equal(restored.summary.generation, 5);
    assert.equal(restored.anchor.text, "Never push to main.");
  });

  it("refuses what is no commitment, what is blank, and what the statement does not say", () => {
    const from = commitmentSource("h1", "Use tabs.");
    const cases: [HandAction, string][] = [
      [{ type: "retire", key: "ghost" }, "unknown_commitment"],
      [{ type: "retire", key: loose.key }, "unknown_commitment"],
      [{ type: "reword", key: old.key, text: " " }, "blank"],
      [{ type: "add", text: "\n" }, "blank"],
      [{ type: "add", text: "Use spaces." }, "rejected"],
    ];
    for (const [action, code] of cases) {
      const result = applyCommitment(previous, action, from);
      assert.equal(result.ok ? "ok" : result.code, code);
    }
    const byTool = applyCommitment(previous, { type: "add", text: "Use tabs." }, { ...from, role: "tool" });
    assert.deepEqual(byTool, {
      ok: false,
      code: "rejected",
      failures: ["anchor_critical_untrusted:hand.3.1"],
    });
    assert.equal(commitmentStatement(previous, { type: "retire", key: "ghost" }), undefined);
    assert.equal(commitmentStatement(previous, { type: "add", text: " " }), undefined);
  });

  it("adds no 97th commitment, and makes room for one among 128 anchors", () => {
    const critical = (count: number) => Array.from({ length: count }, (_, at) => ({ ...old, key: `k${at}` }));
    const from = commitmentSource("h1", "Use tabs.");
    const full = applyCommitment(capsule(critical(96)), { type: "add", text: "Use tabs." }, from);
    assert.equal(full.ok ? "ok" : full.code, "too_many_commitments");
    const crowd = [...critical(90), ...Array.from({ length: 38 }, (_, at) => ({ ...loose, key: `n${at}` }))];
    const { summary, carriedOut } = act({ type: "add", text: "Use tabs." }, capsule(crowd));
    assert.equal(summary.anchors.length, 96);
    assert.equal(carriedOut[0]?.key, "n0");
  });

  it("a very long commitment can still be retired", () => {
    const long = capsule([{ ...old, text: "x".repeat(8192) }]);
    assert.equal(act({ type: "retire", key: old.key }, long).anchor.text.length, 8192);
  });

  it("never makes a capsule that the rules reject", () => {
    fc.assert(
      fc.property(
        fc.option(summaryArbitrary(), { nil: undefined }),
        nastyText(),
        fc.nat(8),
        (before, text, at) => {
          const key = before?.anchors[at]?.key ?? "ghost";
          const actions: HandAction[] = [
            { type: "retire", key },
            { type: "reword", key, text },
            { type: "add", text },
          ];
          for (const action of actions) {
            const statement = commitmentStatement(before, action);
            if (statement === undefined) continue;
            const from = commitmentSource("h1", statement);
            const result = applyCommitment(before, action, from);
            assert.ok(result.ok, JSON.stringify(result));
            assert.deepEqual(validateContextSummaryTransition(result.summary, before, [from]).failures, []);
          }
        },
      ),
      { numRuns: RUNS },
    );
  });
});
