import assert from "node:assert/strict";
import fc from "fast-check";
import { parseContextSummary } from "../../../../src/core/capsule/parse.ts";
import { renderContextSummary } from "../../../../src/core/capsule/render.ts";
import { nastyText, PROPERTY_TIMEOUT_MS, RUNS, summaryArbitrary } from "./capsuleArbitraries.ts";
import { wireAnchor, wireObject } from "./capsuleBuilders.ts";

const text = (more: Record<string, unknown> = {}) => JSON.stringify(wireObject(more));
const without = (field: string) => {
  const object = wireObject();
  delete object[field];
  return JSON.stringify(object);
};
const many = (count: number, item: unknown) => Array.from({ length: count }, () => item);

describe("parseContextSummary", function () {
  this.timeout(PROPERTY_TIMEOUT_MS);

  it("prose around JSON rejected, one fence accepted", () => {
    assert.ok(parseContextSummary(text()));
    assert.ok(parseContextSummary(`\n \`\`\`json\n${text()}\n\`\`\` \n`));
    for (const reply of [
      `Here it is: ${text()}`,
      `${text()} Done.`,
      `${text()}\n${text()}`,
      `\`\`\`json\n${text()}\n\`\`\`\nDone.`,
      `\`\`\`json\n\`\`\`json\n${text()}\n\`\`\`\n\`\`\``,
      `\`\`\`\n${text()}\n\`\`\``,
      `\`\`\`json\n${text()}`,
      `[${text()}]`,
      JSON.stringify(text()),
      "null",
      "",
      "```json```",
    ]) {
      assert.equal(parseContextSummary(reply), undefined, reply.slice(0, 40));
    }
  });

  it("gives camelCase fields, deep-frozen, and drops unknown properties", () => {
    const summary = parseContextSummary(text({ extra: 1, anchors: [wireAnchor("a.1", { extra: 1 })] }));
    assert.ok(summary);
    assert.deepEqual(Object.keys(summary), [
      "schemaVersion",
      "generation",
      "objective",
      "constraintsRestated",
      "decisions",
      "artifacts",
      "facts",
      "state",
      "next",
      "citations",
      "lookupHints",
      "anchors",
    ]);
    assert.deepEqual(Object.keys(summary.anchors[0] ?? {}), [
      "key",
      "kind",
      "text",
      "critical",
      "sourceSegmentId",
      "sourceDigest",
      "supersedes",
    ]);
    for (const frozen of [
      summary,
      summary.state,
      summary.state.completed,
      summary.anchors,
      summary.anchors[0],
    ]) {
      assert.ok(Object.isFrozen(frozen));
    }
  });

  for (const field of Object.keys(wireObject())) {
    it(`${field} is required`, () => {
      assert.equal(parseContextSummary(without(field)), undefined);
    });
  }

  for (const field of Object.keys(wireAnchor("a"))) {
    it(`an anchor's ${field} ${field === "supersedes" ? "may be absent" : "is required"}`, () => {
      const anchor = wireAnchor("a");
      delete anchor[field];
      const summary = parseContextSummary(text({ anchors: [anchor] }));
      assert.equal(summary !== undefined, field === "supersedes");
      if (summary !== undefined) assert.deepEqual(summary.anchors[0]?.supersedes, []);
    });
  }

  const bounds: [name: string, at: Record<string, unknown>, over: Record<string, unknown>][] = [
    ["objective 8192", { objective: "x".repeat(8192) }, { objective: "x".repeat(8193) }],
    ["objective not blank", { objective: " x " }, { objective: " \n\t" }],
    ["generation from 1", { generation: 1 }, { generation: 0 }],
    ["generation whole", { generation: 7 }, { generation: 1.5 }],
    ["schema_version", { schema_version: 2 }, { schema_version: 1 }],
    ["key characters", { anchors: [wireAnchor("A-z.0:_")] }, { anchors: [wireAnchor("a b")] }],
    ["key with a line break", { anchors: [wireAnchor("a")] }, { anchors: [wireAnchor("a\n")] }],
    ["key 128", { anchors: [wireAnchor("k".repeat(128))] }, { anchors: [wireAnchor("k".repeat(129))] }],
    ["key not empty", { anchors: [wireAnchor("k")] }, { anchors: [wireAnchor("")] }],
    [
      "keys unique",
      { anchors: [wireAnchor("a"), wireAnchor("b")] },
      { anchors: [wireAnchor("a"), wireAnchor("a")] },
    ],
    [
      "anchors 128",
      { anchors: Array.from({ length: 128 }, (_, at) => wireAnchor(`k${at}`)) },
      { anchors: Array.from({ length: 129 }, (_, at) => wireAnchor(`k${at}`)) },
    ],
    [
      "anchor text 8192",
      { anchors: [wireAnchor("a", { text: "x".repeat(8192) })] },
      { anchors: [wireAnchor("a", { text: "x".repeat(8193) })] },
    ],
    [
      "anchor text not blank",
      { anchors: [wireAnchor("a", { text: "." })] },
      { anchors: [wireAnchor("a", { text: " \n" })] },
    ],
    [
      "anchor kind",
      { anchors: [wireAnchor("a", { kind: "blocker" })] },
      { anchors: [wireAnchor("a", { kind: "policy" })] },
    ],
    [
      "critical is a boolean",
      { anchors: [wireAnchor("a", { critical: false })] },
      { anchors: [wireAnchor("a", { critical: "true" })] },
    ],
    [
      "digest 64",
      { anchors: [wireAnchor("a", { source_digest: "0".repeat(64) })] },
      { anchors: [wireAnchor("a", { source_digest: "0".repeat(63) })] },
    ],
    [
      "digest lower case",
      { anchors: [wireAnchor("a", { source_digest: "f".repeat(64) })] },
      { anchors: [wireAnchor("a", { source_digest: "F".repeat(64) })] },
    ],
    [
      "supersedes 32",
      { anchors: [wireAnchor("a", { supersedes: Array.from({ length: 32 }, (_, at) => `k${at}`) })] },
      { anchors: [wireAnchor("a", { supersedes: Array.from({ length: 33 }, (_, at) => `k${at}`) })] },
    ],
    [
      "supersedes unique",
      { anchors: [wireAnchor("a", { supersedes: ["x", "y"] })] },
      { anchors: [wireAnchor("a", { supersedes: ["x", "x"] })] },
    ],
    [
      "decisions 128",
      { decisions: many(128, { decision: "d", why: "w" }) },
      { decisions: many(129, { decision: "d", why: "w" }) },
    ],
    [
      "artifacts 128",
      { artifacts: many(128, { path: "p", change: "c" }) },
      { artifacts: many(129, { path: "p", change: "c" }) },
    ],
    [
      "citations 128",
      { citations: many(128, { segment_id: "s", digest: "0".repeat(64), what: "w" }) },
      { citations: many(129, { segment_id: "s", digest: "0".repeat(64), what: "w" }) },
    ],
    [
      "citation digest",
      { citations: [{ segment_id: "s", digest: "0".repeat(64), what: "w" }] },
      { citations: [{ segment_id: "s", digest: "0", what: "w" }] },
    ],
    [
      "state lists",
      { state: { completed: [], active: [], blocked: [] } },
      { state: { completed: [], active: [] } },
    ],
    [
      "completed 256",
      { state: { completed: many(256, "x"), active: [], blocked: [] } },
      { state: { completed: many(257, "x"), active: [], blocked: [] } },
    ],
  ];
  for (const field of ["constraints_restated", "facts", "next", "lookup_hints"]) {
    bounds.push(
      [`${field} 256`, { [field]: many(256, "x") }, { [field]: many(257, "x") }],
      [`${field} of 8192`, { [field]: ["x".repeat(8192)] }, { [field]: ["x".repeat(8193)] }],
    );
  }
  for (const [name, at, over] of bounds) {
    it(`bound: ${name}`, () => {
      assert.ok(parseContextSummary(text(at)), "at the bound");
      assert.equal(parseContextSummary(text(over)), undefined, "over the bound");
    });
  }

  it("never throws on any string or JSON value", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          nastyText(200),
          fc.json(),
          fc.jsonValue().map((value) => JSON.stringify(value)),
        ),
        (reply) => {
          parseContextSummary(reply);
          parseContextSummary(`\`\`\`json\n${reply}\n\`\`\``);
        },
      ),
      { numRuns: RUNS },
    );
    assert.equal(parseContextSummary("[".repeat(200_000)), undefined);
    assert.equal(parseContextSummary(`{"state":`.repeat(50_000)), undefined);
  });

  it("never throws on a wire object with one field exchanged for anything", () => {
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(wireObject())), fc.jsonValue(), (field, value) => {
        parseContextSummary(text({ [field]: value }));
        parseContextSummary(text({ anchors: [wireAnchor("a", { [field]: value }), value] }));
      }),
      { numRuns: RUNS },
    );
  });
});

describe("renderContextSummary", function () {
  this.timeout(PROPERTY_TIMEOUT_MS);

  it("what is rendered parses to the same capsule, and renders to the same text", () => {
    fc.assert(
      fc.property(summaryArbitrary(), (summary) => {
        const rendered = renderContextSummary(summary);
        const parsed = parseContextSummary(rendered);
        assert.deepEqual(parsed, summary);
        assert.equal(renderContextSummary(parsed ?? summary), rendered);
      }),
      { numRuns: RUNS },
    );
  });

  it("gives the wire shape with a stable key order", () => {
    const summary = parseContextSummary(text());
    assert.ok(summary);
    assert.equal(renderContextSummary(summary), text());
    const shuffled = Object.fromEntries(Object.entries(wireObject()).reverse());
    const same = parseContextSummary(JSON.stringify(shuffled));
    assert.ok(same);
    assert.equal(renderContextSummary(same), text());
  });
});
