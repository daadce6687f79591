import assert from "node:assert/strict";
import fc from "fast-check";
import { describe, it } from "mocha";
import { latestContextSummary } from "../../../src/core/capsule/summaryMessage.ts";
import type { Message } from "../../../src/core/messages.ts";
import { isUserSource } from "../../../src/core/messages.ts";
import { answerOpenCalls } from "../../../src/core/openCalls.ts";
import { defaultPolicy } from "../../../src/core/policy.ts";
import { projectContext } from "../../../src/core/projection.ts";
import { safeCut } from "../../../src/core/safeCut.ts";
import { deepFreeze, transcriptArbitrary } from "./arbitraries.ts";
import { draftText, LadderWorld, ScriptedModel } from "./ladderWorld.ts";

const RUNS = Number(process.env["PROPERTY_RUNS"] ?? 300);

/** What a summarizer may say: good, careless, or out to smuggle policy in. */
function replyArbitrary(): fc.Arbitrary<string> {
  const anchor = fc.record({
    kind: fc.constantFrom("objective", "constraint", "decision", "fact", "next"),
    text: fc.oneof(fc.string({ minLength: 1, maxLength: 30 }), fc.constant("push without review")),
    critical: fc.boolean(),
    source_segment_id: fc.oneof(fc.constantFrom("m0", "m1", "m2", "m3", "m5"), fc.string({ maxLength: 8 })),
    supersedes: fc.uniqueArray(fc.constantFrom("constraint.1.1", "objective.1.1", "fact.2.1", "x"), {
      maxLength: 3,
    }),
  });
  const draft = fc.record({
    objective: fc.string({ minLength: 1, maxLength: 40 }).map((text) => `Work. ${text}`),
    facts: fc.array(fc.string({ maxLength: 200 }), { maxLength: 6 }),
    state: fc.record({
      completed: fc.array(fc.string({ maxLength: 30 }), { maxLength: 3 }),
      active: fc.array(fc.string({ maxLength: 30 }), { maxLength: 3 }),
      blocked: fc.constant([]),
    }),
    citations: fc.array(
      fc.record({ segment_id: fc.constantFrom("m1", "m4", "zz"), what: fc.string({ maxLength: 20 }) }),
      {
        maxLength: 3,
      },
    ),
    anchors: fc.array(anchor, { maxLength: 6 }),
  });
  return fc.oneof(
    { weight: 6, arbitrary: draft.map((changes) => draftText(changes)) },
    { weight: 1, arbitrary: fc.string({ maxLength: 80 }) },
    { weight: 1, arbitrary: fc.json({ maxDepth: 3 }) },
  );
}

interface Scene {
  readonly messages: Message[];
  readonly replies: readonly string[];
  readonly keepRecentTokens: number;
  readonly keepRecentTurns: number;
  readonly pins: readonly number[];
}

const sceneArbitrary: fc.Arbitrary<Scene> = fc.record({
  messages: transcriptArbitrary(),
  replies: fc.array(replyArbitrary(), { minLength: 1, maxLength: 3 }),
  keepRecentTokens: fc.nat(2000),
  keepRecentTurns: fc.nat(3),
  pins: fc.array(fc.nat(20), { maxLength: 2 }),
});

function worldOf({ messages, pins }: Scene): LadderWorld {
  const world = new LadderWorld(deepFreeze(messages));
  for (const [number, at] of pins.entries()) {
    const message = messages.filter(isUserSource)[at];
    if (message === undefined) continue;
    world.branch.push({
      type: "commitment",
      record: { id: `pin-${number}`, action: "pin", messageId: message.id },
    });
  }
  return world;
}

function optionsOf(scene: Scene) {
  const { keepRecentTokens, keepRecentTurns } = scene;
  return { policy: { ...defaultPolicy, keepRecentTokens, keepRecentTurns } };
}

describe("laws of the ladder", () => {
  it("what stands after any run is sound: root, pins, tail and prior commitments word for word, one capsule", async () => {
    await fc.assert(
      fc.asyncProperty(sceneArbitrary, async (scene) => {
        const world = worldOf(scene);
        for (const reply of scene.replies) {
          const before = world.state;
          const outcome = await world.run({ ...optionsOf(scene), model: new ScriptedModel(reply) });
          const after = world.state;
          assert.deepEqual(after.messages, outcome.messages);
          assert.deepEqual(after.brokenBoundaries, []);
          assert.ok(outcome.after <= outcome.before);
          for (const receipt of outcome.receipts) {
            if (receipt.state === "evicted" || receipt.state === "summarized")
              assert.ok(receipt.after < receipt.before);
          }
          if (outcome.state !== "summarized") continue;
          assertSound(before.messages, after.messages, [before.rootId, ...before.pinnedIds]);
          const kept = new Map(after.summary?.anchors.map((anchor) => [anchor.key, anchor]));
          const superseded = new Set(after.summary?.anchors.flatMap(({ supersedes }) => supersedes));
          for (const anchor of before.summary?.anchors ?? []) {
            if (anchor.critical && !superseded.has(anchor.key))
              assert.deepEqual(kept.get(anchor.key), anchor);
          }
          const users = new Set(after.transcript.filter(isUserSource).map(({ id }) => id));
          for (const anchor of after.summary?.anchors ?? []) {
            if (anchor.critical) assert.ok(users.has(anchor.sourceSegmentId), anchor.sourceSegmentId);
          }
        }
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
  });

  it("every user message that left is quoted by an anchor of the generation it left with", async () => {
    await fc.assert(
      fc.asyncProperty(sceneArbitrary, async (scene) => {
        const world = worldOf(scene);
        await world.run({ ...optionsOf(scene), model: new ScriptedModel(scene.replies[0] ?? "") });
        const { messages, transcript, summary } = world.state;
        if (summary === undefined) return;
        const present = new Set(messages.map(({ id }) => id));
        const cited = new Set(
          world.state.generations.flatMap((generation) =>
            generation.summary.anchors.map(({ sourceSegmentId }) => sourceSegmentId),
          ),
        );
        for (const message of transcript) {
          const text = message.content.map((part) => (part.type === "text" ? part.text : "")).join("");
          if (!isUserSource(message) || present.has(message.id) || text.trim() === "") continue;
          assert.ok(cited.has(message.id), message.id);
        }
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
  });

  it("a run that ends without a compaction changes nothing of what is sent", async () => {
    await fc.assert(
      fc.asyncProperty(sceneArbitrary, async (scene) => {
        const world = worldOf(scene);
        const before = world.state.messages;
        const options = {
          ...optionsOf(scene),
          isStored: () => false,
          model: new ScriptedModel(scene.replies[0] ?? ""),
        };
        const outcome = await world.run(options);
        if (outcome.state === "summarized") return;
        assert.deepEqual(world.state.messages, before);
        assert.equal(outcome.after, outcome.before);
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
  });

  it("an undone run is as if it had not been, whatever came after it", async () => {
    await fc.assert(
      fc.asyncProperty(sceneArbitrary, async (scene) => {
        const world = worldOf(scene);
        const before = world.state;
        const outcome = await world.run({
          ...optionsOf(scene),
          model: new ScriptedModel(scene.replies[0] ?? ""),
        });
        const undo = { type: "undo" as const, runId: outcome.runId, before: 1, after: 1 };
        const later: Message = { id: "later", role: "user", content: [{ type: "text", text: "Later." }] };
        world.branch.push({ type: "message", message: later }, undo);
        assert.deepEqual(world.state.messages, [...before.messages, later]);
        assert.equal(world.state.summary, before.summary);
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
  });

  it("same input, same output, and nothing given is changed", async () => {
    await fc.assert(
      fc.asyncProperty(sceneArbitrary, async (scene) => {
        const runs = [worldOf(scene), worldOf(scene)].map((world) =>
          world.run({ ...optionsOf(scene), model: new ScriptedModel(scene.replies[0] ?? "") }),
        );
        const [first, second] = await Promise.all(runs);
        assert.deepEqual(first, second);
      }),
      { numRuns: Math.ceil(RUNS / 3) },
    );
  });
});

function assertSound(
  before: readonly Message[],
  after: readonly Message[],
  heldIds: readonly (string | undefined)[],
): void {
  const capsules = after.filter(({ kind }) => kind === "capsule");
  assert.equal(capsules.length, 1);
  assert.notEqual(latestContextSummary(after), undefined);
  const byId = new Map(before.map((message) => [message.id, message]));
  for (const id of heldIds) {
    if (id !== undefined && byId.has(id))
      assert.ok(
        after.some((message) => message.id === id),
        id,
      );
  }
  for (const message of after) {
    if (message.kind === "capsule") continue;
    const old = byId.get(message.id);
    assert.ok(old !== undefined);
    assert.equal(message.role, old.role);
    // An output may have given way to its citation in this very run; nothing else may differ.
    if (message.role !== "tool" && message.kind !== "attachment")
      assert.deepEqual(message.content, old.content);
  }
  const tail = after.slice(after.indexOf(capsules[0] as Message) + 1);
  assert.deepEqual(
    tail.map(({ id }) => id),
    before.slice(before.length - tail.length).map(({ id }) => id),
  );
  assert.equal(safeCut(after, after.indexOf(capsules[0] as Message) + 1) > 0 || tail.length === 0, true);
  const answered = answerOpenCalls(after);
  assert.ok(answered.length >= after.length);
  assert.deepEqual(
    projectContext(answered.map((message) => ({ type: "message", message }))).messages,
    answered,
  );
}
