import assert from "node:assert/strict";
import type { Anchor, ContextSummary } from "../../../../src/core/capsule/contextSummary.ts";
import { summaryMessage } from "../../../../src/core/capsule/summaryMessage.ts";
import { contextText } from "../../../bench/fidelity/contextText.mts";
import { anchorOf, capsule, source } from "../../core/capsule/capsuleBuilders.ts";
import { result, user } from "../../core/messageBuilders.ts";

const OLD = "The cap is $350.";
const said = user("u1", OLD);
const tool = result("t1", "c1", OLD);
const attached = user("f1", OLD, "attachment");
const originals = new Map([said, tool, attached].map((message) => [message.id, message]));

function textOf(anchors: readonly Anchor[], more: Partial<ContextSummary> = {}) {
  const summary = capsule(anchors, more);
  return contextText({ messages: [summaryMessage(summary)], summary, originals });
}

describe("where the words of a context of ours come from", () => {
  it("what the person said, word for word and no commitment, is quoted", () => {
    const { quoted, written, policy } = textOf([anchorOf("k1", source("u1", OLD))]);
    assert.deepEqual([quoted, policy], [[OLD], []]);
    assert.ok(!written.includes(OLD));
  });

  const others: [what: string, anchor: Anchor][] = [
    ["a commitment", anchorOf("k1", source("u1", OLD), { critical: true })],
    ["words of a tool", anchorOf("k1", source("t1", OLD))],
    ["words of one tool result", anchorOf("k1", source("t1#c1", OLD))],
    ["words of an attachment", anchorOf("k1", source("f1", OLD))],
    ["words of nobody", anchorOf("k1", source("u9", OLD))],
    ["other words than the person's", anchorOf("k1", source("u1", OLD), { text: "the cap is $350" })],
  ];
  for (const [what, anchor] of others) {
    it(`${what}: written`, () => {
      const { quoted, written, policy } = textOf([anchor]);
      assert.deepEqual(quoted, []);
      assert.ok(written.includes(anchor.text));
      assert.deepEqual(policy, anchor.critical ? [OLD] : []);
    });
  }

  const lists: Partial<ContextSummary>[] = [
    { objective: OLD },
    { constraintsRestated: [OLD] },
    { decisions: [{ decision: OLD, why: "" }] },
    { decisions: [{ decision: "-", why: OLD }] },
    { artifacts: [{ path: "a", change: OLD }] },
    { facts: [OLD] },
    { state: { completed: [OLD], active: [], blocked: [] } },
    { state: { completed: [], active: [OLD], blocked: [] } },
    { state: { completed: [], active: [], blocked: [OLD] } },
    { next: [OLD] },
    { lookupHints: [OLD] },
  ];
  for (const list of lists) {
    it(`${JSON.stringify(list)}: written`, () => {
      const { quoted, written } = textOf([], list);
      assert.deepEqual(quoted, []);
      assert.ok(written.includes(OLD));
    });
  }

  it("a message is kept only while nothing of it has changed", () => {
    const changed = user("u1", "[evicted]");
    const messages = [tool, changed];
    assert.deepEqual(contextText({ messages, summary: undefined, originals }), {
      kept: [OLD],
      quoted: [],
      written: ["[evicted]"],
      policy: [],
    });
  });
});
