import assert from "node:assert/strict";
import type { Anchor, ContextSummary } from "../../../../src/core/capsule/contextSummary.ts";
import { sha256Hex } from "../../../../src/core/digest.ts";
import { isChainEntry } from "../../../../src/sessions/entries.ts";
import type { HistoryItem } from "../../../../src/vscode/capsules/capsuleHistory.ts";
import { capsuleHistory, findGeneration } from "../../../../src/vscode/capsules/capsuleHistory.ts";
import type { CapsuleNode } from "../../../../src/vscode/capsules/capsuleNodes.ts";
import { capsuleNodes } from "../../../../src/vscode/capsules/capsuleNodes.ts";
import { restoreRequest } from "../../../../src/vscode/capsules/restoreRequest.ts";
import { SessionDocuments } from "../../../../src/vscode/documents/sessionDocuments.ts";
import { assistant, call, result, SessionRecord, STARTED_AT, summary, user } from "../sessionRecord.ts";

function anchor(key: string, text: string, changes: Partial<Anchor> = {}): Anchor {
  return {
    key,
    kind: "constraint",
    text,
    critical: true,
    sourceSegmentId: "m1",
    sourceDigest: sha256Hex(text),
    supersedes: [],
    ...changes,
  };
}

const filled: ContextSummary = summary({
  objective: "Make the parser\nfaster",
  constraintsRestated: ["No new packages"],
  decisions: [{ decision: "Cache tokens", why: "Half the time" }],
  artifacts: [{ path: "src/parser.ts", change: "rewritten" }],
  facts: ["It has 90 tests"],
  state: { completed: ["Run the tests once"], active: ["Write the cache"], blocked: ["Waiting for CI"] },
  next: ["Measure"],
  citations: [{ segmentId: "m3#c1", digest: "0".repeat(64), what: "parser.ts as it was" }],
  lookupHints: ["grep tokenCache"],
  anchors: [
    anchor("u1", "Never touch the lexer."),
    anchor("u2", "Run the tests once"),
    anchor("q1", "I like it short", { critical: false, kind: "fact" }),
  ],
});

function base(): SessionRecord {
  return new SessionRecord()
    .message(user("m1", "Never touch the lexer."))
    .message(assistant("m2", call("c1", "read", {})))
    .message(result("m3", "c1", "read", "the file"))
    .message(user("m4", "Go on"));
}

function historyOf(session: SessionRecord): HistoryItem[] {
  return capsuleHistory(session.entries.filter(isChainEntry), session.context);
}

function fileOf(session: SessionRecord) {
  const branch = session.entries.filter(isChainEntry);
  return { state: { title: session.title, entries: session.entries, branch } } as never;
}

async function nodesOf(session: SessionRecord): Promise<CapsuleNode[]> {
  const documents = new SessionDocuments();
  const live = { id: session.id, context: session.context, file: fileOf(session) } as never;
  return capsuleNodes({
    sessionId: session.id,
    history: historyOf(session),
    context: session.context,
    ...(await documents.lookUp(live)),
    now: STARTED_AT,
  });
}

function child(node: CapsuleNode | undefined, ...path: readonly string[]): CapsuleNode {
  let found = node;
  for (const label of path) found = found?.children?.().find((each) => each.label === label);
  assert.ok(found, path.join(" / "));
  return found;
}

describe("capsuleHistory", () => {
  it("lists newest first what stands, what was undone and what failed", () => {
    const session = base()
      .evict("r1", [["m3#c1", "the file"]])
      .compact("r2", summary(), "m4")
      .undo("r2")
      .attempt("r3", "provider_error")
      .compact("r4", summary(), "m4");
    assert.deepEqual(
      historyOf(session).map((item) => [item.kind, item.runId, item.undone]),
      [
        ["generation", "r4", false],
        ["attempt", "r3", false],
        ["generation", "r2", true],
        ["eviction", "r1", false],
      ],
    );
  });

  it("joins the records of one run: evicted parts with its first generation, a failed summary with its eviction", () => {
    const summarized = base()
      .evict("r1", [["m3#c1", "the file"]])
      .compact("r1", summary(), "m3")
      .compact("r1", summary({ generation: 2 }), "m4");
    const [second, first, ...rest] = historyOf(summarized);
    assert.equal(rest.length, 0);
    assert.ok(first?.kind === "generation" && second?.kind === "generation");
    assert.deepEqual([first.evicted.length, second.evicted.length], [1, 0]);
    assert.equal(second.previous, first.generation);
    assert.deepEqual([first.current, second.current], [false, true]);

    assert.deepEqual([first.before, second.before], [10_000, undefined]);

    const failed = base()
      .evict("r1", [["m3#c1", "the file"]])
      .attempt("r1", "rejected", { failures: ["reply_prose"] });
    const items = historyOf(failed);
    assert.equal(items.length, 1);
    assert.ok(items[0]?.kind === "eviction");
    assert.deepEqual(items[0].summaryFailure?.failures, ["reply_prose"]);
  });

  it("keeps a change by hand in the list when the run under it was undone, as undone", () => {
    const byHand = summary({
      generation: 2,
      anchors: [anchor("hand.2.1", "Use tabs.", { sourceSegmentId: "h1" })],
    });
    const session = base()
      .compact("r1", summary(), "m4")
      .hand({ id: "h1", action: "add", text: "Use tabs.", summary: byHand, capsuleText: "{}" });
    const shown = (): unknown[] => historyOf(session).map((item) => [item.kind, item.undone]);
    assert.deepEqual(shown(), [
      ["generation", false],
      ["generation", false],
    ]);
    session.undo("r1");
    assert.deepEqual(shown(), [
      ["generation", true],
      ["generation", true],
    ]);
    const found = findGeneration(session.entries.filter(isChainEntry), session.context, "capsule-h1");
    assert.equal(found?.summary, byHand);
  });

  it("knows what a generation retired, by which sentence, until it holds again", () => {
    const first = summary({ anchors: [anchor("u1", "Never push."), anchor("u2", "Use tabs.")] });
    const second = summary({
      generation: 2,
      anchors: [anchor("u2", "Use tabs."), anchor("u3", "You may push now.", { supersedes: ["u1"] })],
    });
    const session = base().compact("r1", first, "m4").compact("r2", second, "m4");
    const [newest] = historyOf(session);
    assert.ok(newest?.kind === "generation");
    assert.deepEqual(
      newest.retired.map(({ anchor: old, by, generation }) => [old.key, by?.text, generation]),
      [["u1", "You may push now.", 2]],
    );
    const third = summary({ generation: 3, anchors: [...second.anchors, anchor("h1", "Never push.")] });
    session.compact("r3", third, "m4");
    const [restored] = historyOf(session);
    assert.ok(restored?.kind === "generation");
    assert.deepEqual(restored.retired, []);
  });
});

describe("restoreRequest", () => {
  const first = summary({ anchors: [anchor("u1", "Never push.")] });
  const live = (session: SessionRecord) => ({ context: session.context, file: fileOf(session) });

  it("adds the words again where a later sentence retired them", () => {
    const second = summary({ generation: 2, anchors: [anchor("u2", "Push now.", { supersedes: ["u1"] })] });
    const session = base().compact("r1", first, "m4").compact("r2", second, "m4");
    assert.deepEqual(restoreRequest(live(session), "u1"), {
      action: "add",
      text: "Never push.",
      messageId: "m1",
    });
    assert.equal(restoreRequest(live(session), "u9"), undefined);
  });

  it("replaces a retirement by hand, which says the opposite", () => {
    const text = 'Retire the commitment: "Never push."';
    const retired = summary({
      generation: 2,
      anchors: [anchor("hand.2.1", text, { sourceSegmentId: "h1", supersedes: ["u1"] })],
    });
    const session = base()
      .compact("r1", first, "m4")
      .hand({ id: "h1", action: "retire", key: "u1", text, summary: retired, capsuleText: "{}" });
    assert.deepEqual(restoreRequest(live(session), "u1"), {
      action: "reword",
      key: "hand.2.1",
      text: "Never push.",
    });
  });
});

describe("capsuleNodes", () => {
  it("says of each generation before, after, model, time and end state", async () => {
    const session = base().compact("r1", filled, "m4", {
      modelId: "demo/model",
      before: 121_400,
      after: 33_870,
    });
    const [node] = await nodesOf(session);
    assert.equal(node?.label, "Generation 1");
    assert.match(
      node?.description ?? "",
      /^121k → 34k · demo\/model · \d\d:\d\d · Compacted \(summarized\)$/,
    );
    assert.equal(node?.contextValue, "generation latest undoable run");
    assert.match(
      node?.spoken ?? "",
      /^Generation 1, Compacted \(summarized\), from 121,400 to 33,870 tokens, by demo/,
    );
    assert.deepEqual(node?.open, { to: "generation", messageId: "capsule-r1-1" });
  });

  it("never calls an undone or failed run a compaction that stands", async () => {
    const session = base()
      .compact("r1", filled, "m4")
      .undo("r1")
      .attempt("r2", "rejected", { failures: ["reply_prose"] });
    const [failed, undone] = await nodesOf(session);
    assert.equal(undone?.label, "Generation 1, undone");
    assert.equal(undone?.contextValue, "generation run");
    assert.equal(failed?.label, "Not compacted: Rejected");
    assert.ok(!/\bCompacted\b/.test(`${failed?.label}${failed?.description}${failed?.spoken}`));
    assert.equal(failed?.contextValue, "");
    assert.deepEqual(
      failed?.children?.().map(({ label }) => label),
      [
        "The model's reply was not usable as a capsule.",
        "The model wrote prose instead of the capsule's JSON, or around it.",
        "Receipt",
      ],
    );
  });

  it("holds every field of the capsule, each group only where it has something", async () => {
    const session = base()
      .evict("r1", [["m3#c1", "the file"]])
      .compact("r1", filled, "m4");
    const [node] = await nodesOf(session);
    assert.deepEqual(
      node?.children?.().map(({ label, description }) => `${label}|${description ?? ""}`),
      [
        "Objective|Make the parser faster",
        "Commitments|1",
        "Finished commitments|1",
        "Constraints|1",
        "Decisions|1",
        "Artifacts|1",
        "Facts|1",
        "State|3",
        "Next|1",
        "Said earlier|1",
        "Where to look|1",
        "Evicted parts|1",
        "Left the context|1",
        "Receipt|",
      ],
    );
    assert.deepEqual(child(node, "Decisions", "Cache tokens").description, "Half the time");
    assert.deepEqual(child(node, "State", "Blocked", "Waiting for CI").icon, { name: "error" });
    const evicted = child(node, "Evicted parts", "read");
    assert.equal(evicted.description, "#3 · 8 bytes");
    assert.deepEqual(evicted.open, { to: "original", segmentId: "m3#c1" });
    assert.equal(evicted.contextValue, "evictedPart");
  });

  it("lets a commitment of the current capsule alone be changed, and shows key, source and digest", async () => {
    const session = base()
      .compact("r1", filled, "m4")
      .compact("r2", { ...filled, generation: 2 }, "m4");
    const [current, older] = await nodesOf(session);
    const label = "Never touch the lexer.";
    const commitment = child(current, "Commitments", label);
    assert.equal(commitment.contextValue, "commitment pinnable");
    assert.deepEqual([commitment.key, commitment.messageId], ["u1", "m1"]);
    assert.deepEqual(commitment.open, { to: "message", messageId: "m1" });
    const facts = commitment.tooltip.map((line) =>
      line.type === "fact" ? `${line.name}: ${line.value}` : line.text,
    );
    assert.deepEqual(facts, [
      label,
      "Key: u1",
      "Kind: constraint",
      "Source: #1 (m1)",
      `SHA-256: ${sha256Hex(label)}`,
    ]);
    assert.equal(child(older, "Commitments", label).contextValue, "");
    assert.equal(current?.contextValue, "generation latest undoable comparable run");

    session.hand({ id: "p1", action: "pin", messageId: "m1" });
    const [pinned] = await nodesOf(session);
    assert.equal(child(pinned, "Commitments", label).contextValue, "commitment pinned");
  });

  it("shows a retired commitment with the sentence that retired it, ready to be restored", async () => {
    const second = summary({
      generation: 2,
      anchors: [anchor("u9", "Touch what you like.", { supersedes: ["u1"], sourceSegmentId: "m4" })],
    });
    const session = base().compact("r1", filled, "m4").compact("r2", second, "m4");
    const [node] = await nodesOf(session);
    const retired = child(node, "Retired commitments", "Never touch the lexer.");
    assert.equal(retired.description, "retired in generation 2 by “Touch what you like.”");
    assert.equal(retired.contextValue, "retiredCommitment");
    assert.deepEqual(retired.open, { to: "message", messageId: "m4" });
    assert.equal(retired.key, "u1");
  });

  it("keeps chat text on one line of label, and gives every row an id of its own and words", async () => {
    const hostile = "a\n\u2028\u202e$(zap) [x](command:evil)\0 ".repeat(200);
    const session = base().compact(
      "r1",
      summary({ objective: hostile, facts: [hostile, hostile], anchors: [anchor("u1", hostile)] }),
      "m4",
    );
    const seen = new Set<string>();
    const walk = (nodes: readonly CapsuleNode[]): void => {
      for (const node of nodes) {
        assert.ok(!seen.has(node.id), node.id);
        seen.add(node.id);
        assert.doesNotMatch(`${node.label}${node.description}${node.spoken}`, /[\n\0\u2028\u202e]/);
        assert.ok(node.label.length <= 200 && node.spoken.length > 0 && node.tooltip.length > 0);
        walk(node.children?.() ?? []);
      }
    };
    walk(await nodesOf(session));
    assert.ok(seen.size > 5);
  });

  it("makes nothing below a row before it is opened, with 100 generations of 128 anchors", async () => {
    const anchors = Array.from({ length: 128 }, (_, at) => anchor(`k${at}`, `Rule ${at}`));
    const session = base();
    let read = 0;
    for (let generation = 1; generation <= 100; generation += 1) {
      session.compact(`r${generation}`, summary({ generation, facts: [] }), "m4");
    }
    const { context } = session;
    const history = historyOf(session);
    for (const item of history) {
      if (item.kind !== "generation") continue;
      Object.defineProperty(item.generation.summary, "anchors", {
        get: () => {
          read += 1;
          return anchors;
        },
      });
    }
    const nodes = capsuleNodes({
      sessionId: "s1",
      history,
      context,
      messageName: () => undefined,
      pinnableId: () => undefined,
      toolName: () => undefined,
      now: STARTED_AT,
    });
    assert.equal(nodes.length, 100);
    assert.equal(read, 0);
    assert.equal(child(nodes[0], "Commitments").children?.().length, 128);
    assert.ok(read > 0 && read < 10);
  });
});
