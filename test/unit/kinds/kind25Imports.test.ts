import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "mocha";
import { isUserSource, textOf } from "../../../src/core/messages.ts";
import type { ModelRequest } from "../../../src/core/model.ts";
import { createOfflineModel } from "../../../src/models/offline/offlineModel.ts";
import { claudeCodeFile } from "../../demo/sessions/claudeCode.mts";
import { tideTables } from "../../demo/sessions/tideTables.mts";
import { EngineWorld } from "../engine/engineWorld.ts";
import { assertSendable, automatic, bytesOf, importFile, samples, say, talker } from "./kindWorld.ts";

describe("kind 25: files of other agents", () => {
  let world: EngineWorld;
  beforeEach(() => {
    world = new EngineWorld();
    world.settings = { ...automatic({ keepRecentTokens: 1000 }), automatic: "off" };
  });
  afterEach(() => world.end());

  for (const sample of samples()) {
    it(`${sample.name}, cut in its last line, with unknown records: chats, compacts, undoes`, async function () {
      this.timeout(60_000);
      const text = sample.text();
      const isLines = sample.name.endsWith(".jsonl");
      const lines = text.trimEnd().split("\n");
      const last = lines.at(-1) ?? "";
      const damaged = isLines
        ? [
            ...lines.slice(0, -1),
            '{"type":"a-record-of-tomorrow","payload":{"n":1}}',
            "no JSON at all",
            last.slice(0, last.length >> 1),
          ].join("\n")
        : text;
      const whole = await sample.open(world);
      const live = await importFile(world, sample.name, bytesOf(damaged));
      const users = (session: typeof live) => session.context.transcript.filter(isUserSource).map(textOf);
      // What the last line said may be missing, and nothing else.
      const [cut, all] = [users(live), users(whole)];
      assert.ok(all.length - cut.length <= 1, `${cut.length} of ${all.length}`);
      if (isLines) {
        const foreign = live.file.state.entries.filter(({ type }) => type === "foreign").length;
        assert.ok(foreign >= 3, `${foreign} lines kept as they are`);
      }
      const model = talker("It is all there.", 1_000_000);
      await say(live, "Where do we stand?", { model });
      assertSendable(model.requests.at(-1) as ModelRequest, sample.name);
      const before = live.context.messages.slice();
      const offline = createOfflineModel({ name: "Offline", chatReply: "" });
      const outcome = await live.compact({
        trigger: "manual",
        model: offline,
        signal: new AbortController().signal,
      });
      if (outcome.state !== "evicted" && outcome.state !== "summarized") {
        assert.ok(["nothing_leaves", "gain_too_small"].includes(outcome.reason), outcome.reason);
        return;
      }
      const again = await world.reload(live);
      assert.deepEqual(again.context.messages, outcome.messages);
      assert.equal((await again.undo()).ok, true);
      assert.deepEqual(again.context.messages, before);
    });
  }

  it("one message over several lines with the usage repeated in each: counted once", async () => {
    const text = claudeCodeFile(tideTables());
    const live = await importFile(world, "tide.jsonl", bytesOf(text));
    const withUsage = live.context.transcript.filter(({ usage }) => usage !== undefined);
    assert.ok(withUsage.length > 10);
    assert.equal(new Set(withUsage.map(({ id }) => id)).size, withUsage.length);
    assert.equal(live.meter.basis, "imported");
    const last = withUsage.at(-1)?.usage;
    const used = live.meter.usedTokens ?? 0;
    assert.ok(last !== undefined && Math.abs(used - last.inputTokens - last.outputTokens) < 3000, `${used}`);
  });

  it("an imported number starts no run by itself; with estimates turned on the run rests on the number of the meter", async () => {
    const text = claudeCodeFile(tideTables());
    const window = 72_000;
    for (const estimatedMode of [false, true]) {
      world.settings = { ...automatic({ budget: 40_000 }), estimatedMode };
      const live = await importFile(world, "tide.jsonl", bytesOf(text));
      const summarizer = createOfflineModel({ name: "Offline", chatReply: "" });
      const { runs, outcome } = await say(live, "Go on.", { model: talker("Yes.", window), summarizer });
      assert.equal(runs.length, estimatedMode ? 1 : 0);
      if (!estimatedMode) {
        assert.equal(outcome.state, "stopped");
        continue;
      }
      assert.ok(runs[0]?.state === "summarized" || runs[0]?.state === "evicted", runs[0]?.reason);
      assert.equal(runs[0]?.receipts[0]?.basis, "imported");
      assert.equal(outcome.state, "complete");
    }
  });
});
