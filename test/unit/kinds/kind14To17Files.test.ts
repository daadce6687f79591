import assert from "node:assert/strict";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, it } from "mocha";
import { sha256Hex } from "../../../src/core/digest.ts";
import type { Message } from "../../../src/core/messages.ts";
import { textOf } from "../../../src/core/messages.ts";
import type { ModelRequest } from "../../../src/core/model.ts";
import { contextHash } from "../../../src/core/projection.ts";
import type { LiveSession } from "../../../src/engine/liveSession.ts";
import { createOfflineModel } from "../../../src/models/offline/offlineModel.ts";
import { openSessionStore } from "../../../src/sessions/sessionStore.ts";
import { assistant, calls, result, user } from "../core/messageBuilders.ts";
import { EngineWorld } from "../engine/engineWorld.ts";
import { environment } from "../sessions/sessionBench.ts";
import { assertSendable, automatic, compact, drafter, samples, say, talker, withText } from "./kindWorld.ts";

const RULE = "Never push to main without a review.";
const WIDE = "a line of output\n".repeat(500);

function day(turns = 5, prefix = ""): Message[] {
  return Array.from({ length: turns }, (_, turn) => [
    user(`${prefix}u${turn}`, turn === 1 ? RULE : `Look at part ${turn}.`),
    calls(`${prefix}c${turn}`, `call_${turn}`),
    result(`${prefix}r${turn}`, `call_${turn}`, `${turn} ${WIDE}`),
    assistant(`${prefix}a${turn}`, `Part ${turn} was looked at. ${"It is well made. ".repeat(30)}`),
  ]).flat();
}

async function append(live: LiveSession, messages: readonly Message[]): Promise<void> {
  const entries = messages.map((message) => ({ type: "message", id: message.id, at: 3, message }) as const);
  await live.file.append(entries, "turn");
}

describe("kind 14: data on disk, but the list is empty", () => {
  let world: EngineWorld;
  beforeEach(() => {
    world = new EngineWorld();
  });
  afterEach(() => world.end());

  it("index deleted, index of another kind, one session corrupt: every session is listed, with what it says now", async () => {
    const first = await world.start(day());
    await compact(first, drafter());
    const second = await world.start(day(2));
    const ids = [first.id, second.id].sort();
    await first.dispose();
    await second.dispose();
    const place = world.place.path;
    const indexes = () =>
      readdirSync(place).filter((name) => !name.endsWith(".jsonl") && /index/i.test(name));
    for (const damage of ["delete", "garbage", "nothing", "{}"]) {
      for (const name of indexes()) {
        if (damage === "delete") rmSync(`${place}/${name}`);
        else
          writeFileSync(
            `${place}/${name}`,
            damage === "garbage" ? "\u0000\u0001 not JSON" : damage === "{}" ? "{}" : "",
          );
      }
      const store = openSessionStore(environment(), [place]);
      const list = await store.list();
      assert.deepEqual(list.map(({ id }) => id).sort(), ids, damage);
      assert.equal(list.find(({ id }) => id === first.id)?.generation, 1, damage);
      await store.dispose();
    }
    const log = `${place}/${second.id}.jsonl`;
    const lines = readFileSync(log, "utf8").split("\n");
    writeFileSync(
      log,
      lines.with(2, `{"type":"message","id":"u0","at":1,"mess\u0000\u0000\u0000`).join("\n"),
    );
    const again = await world.open(second.id);
    assert.equal(again.context.transcript.length, day(2).length - 1);
    assert.deepEqual((await world.store.list()).map(({ id }) => id).sort(), ids);
    const { outcome } = await say(again, "Still there?", { model: talker("Yes.", 100_000) });
    assert.equal(outcome.state, "complete");
  });

  it("a folder that was renamed and one that became multi-root: their sessions are opened where they lie", async () => {
    const old = await world.start(day());
    await old.dispose();
    const renamed = new EngineWorld();
    const store = openSessionStore(environment(), [renamed.place.path, world.place.path]);
    assert.deepEqual(
      (await store.list()).map(({ id }) => id),
      [old.id],
    );
    await store.dispose();
    await renamed.end();
  });
});

describe("kind 15: a session is never emptied or overwritten", () => {
  let world: EngineWorld;
  beforeEach(() => {
    world = new EngineWorld();
  });
  afterEach(() => world.end());

  it("killed at any byte of a compaction: opened again it shows the old context or the new one, and goes on", async function () {
    this.timeout(60_000);
    const live = await world.start(day());
    const log = `${world.place.path}/${live.id}.jsonl`;
    const before = { messages: live.context.messages.slice(), length: readFileSync(log).length };
    await compact(live, drafter({ objective: "Grüße aus der Prüfung – 完了" }));
    const evicted = live.file.state.entries.filter(({ type }) => type === "eviction");
    assert.equal(evicted.length, 1);
    const after = live.context.messages.slice();
    await live.dispose();
    const whole = readFileSync(log);
    const seen = new Set<string>();
    const cuts = new Set([before.length, whole.length]);
    for (let at = before.length; at < whole.length; at += 131) cuts.add(at);
    for (let at = before.length; at < whole.length; at += 1) {
      if (whole[at] === 10) for (const near of [at - 1, at, at + 1]) cuts.add(near);
    }
    for (const cut of cuts) {
      writeFileSync(log, whole.subarray(0, cut));
      const opened = await world.open(live.id);
      const shown = opened.context.messages;
      const hash = contextHash(shown, sha256Hex);
      seen.add(hash);
      assert.deepEqual(opened.context.transcript, day(), `cut at ${cut}`);
      const isCompacted = shown.some(({ kind }) => kind === "capsule");
      if (isCompacted) assert.deepEqual(shown, after);
      else assert.equal(shown.length, before.messages.length);
      const { outcome } = await say(opened, "Go on.", { model: talker("Yes.", 100_000) });
      assert.equal(outcome.state, "complete");
      await opened.dispose();
    }
    // As it was, evicted, summarized.
    assert.equal(seen.size, 3);
  });

  it("a byte order mark, a NUL run, a clock that goes back, two writers: nothing that was said is lost", async () => {
    const live = await world.start(day());
    await compact(live, drafter());
    const expected = live.context.messages.slice();
    await live.dispose();
    const log = `${world.place.path}/${live.id}.jsonl`;
    const lines = readFileSync(log, "utf8").split("\n");
    writeFileSync(
      log,
      `\uFEFF${lines.with(5, `\u0000\u0000\u0000${lines[5]}`).join("\n").replaceAll('"at":1,', '"at":0,')}`,
    );
    const again = await world.open(live.id);
    assert.deepEqual(again.context.messages, expected);
    const second = openSessionStore(environment({ windowName: "window B" }), [world.place.path]);
    const other = await second.open(live.id);
    assert.equal(other.readOnly?.reason, "other_window");
    await say(again, "Typed in the first window.", { model: talker("Yes.", 100_000) });
    await other.takeOver();
    await assert.rejects(say(again, "Too late.", { model: talker("Yes.", 100_000) }));
    await other.append(
      [{ type: "message", id: "b", at: 1, message: user("b", "Typed in the second.") }],
      "turn",
    );
    await other.close();
    await second.dispose();
    const last = await world.reload(again);
    const said = last.context.transcript.map(textOf);
    assert.ok(said.includes("Typed in the first window.") && said.includes("Typed in the second."));
    assert.equal(said.includes("Too late."), false);
  });
});

describe("kind 16: there is a way back", () => {
  let world: EngineWorld;
  beforeEach(() => {
    world = new EngineWorld();
    world.settings = { ...automatic({ keepRecentTokens: 1000 }), automatic: "off" };
  });
  afterEach(() => world.end());

  for (const sample of samples()) {
    it(`${sample.name}: compacted twice, undone twice, gone back to an earlier request: the same bytes`, async function () {
      this.timeout(60_000);
      const live = await sample.open(world);
      const offline = createOfflineModel({ name: "Offline", chatReply: "" });
      const model = talker("More. ".repeat(2000), 1_000_000);
      await say(live, "Where do we stand?", { model });
      const hash = (session: LiveSession, length: number) =>
        contextHash(session.context.messages.slice(0, length), sha256Hex);
      const lengths = [live.context.messages.length];
      const hashes = [hash(live, live.context.messages.length)];
      const signal = new AbortController().signal;
      const first = await live.compact({ trigger: "manual", model: offline, signal });
      await say(live, "Go on.", { model });
      lengths.push(live.context.messages.length);
      hashes.push(hash(live, live.context.messages.length));
      const second = await live.compact({ trigger: "manual", model: offline, signal });
      const applied = [first, second].filter(({ state }) => state === "evicted" || state === "summarized");
      assert.ok(applied.length >= 1, `${first.reason}, ${second.reason}`);
      const again = await world.reload(live);
      for (let left = applied.length; left > 0; left -= 1) {
        assert.equal((await again.undo()).ok, true);
        assert.equal(again.context.runs.length, left - 1);
        if (left === applied.length) assert.equal(hash(again, lengths[left - 1] as number), hashes[left - 1]);
      }
      assert.equal(hash(again, lengths[0] as number), hashes[0]);
      assert.deepEqual(await again.undo(), { ok: false, reason: "nothing_to_undo" });
      assert.equal(again.meter.automaticPaused, true);
      const request = again.context.transcript.findLast(
        (message) => textOf(message) === "Where do we stand?",
      );
      await again.branchFrom(request?.id ?? "");
      assert.equal(again.context.messages.at(-1)?.id, request?.id);
      await say(again, "Or rather so.", { model });
      assertSendable(model.requests.at(-1) as ModelRequest, sample.name);
      assert.ok(again.file.state.entries.some(({ type }) => type === "undo"));
    });
  }
});

describe("kind 17: the person sees the summary, corrects it, pins and unpins", () => {
  let world: EngineWorld;
  beforeEach(() => {
    world = new EngineWorld();
  });
  afterEach(() => world.end());

  it("every correction is in the next request that is sent, validated, and on the record", async () => {
    const live = await world.start(day());
    const anchors = [{ kind: "constraint", text: RULE, critical: true, source_segment_id: "u1" }];
    await compact(live, drafter({ anchors }));
    const model = talker("Yes.", 100_000);
    const capsuleSent = async () => {
      await say(live, "And now?", { model });
      const capsule = model.requests.at(-1)?.messages.find(({ kind }) => kind === "capsule");
      return JSON.parse(
        textOf(capsule as Message)
          .split("\n")
          .at(-2) ?? "",
      );
    };
    const texts = async () => (await capsuleSent()).commitments.map(({ text }: { text: string }) => text);
    const key = () => live.context.summary?.anchors.find(({ critical }) => critical)?.key ?? "";
    assert.deepEqual(await texts(), [RULE]);
    assert.equal(
      (await live.changeCommitment({ action: "reword", key: key(), text: "Two reviews." })).ok,
      true,
    );
    assert.deepEqual(await texts(), ["Two reviews."]);
    assert.equal((await live.changeCommitment({ action: "add", text: "Use tabs." })).ok, true);
    assert.deepEqual(await texts(), ["Two reviews.", "Use tabs."]);
    assert.equal((await live.changeCommitment({ action: "retire", key: key() })).ok, true);
    assert.equal((await texts()).includes("Two reviews."), false);
    assert.equal((await live.changeCommitment({ action: "pin", messageId: "u2" })).ok, true);
    await say(live, "And now?", { model });
    assert.equal(withText(model.requests.at(-1) as ModelRequest, "Look at part 2.").length, 1);
    assert.equal((await live.changeCommitment({ action: "unpin", messageId: "u2" })).ok, true);
    await append(live, day(5, "later-"));
    assert.equal((await compact(live, drafter())).state, "summarized");
    await say(live, "And now?", { model });
    assert.equal(withText(model.requests.at(-1) as ModelRequest, "Look at part 2.").length, 0);
    const again = await world.reload(live);
    assert.deepEqual(again.context.messages, live.context.messages);
    assert.equal(again.context.statementIds.size, 3);
  });
});
