import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "mocha";
import { sha256Hex } from "../../../src/core/digest.ts";
import type { Message } from "../../../src/core/messages.ts";
import { textOf } from "../../../src/core/messages.ts";
import type { ModelChunk } from "../../../src/core/model.ts";
import { contextHash } from "../../../src/core/projection.ts";
import type { LiveSession } from "../../../src/engine/liveSession.ts";
import { draftText, ScriptedModel } from "../core/ladderWorld.ts";
import { assistant, calls, result, user } from "../core/messageBuilders.ts";
import { EngineWorld } from "./engineWorld.ts";

const RULE = "Never push to main without a review.";
const OUTPUT = "All 300 tests passed. ".repeat(800);

function workDay(turns = 4): Message[] {
  const messages: Message[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    messages.push(
      user(`u${turn}`, turn === 0 ? "Port the parser." : turn === 1 ? RULE : `Go on with step ${turn}.`),
    );
    messages.push(
      calls(`c${turn}`, `call_${turn}`),
      result(`r${turn}`, `call_${turn}`, `${turn}: ${OUTPUT}`),
    );
    messages.push(assistant(`a${turn}`, `Step ${turn} is done. ${"It went as planned. ".repeat(40)}`));
  }
  return messages;
}

const ruleDraft = draftText({
  anchors: [{ kind: "constraint", text: RULE, critical: true, source_segment_id: "u1" }],
});

function compact(live: LiveSession, reply: string | (() => AsyncIterable<ModelChunk>) = draftText()) {
  return live.compact({
    trigger: "manual",
    model: new ScriptedModel(reply),
    signal: new AbortController().signal,
  });
}

describe("a live session", () => {
  let world: EngineWorld;
  beforeEach(() => {
    world = new EngineWorld();
  });
  afterEach(() => world.end());

  it("compacts, and a reload shows the same context, capsule and receipts", async () => {
    const live = await world.start(workDay());
    const outcome = await compact(live, ruleDraft);
    assert.equal(outcome.state, "summarized");
    const { messages, receipts, generations } = live.context;
    assert.deepEqual(messages, outcome.messages);
    const again = await world.reload(live);
    assert.deepEqual(again.context.messages, messages);
    assert.deepEqual(again.context.receipts, receipts);
    assert.equal(again.context.generations.length, generations.length);
    assert.equal(again.context.transcript.length, workDay().length);
  });

  it("takes back two compactions one after the other, across a reload, with equal hashes", async () => {
    const live = await world.start(workDay());
    const hashes = [contextHash(live.context.messages, sha256Hex)];
    await compact(live);
    hashes.push(contextHash(live.context.messages, sha256Hex));
    for (const message of workDay()) {
      await typeIn(live, { ...message, id: `later-${message.id}` });
    }
    const typed = live.context.messages.slice(-workDay().length);
    const secondBefore = contextHash(live.context.messages, sha256Hex);
    await compact(live);
    assert.equal(live.context.runs.length, 2);

    const reloaded = await world.reload(live);
    const second = await reloaded.undo();
    assert.deepEqual([second.ok, reloaded.context.runs.length], [true, 1]);
    assert.equal(contextHash(reloaded.context.messages, sha256Hex), secondBefore);

    const again = await world.reload(reloaded);
    assert.equal((await again.undo()).ok, true);
    const restored = again.context.messages.slice(0, -typed.length);
    assert.equal(contextHash(restored, sha256Hex), hashes[0]);
    assert.deepEqual(
      again.context.messages.slice(-typed.length).map(({ id }) => id),
      typed.map(({ id }) => id),
    );
    assert.deepEqual(await again.undo(), { ok: false, reason: "nothing_to_undo" });
    assert.equal(
      again.context.generations.every((generation) => generation.undone),
      true,
    );
  });

  it("gives the original of an evicted part, byte for byte, also after a summary and a reload", async () => {
    const live = await world.start(workDay());
    await compact(live);
    const again = await world.reload(live);
    const original = await again.original("r0#call_0");
    assert.equal(original.text, `0: ${OUTPUT}`);
    assert.equal(original.digest, sha256Hex(original.text));
  });

  it("keeps one run at a time and says so to a second", async () => {
    const live = await world.start(workDay());
    let go = () => {};
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    const first = compact(live, async function* () {
      await gate;
      yield { type: "text", text: draftText() };
    });
    while (live.meter.running === undefined) await new Promise((resolve) => setImmediate(resolve));
    const second = await compact(live);
    assert.deepEqual([second.state, second.reason], ["declined", "already_running"]);
    assert.deepEqual(await live.undo(), { ok: false, reason: "running" });
    go();
    assert.equal((await first).state, "summarized");
    assert.equal(live.meter.running, undefined);
  });

  it("a failed run leaves the file's lines as they were and adds the attempt", async () => {
    const live = await world.start(workDay());
    world.settings = { ...world.settings, policy: { ...world.settings.policy, keepRecentTokens: 300 } };
    const before = live.file.state.entries.length;
    const context = live.context.messages;
    const outcome = await live.compact({
      trigger: "manual",
      model: new ScriptedModel("I would rather talk about it."),
      signal: new AbortController().signal,
    });
    assert.equal(outcome.state, "evicted");
    assert.equal(outcome.summaryFailure?.state, "rejected");
    assert.deepEqual(
      live.file.state.entries.slice(before).map(({ type }) => type),
      ["eviction", "attempt"],
    );
    assert.equal((await live.undo()).ok, true);
    assert.deepEqual(live.context.messages, context);
  });

  it("branches where the person went back, without the compactions made since, and nothing is lost", async () => {
    const live = await world.start(workDay());
    const all = live.context.messages;
    await compact(live);
    await live.branchFrom("a1");
    assert.deepEqual(live.context.messages, all.slice(0, 8));
    assert.equal(live.context.runs.length, 0);
    await typeIn(live, user("other", "Let us do it another way."));
    await live.branchFrom("a3");
    assert.deepEqual(live.context.messages.slice(0, all.length), all);
    const again = await world.reload(live);
    assert.deepEqual(again.context.messages, live.context.messages);
    assert.ok(again.file.state.entries.some(({ id }) => id === "other"));
  });
});

describe("the person's hand", () => {
  let world: EngineWorld;
  beforeEach(() => {
    world = new EngineWorld();
  });
  afterEach(() => world.end());

  it("retires, rewords, adds and restores, each a generation of its own that survives reload and later runs", async () => {
    const live = await world.start(workDay());
    await compact(live, ruleDraft);
    const key = live.context.summary?.anchors.find(({ critical }) => critical)?.key ?? "";
    const reworded = await live.changeCommitment({
      action: "reword",
      key,
      text: "Push to main only after two reviews.",
    });
    assert.deepEqual(reworded, { ok: true, generation: 2 });
    await live.changeCommitment({ action: "add", text: "Use tabs.", messageId: "u2" });
    const commitments = () =>
      live.context.summary?.anchors.filter(({ critical }) => critical).map(({ text }) => text);
    assert.deepEqual(commitments(), ["Push to main only after two reviews.", "Use tabs."]);
    const retired = live.context.summary?.anchors.find(({ text }) => text === "Use tabs.")?.key ?? "";
    await live.changeCommitment({ action: "retire", key: retired });
    assert.equal(commitments()?.includes("Use tabs."), false);
    const capsule = live.context.messages.find(({ kind }) => kind === "capsule");
    assert.ok(capsule !== undefined && textOf(capsule).includes("two reviews"));

    const again = await world.reload(live);
    assert.deepEqual(again.context.messages, live.context.messages);
    for (const message of workDay()) await typeIn(again, { ...message, id: `later-${message.id}` });
    const outcome = await compact(again);
    assert.equal(outcome.state, "summarized", `${outcome.reason} ${outcome.failures.join()}`);
    assert.equal(outcome.summary?.generation, 5);
    assert.ok(outcome.summary?.anchors.some(({ text }) => text === "Push to main only after two reviews."));
  });

  it("a commitment added before any capsule stands in the context, and is critical in the first capsule", async () => {
    const live = await world.start(workDay());
    const added = await live.changeCommitment({ action: "add", text: "Use tabs, never blanks." });
    assert.deepEqual(added, { ok: true });
    assert.equal(textOf(live.context.messages.at(-1) as Message), "Use tabs, never blanks.");
    for (const message of workDay()) await typeIn(live, { ...message, id: `later-${message.id}` });
    const outcome = await compact(live);
    assert.equal(outcome.state, "summarized", `${outcome.reason} ${outcome.failures.join()}`);
    const anchor = outcome.summary?.anchors.find(({ text }) => text === "Use tabs, never blanks.");
    assert.equal(anchor?.critical, true);
  });

  it("a pinned message stays word for word; unpinned it stays until the next boundary covers it", async () => {
    const live = await world.start(workDay());
    await live.changeCommitment({ action: "pin", messageId: "u2" });
    await compact(live);
    const ids = () => live.context.messages.map(({ id }) => id);
    assert.ok(ids().includes("u2"));
    await live.changeCommitment({ action: "unpin", messageId: "u2" });
    assert.ok(ids().includes("u2"));
    for (const message of workDay()) await typeIn(live, { ...message, id: `later-${message.id}` });
    const outcome = await compact(live);
    assert.equal(outcome.state, "summarized", `${outcome.reason} ${outcome.failures.join()}`);
    assert.equal(ids().includes("u2"), false);
    assert.ok(outcome.summary?.anchors.some(({ sourceSegmentId }) => sourceSegmentId === "u2"));
  });

  it("says no in codes: unknown commitment, blank text, a call that cannot be pinned, pinned twice", async () => {
    const live = await world.start(workDay());
    const fails = async (request: Parameters<LiveSession["changeCommitment"]>[0]) => {
      const outcome = await live.changeCommitment(request);
      return outcome.ok ? [] : outcome.failures;
    };
    assert.deepEqual(await fails({ action: "retire", key: "nothing.1" }), ["unknown_commitment"]);
    assert.deepEqual(await fails({ action: "add", text: "  " }), ["blank"]);
    assert.deepEqual(await fails({ action: "pin", messageId: "c1" }), ["not_pinnable"]);
    assert.deepEqual(await fails({ action: "pin", messageId: "none" }), ["unknown_message"]);
    assert.deepEqual(await fails({ action: "unpin", messageId: "u1" }), ["not_pinned"]);
    await live.changeCommitment({ action: "pin", messageId: "u1" });
    assert.deepEqual(await fails({ action: "pin", messageId: "u1" }), ["already_pinned"]);
  });

  it("an undo below a hand's generation turns its statement into words of the context", async () => {
    const live = await world.start(workDay());
    await compact(live, ruleDraft);
    await live.changeCommitment({ action: "add", text: "Use tabs." });
    assert.equal((await live.undo()).ok, true);
    assert.equal(live.context.summary, undefined);
    assert.equal(textOf(live.context.messages.at(-1) as Message), "Use tabs.");
    const again = await world.reload(live);
    assert.deepEqual(again.context.messages, live.context.messages);
  });
});

/** What somebody types or says, straight into the session's file. */
async function typeIn(live: LiveSession, message: Message): Promise<void> {
  await live.file.append([{ type: "message", id: message.id, at: 2, message }], "turn");
  while (live.context.transcript.at(-1)?.id !== message.id)
    await new Promise((resolve) => setImmediate(resolve));
}
