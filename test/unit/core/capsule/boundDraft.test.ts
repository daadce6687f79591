import assert from "node:assert/strict";
import fc from "fast-check";
import { describe, it } from "mocha";
import { boundDraft } from "../../../../src/core/capsule/boundDraft.ts";
import type { CapsuleDraft } from "../../../../src/core/capsule/draft.ts";
import { emptyDraft, renderDraft } from "../../../../src/core/capsule/draft.ts";
import { utf8Length } from "../../../../src/core/utf8.ts";

const list = fc.array(fc.string({ maxLength: 40 }), { maxLength: 12 });
const anchor = fc.record({
  kind: fc.constant("fact" as const),
  text: fc.string({ minLength: 1, maxLength: 40 }),
  critical: fc.boolean(),
  sourceSegmentId: fc.constant("u1"),
  supersedes: fc.constant([]),
});
const draftArbitrary: fc.Arbitrary<CapsuleDraft> = fc.record({
  objective: fc.constant("Go on."),
  constraintsRestated: list,
  decisions: fc.array(fc.record({ decision: fc.string(), why: fc.string() }), { maxLength: 4 }),
  artifacts: fc.array(fc.record({ path: fc.string(), change: fc.string() }), { maxLength: 4 }),
  facts: list,
  state: fc.record({ completed: list, active: list, blocked: list }),
  next: list,
  citations: fc.array(fc.record({ segmentId: fc.string(), what: fc.string() }), { maxLength: 4 }),
  lookupHints: list,
  anchors: fc.array(anchor, { maxLength: 8 }),
});

const bytesOf = (draft: CapsuleDraft) => utf8Length(renderDraft(draft));

describe("boundDraft", () => {
  it("gives a draft within its bound, or one that has nothing left to drop; commitments and objective stay", () => {
    fc.assert(
      fc.property(draftArbitrary, fc.nat(600), (draft, maxTokens) => {
        const { draft: bounded, droppedItems } = boundDraft(draft, maxTokens);
        const critical = (one: CapsuleDraft) => one.anchors.filter((quote) => quote.critical);
        assert.deepEqual(critical(bounded), critical(draft));
        assert.equal(bounded.objective, draft.objective);
        const bare = { ...emptyDraft(draft.objective), anchors: critical(draft) };
        assert.ok(bytesOf(bounded) <= Math.max(maxTokens * 4, bytesOf(bare)));
        if (bytesOf(draft) <= maxTokens * 4) assert.equal(bounded, draft);
        else assert.ok(droppedItems > 0 || bytesOf(draft) === bytesOf(bare));
      }),
    );
  });

  it("drops the ends of lists, the least needed list first, and no more than it has to", () => {
    const facts = Array.from({ length: 10 }, (_, at) => `fact ${at} `.padEnd(100, "."));
    const draft: CapsuleDraft = { ...emptyDraft("Go on."), facts, lookupHints: facts, next: facts };
    const { draft: bounded, droppedItems } = boundDraft(draft, 500);
    assert.deepEqual([bounded.lookupHints.length, bounded.next.length], [0, 10]);
    assert.deepEqual(bounded.facts, facts.slice(0, bounded.facts.length));
    assert.ok(bounded.facts.length >= 5 && droppedItems === 20 - bounded.facts.length);
  });
});
