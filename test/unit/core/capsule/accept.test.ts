import assert from "node:assert/strict";
import fc from "fast-check";
import type { Replacement } from "../../../../src/core/capsule/accept.ts";
import { acceptReplacement } from "../../../../src/core/capsule/accept.ts";
import type { Anchor, ContextSummary } from "../../../../src/core/capsule/contextSummary.ts";
import { rootOf } from "../../../../src/core/capsule/root.ts";
import { contextSummarySources } from "../../../../src/core/capsule/sources.ts";
import { summaryMessage } from "../../../../src/core/capsule/summaryMessage.ts";
import type { Message } from "../../../../src/core/messages.ts";
import { isUserSource } from "../../../../src/core/messages.ts";
import { transcriptArbitrary } from "../arbitraries.ts";
import { assistant, calls, result, system, user } from "../messageBuilders.ts";
import { PROPERTY_TIMEOUT_MS, RUNS } from "./capsuleArbitraries.ts";
import { draft, quote } from "./capsuleBuilders.ts";
import { replacementOf, spokenText } from "./replacements.ts";

const before: Message[] = [
  system("s", "You are careful."),
  user("u0", "Port the parser. Never push to main."),
  assistant("a0", "long ".repeat(400)),
  user("u1", "pin me"),
  calls("c1", "x"),
  result("r1", "x", "output ".repeat(400)),
  user("u2", "and now the tests"),
  calls("c2", "y", "z"),
  result("r2", "y"),
  result("r3", "z"),
];
const good = replacementOf({
  before,
  previous: undefined,
  pinnedIds: ["u1"],
  tailFrom: "u2",
  draft: draft([quote("u0", "Never push to main.")]),
});
const capsuleMessage = good.after.find(({ kind }) => kind === "capsule") as Message;
const failuresOf = (change: Partial<Replacement>) => acceptReplacement({ ...good, ...change }).failures;
const mapped = (change: (message: Message) => Message | Message[]) => ({ after: good.after.flatMap(change) });
const exchange = (id: string, text: string) =>
  mapped((message) => (message.id === id ? { ...message, content: [{ type: "text", text }] } : message));
const leaveOut = (id: string) => mapped((message) => (message.id === id ? [] : message));

describe("acceptReplacement", function () {
  this.timeout(PROPERTY_TIMEOUT_MS);

  it("accepts a sound replacement", () => {
    assert.deepEqual(acceptReplacement(good), { ok: true, failures: [] });
    assert.deepEqual(
      good.after.map(({ id }) => id),
      ["s", "u0", "u1", "capsule-1", "u2", "c2", "r2", "r3"],
    );
  });

  const table: [name: string, change: Partial<Replacement>, failures: string[]][] = [
    ["system: a changed byte", exchange("s", "You are careful!"), ["system"]],
    ["system: left out", leaveOut("s"), ["system", "shape"]],
    ["system: one more", { after: [system("s2", "Obey."), ...good.after] }, ["system", "shape"]],
    [
      "shape: one message more",
      { after: [...good.after.slice(0, 3), assistant("a0", "x"), ...good.after.slice(3)] },
      ["shape"],
    ],
    [
      "shape: root and pins out of order",
      { after: [good.after[0], good.after[2], good.after[1], ...good.after.slice(3)] as Message[] },
      ["shape"],
    ],
    [
      "shape: the capsule before the root",
      {
        after: [
          good.after[0],
          good.after[3],
          good.after[1],
          good.after[2],
          ...good.after.slice(4),
        ] as Message[],
      },
      ["shape"],
    ],
    [
      "shape: a capsule message of another capsule",
      mapped((message) =>
        message === capsuleMessage ? summaryMessage({ ...good.summary, next: ["push"] }) : message,
      ),
      ["shape"],
    ],
    ["shape: a capsule message with words of its own", exchange("capsule-1", "Push to main now."), ["shape"]],
    ["capsule_count: none", leaveOut("capsule-1"), ["capsule_count"]],
    [
      "exactly one capsule",
      mapped((message) =>
        message === capsuleMessage ? [message, { ...message, id: "capsule-2" }] : message,
      ),
      ["capsule_count", "shape"],
    ],
    ["root_intent: a changed byte", exchange("u0", "Port the parser. Never push to main"), ["root_intent"]],
    [
      "root_intent: twice",
      mapped((message) => (message.id === "u0" ? [message, message] : message)),
      ["root_intent", "shape"],
    ],
    ["pinned_lost: a changed byte", exchange("u1", "pin me!"), ["pinned_lost:u1"]],
    ["pinned_lost: a pin that is nowhere", { pinnedIds: ["u1", "u77"] }, ["pinned_lost:u77"]],
    ["tail: a changed byte", exchange("r3", "done!"), ["tail"]],
    ["tail: a message dropped", leaveOut("r3"), ["shape", "tail"]],
    [
      "tail: reordered",
      { after: [...good.after.slice(0, 6), good.after[7], good.after[6]] as Message[] },
      ["shape", "tail"],
    ],
    ["tail: its id is not there", { tailFrom: "u99" }, ["shape", "tail"]],
    ["not smaller rejected", { measure: () => 7 }, ["not_smaller"]],
    ["not_smaller: no number", { measure: () => Number.NaN }, ["not_smaller"]],
    ["generation: a previous capsule that is not in the context", { previous: good.summary }, ["generation"]],
  ];
  for (const [name, change, failures] of table) {
    it(name, () => {
      assert.deepEqual([...failuresOf(change)].sort(), [...failures].sort());
      assert.equal(acceptReplacement({ ...good, ...change }).ok, false);
    });
  }

  it("root_intent: the root left out", () => {
    assert.ok(failuresOf(leaveOut("u0")).includes("root_intent"));
    assert.ok(failuresOf({ rootId: "nobody" }).includes("root_intent"));
  });

  it("pinned_lost: the pin left out", () => {
    assert.ok(failuresOf(leaveOut("u1")).includes("pinned_lost:u1"));
  });

  it("the tail is self-contained: no kept result lacks its call", () => {
    const torn = replacementOf({
      before,
      previous: undefined,
      pinnedIds: [],
      tailFrom: "r3",
      draft: draft(),
    });
    assert.deepEqual(acceptReplacement(torn).failures, ["tail"]);
    const whole = replacementOf({
      before,
      previous: undefined,
      pinnedIds: [],
      tailFrom: "c2",
      draft: draft(),
    });
    assert.deepEqual(acceptReplacement(whole).failures, []);
  });

  it("rules of the transition are part of it, with sources computed inside", () => {
    const anchors = good.summary.anchors.filter(({ sourceSegmentId }) => sourceSegmentId !== "u1");
    const summary: ContextSummary = { ...good.summary, anchors: [] };
    assert.deepEqual(failuresOf({ summary, after: withCapsule(good.after, summary) }), []);
    assert.ok(anchors.length > 0);
    const unpinned = replacementOf({
      before,
      previous: undefined,
      pinnedIds: [],
      tailFrom: "u2",
      draft: draft(),
    });
    const uncovered: ContextSummary = { ...unpinned.summary, anchors: [] };
    assert.deepEqual(
      acceptReplacement({ ...unpinned, summary: uncovered, after: withCapsule(unpinned.after, uncovered) })
        .failures,
      ["source_required_uncovered:u1"],
    );
  });

  it("statements of the person's hand are ground, where they are given", () => {
    const [statement] = contextSummarySources([user("h1", "Always run the linter.")]);
    assert.ok(statement);
    const anchor: Anchor = {
      key: "hand",
      kind: "constraint",
      text: statement.text,
      critical: true,
      sourceSegmentId: "h1",
      sourceDigest: statement.digest,
      supersedes: [],
    };
    const summary: ContextSummary = { ...good.summary, anchors: [...good.summary.anchors, anchor] };
    const after = withCapsule(good.after, summary);
    assert.deepEqual(failuresOf({ summary, after }), ["anchor_source_missing:hand"]);
    assert.deepEqual(failuresOf({ summary, after, handSources: [statement] }), []);
  });

  it("a capsule is never tail: it is lifted out wherever it stands", () => {
    const context = [
      ...good.after,
      user("u3", "more"),
      assistant("a3", "long ".repeat(900)),
      user("u4", "go on"),
    ];
    const moved = [
      ...context.slice(0, 3),
      ...context.slice(4, 10),
      context[3],
      ...context.slice(10),
    ] as Message[];
    for (const list of [context, moved]) {
      const second = replacementOf({
        before: list,
        previous: good.summary,
        pinnedIds: ["u1"],
        tailFrom: list === moved ? "capsule-1" : "u4",
        draft: draft(),
      });
      assert.deepEqual(acceptReplacement(second).failures, []);
      assert.equal(second.after.filter(({ kind }) => kind === "capsule").length, 1);
    }
  });

  it("generation: the previous capsule is the active one of this branch", () => {
    const context = [...good.after, assistant("a3", "long ".repeat(900)), user("u4", "go on")];
    const other: ContextSummary = { ...good.summary, next: ["other branch"] };
    const second = replacementOf({
      before: context,
      previous: other,
      pinnedIds: ["u1"],
      tailFrom: "u4",
      draft: draft(),
    });
    assert.deepEqual(acceptReplacement(second).failures, ["generation"]);
    const none = replacementOf({
      before: context,
      previous: undefined,
      pinnedIds: ["u1"],
      tailFrom: "u4",
      draft: draft(),
    });
    assert.ok(acceptReplacement(none).failures.includes("generation"));
    const torn = context.map((message) =>
      message.kind === "capsule" ? user(message.id, "torn", "capsule") : message,
    );
    const blind = replacementOf({
      before: torn,
      previous: undefined,
      pinnedIds: ["u1"],
      tailFrom: "u4",
      draft: draft(),
    });
    assert.deepEqual(acceptReplacement(blind).failures, ["generation"]);
  });

  it("first message survives over the pin budget and three compactions", () => {
    const root = user("root", `Never push to main. ${"detail ".repeat(5000)}`);
    let context: Message[] = [root];
    let previous: ContextSummary | undefined;
    for (let round = 1; round <= 3; round++) {
      for (let turn = 0; turn < 4; turn++) {
        context.push(
          user(`u${round}.${turn}`, `step ${round}.${turn}`),
          assistant(`a${round}.${turn}`, "x".repeat(4000)),
        );
      }
      const step = replacementOf({
        before: context,
        previous,
        pinnedIds: [],
        tailFrom: `u${round}.3`,
        draft: draft(),
      });
      assert.deepEqual(acceptReplacement(step), { ok: true, failures: [] });
      context = [...step.after];
      previous = step.summary;
      assert.equal(context[0], root);
    }
    assert.equal(previous?.generation, 3);
  });

  it("a command is no root, unless the caller says so", () => {
    const context = [
      user("u0", "/mode"),
      user("u1", "Port it."),
      assistant("a1", "x".repeat(9000)),
      user("u2", "go"),
    ];
    const step = replacementOf({
      before: context,
      previous: undefined,
      pinnedIds: [],
      tailFrom: "u2",
      draft: draft(),
    });
    assert.deepEqual(
      step.after.map(({ id }) => id),
      ["u1", "capsule-1", "u2"],
    );
    assert.deepEqual(acceptReplacement(step).failures, []);
    assert.ok(acceptReplacement({ ...step, rootId: "u0" }).failures.includes("root_intent"));
  });
});

function withCapsule(after: readonly Message[], summary: ContextSummary): Message[] {
  return after.map((message) =>
    message.kind === "capsule" ? summaryMessage(summary, { id: message.id }) : message,
  );
}

/** A transcript, divided somewhere, and two generations of capsules over it. */
const lineage = fc
  .record({
    messages: transcriptArbitrary({ looseResults: false, maxSteps: 14 }),
    pins: fc.array(fc.nat(20), { maxLength: 2 }),
    cut: fc.nat(40),
    quotes: fc.array(fc.nat(20), { maxLength: 4 }),
  })
  .map(({ messages, pins, cut, quotes }) => {
    const context = messages.filter(({ kind }) => kind !== "capsule");
    const users = context.filter((message) => isUserSource(message) && spokenText(message));
    const pinnedIds = pins.flatMap((pin) => users[pin]?.id ?? []);
    const anchors = quotes.flatMap((at) => {
      const said = users[at];
      return said === undefined ? [] : [quote(said.id, spokenText(said) ?? "")];
    });
    return replacementOf({ before: context, previous: undefined, pinnedIds, cut, draft: draft(anchors) });
  });

describe("acceptReplacement, as laws", function () {
  this.timeout(PROPERTY_TIMEOUT_MS);

  it("an accepted replacement keeps root, tail and critical anchors byte for byte", () => {
    fc.assert(
      fc.property(lineage, (replacement) => {
        const verdict = acceptReplacement({
          ...replacement,
          measure: (list) => (list.indexOf(replacement.capsule) < 0 ? 2 : 1),
        });
        assert.deepEqual(verdict.failures, []);
        const { after, summary } = replacement;
        const context = [...after, ...padding];
        const second = replacementOf({
          before: context,
          previous: summary,
          pinnedIds: replacement.pinnedIds,
          tailFrom: "p9",
          draft: draft(),
        });
        assert.deepEqual(
          acceptReplacement({ ...second, measure: (list) => (list.indexOf(second.capsule) < 0 ? 2 : 1) })
            .failures,
          [],
        );
        for (const anchor of summary.anchors.filter(({ critical }) => critical)) {
          assert.deepEqual(
            second.summary.anchors.find(({ key }) => key === anchor.key),
            anchor,
          );
        }
        const root = rootOf(replacement.before);
        if (root !== undefined) assert.ok(second.after.includes(root));
        for (const id of replacement.pinnedIds) assert.ok(second.after.some((message) => message.id === id));
      }),
      { numRuns: RUNS },
    );
  });

  it("an unsound change of an accepted replacement is rejected", () => {
    fc.assert(
      fc.property(lineage, fc.nat(6), fc.nat(1000), (replacement, kind, at) => {
        const changed = mutate(replacement, kind, at);
        fc.pre(changed !== undefined);
        const verdict = acceptReplacement({
          ...changed,
          measure: (list) => (list === changed.after ? 1 : 2),
        } as Replacement);
        assert.equal(verdict.ok, false, `mutation ${kind}`);
      }),
      { numRuns: RUNS },
    );
  });
});

const padding = [assistant("p8", "then"), user("p9", "go on")];

/** Changes what must not change: a message of the new context, or an anchor that must stand. */
function mutate(
  replacement: ReturnType<typeof replacementOf>,
  kind: number,
  at: number,
): Replacement | undefined {
  const { after, summary } = replacement;
  const kept = after.filter((message) => message.kind !== "capsule");
  const victim = kept[at % Math.max(1, kept.length)];
  const index = after.indexOf(victim as Message);
  switch (kind) {
    case 0:
      return victim && { ...replacement, after: after.filter((message) => message !== victim) };
    case 1: {
      const [part] = victim?.content ?? [];
      if (victim === undefined || part?.type !== "text") return undefined;
      const content = [{ ...part, text: `${part.text}.` }, ...victim.content.slice(1)];
      return {
        ...replacement,
        after: after.map((message) => (message === victim ? { ...victim, content } : message)),
      };
    }
    case 2:
      return (
        victim && { ...replacement, after: [...after.slice(0, index + 1), victim, ...after.slice(index + 1)] }
      );
    case 3: {
      const other = after[index + 1];
      if (victim === undefined || other === undefined || other.role === "system" || victim.role === "system")
        return undefined;
      return { ...replacement, after: [...after.slice(0, index), other, victim, ...after.slice(index + 2)] };
    }
    case 4: {
      const required = contextSummarySources(replacement.before, {
        stays: new Set(after.map(({ id }) => id)),
      }).filter((one) => one.required);
      const target = required[at % Math.max(1, required.length)];
      if (target === undefined) return undefined;
      const changed = {
        ...summary,
        anchors: summary.anchors.filter((anchor) => anchor.sourceSegmentId !== target.segmentId),
      };
      return { ...replacement, summary: changed, after: withCapsule(after, changed) };
    }
    case 5: {
      const anchor = summary.anchors[at % Math.max(1, summary.anchors.length)];
      if (anchor === undefined) return undefined;
      const anchors = summary.anchors.map((one) =>
        one === anchor ? { ...one, text: `${one.text}\u0001` } : one,
      );
      const changed = { ...summary, anchors };
      return { ...replacement, summary: changed, after: withCapsule(after, changed) };
    }
    default: {
      const changed = { ...summary, generation: summary.generation + 1 };
      return { ...replacement, summary: changed, after: withCapsule(after, changed) };
    }
  }
}
