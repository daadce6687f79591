import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "mocha";
import { estimateContext } from "../../../src/core/estimate.ts";
import type { Message, Usage } from "../../../src/core/messages.ts";
import { textOf } from "../../../src/core/messages.ts";
import type { ModelChunk } from "../../../src/core/model.ts";
import type { LiveSession } from "../../../src/engine/liveSession.ts";
import { draftText, ScriptedModel } from "../core/ladderWorld.ts";
import { assistant, textOfTokens, user } from "../core/messageBuilders.ts";
import { EngineWorld } from "../engine/engineWorld.ts";
import { automatic, compact, drafter, say, talker, until } from "./kindWorld.ts";

const WINDOW = 8000;
const LINE = 6000;

class OtherModel extends ScriptedModel {
  override readonly id = "test/other";
}

function used(inputTokens: number, outputTokens = 0): () => Usage {
  return () => ({ inputTokens, outputTokens });
}

function day(turns = 6): Message[] {
  return Array.from({ length: turns }, (_, turn) => [
    user(`u${turn}`, `Look at part ${turn}.`),
    assistant(`a${turn}`, `Part ${turn} was looked at. ${"It is well made. ".repeat(180)}`),
  ]).flat();
}

describe("kind 9: the meter's numerator", () => {
  let world: EngineWorld;
  beforeEach(() => {
    world = new EngineWorld();
    world.settings = { ...automatic(), automatic: "off", estimatedMode: false };
  });
  afterEach(() => world.end());

  it("is what the model read, cached or not, with what it wrote", async () => {
    const live = await world.start(day());
    const usage = { inputTokens: 5200, outputTokens: 300, cacheReadTokens: 5000, cacheWriteTokens: 100 };
    await say(live, "Go on.", { model: talker("Yes.", WINDOW, () => usage) });
    assert.deepEqual([live.meter.usedTokens, live.meter.basis], [5500, "reported"]);
    const again = await world.reload(live);
    assert.deepEqual([again.meter.usedTokens, again.meter.basis], [5500, "reported"]);
  });

  it("takes the last of cumulative snapshots, and adds none up", async () => {
    const live = await world.start(day());
    const model = new ScriptedModel(async function* (): AsyncGenerator<ModelChunk> {
      for (let part = 1; part <= 5; part += 1) {
        yield { type: "text", text: "part " };
        yield { type: "usage", usage: { inputTokens: 5000, outputTokens: part * 10 } };
      }
    }, WINDOW);
    await say(live, "Go on.", { model });
    assert.equal(live.meter.usedTokens, 5050);
  });

  for (const [name, usage] of [
    ["0", used(0)],
    ["negative", used(-7)],
    ["NaN", used(Number.NaN, 10)],
    ["infinite", used(Number.POSITIVE_INFINITY)],
    ["4", used(4)],
    ["under half of our own count", used(2300)],
  ] as const) {
    it(`does not believe ${name}, keeps the reply, and reads the same after a reload`, async () => {
      const live = await world.start(day());
      const { outcome } = await say(live, "Go on.", { model: talker("Yes.", WINDOW, usage) });
      assert.equal(outcome.state, "complete");
      const own = estimateContext(live.context.messages);
      assert.deepEqual([live.meter.usedTokens, live.meter.basis], [own, "estimated"]);
      const again = await world.reload(live);
      assert.deepEqual([again.meter.usedTokens, again.meter.basis], [own, "estimated"]);
      assert.equal(again.context.messages.length, 14);
    });
  }

  it("believes a number above the window: it is full, over 100 %", async () => {
    const live = await world.start(day());
    await say(live, "Go on.", { model: talker("Yes.", WINDOW, used(9000)) });
    assert.deepEqual([live.meter.usedTokens, live.meter.level], [9000, "over_line"]);
    assert.equal(live.meter.fraction, 9000 / WINDOW);
  });

  it("counts strings with the provider's own counter, and does not believe 0, 3, 4 or a counter that throws", async () => {
    const answers: readonly [
      string,
      (text: string) => Promise<number | undefined>,
      "counted" | "estimated",
    ][] = [
      ["a real count", (text) => Promise.resolve(Math.ceil(text.length / 3)), "counted"],
      ["0", () => Promise.resolve(0), "estimated"],
      ["3", () => Promise.resolve(3), "estimated"],
      ["4", () => Promise.resolve(4), "estimated"],
      ["NaN", () => Promise.resolve(Number.NaN), "estimated"],
      ["infinite", () => Promise.resolve(Number.POSITIVE_INFINITY), "estimated"],
      ["an error", () => Promise.reject(new Error("no")), "estimated"],
    ];
    for (const [name, countTokens, basis] of answers) {
      const live = await world.start(day());
      const model = talker("Yes.", WINDOW);
      const counted: unknown[] = [];
      model.countTokens = (text) => {
        counted.push(text);
        return countTokens(text);
      };
      const { outcome } = await say(live, "Go on.", { model });
      assert.deepEqual([outcome.state, live.meter.basis], ["complete", basis], name);
      assert.ok(counted.every((text) => typeof text === "string"));
    }
  });

  it("a counter that throws or lies does not end a compaction: the request is sized by its bytes", async () => {
    for (const countTokens of [
      () => Promise.reject(new Error("no")),
      () => {
        throw new Error("at once");
      },
      () => Promise.resolve(Number.POSITIVE_INFINITY),
    ]) {
      const live = await world.start(day());
      const model = drafter();
      model.countTokens = countTokens;
      const outcome = await compact(live, model);
      assert.equal(outcome.state, "summarized", `${outcome.reason} ${outcome.error?.message}`);
    }
  });

  it("a number for a context that a compaction replaced meanwhile is none for the new one", async () => {
    const live = await world.start(day(8));
    const gate = Promise.withResolvers<void>();
    const model = new ScriptedModel(async function* (): AsyncGenerator<ModelChunk> {
      yield { type: "text", text: "Yes." };
      await gate.promise;
      yield { type: "usage", usage: { inputTokens: 7000, outputTokens: 10 } };
    }, WINDOW);
    const talking = say(live, "Go on.", { model });
    await until(() => model.requests.length === 1);
    const outcome = await compact(live, drafter());
    assert.equal(outcome.state, "summarized");
    gate.resolve();
    assert.equal((await talking).outcome.usage?.inputTokens, 7000);
    assert.ok((live.meter.usedTokens ?? 0) < 3000, `${live.meter.usedTokens} of ${live.meter.basis}`);
    const again = await world.reload(live);
    assert.equal(again.meter.usedTokens, live.meter.usedTokens);
  });

  it("messages that come while a run is under way count in full after it", async () => {
    const live = await world.start(day(8));
    const model = talker("Yes.", WINDOW, used(7000, 100));
    await say(live, "Go on.", { model });
    const slow = new ScriptedModel(async function* (): AsyncGenerator<ModelChunk> {
      await gate.promise;
      yield { type: "text", text: draftText() };
    });
    const gate = Promise.withResolvers<void>();
    const running = compact(live, slow);
    await until(() => slow.requests.length === 1);
    const typed = user("typed", textOfTokens(1500));
    await live.file.append([{ type: "message", id: "typed", at: 5, message: typed }], "turn");
    await until(() => live.context.transcript.at(-1)?.id === "typed");
    const before = live.meter.usedTokens ?? 0;
    const ownBefore = estimateContext(live.context.messages);
    gate.resolve();
    assert.equal((await running).state, "summarized");
    const ownAfter = estimateContext(live.context.messages);
    assert.equal(live.meter.basis, "projected");
    assert.equal(live.meter.usedTokens, Math.round((before * ownAfter) / ownBefore));
  });
});

describe("kind 11: the meter is fresh after compaction, undo, the hand, reload and a switch of the model", () => {
  let world: EngineWorld;
  beforeEach(() => {
    world = new EngineWorld();
    world.settings = { ...automatic(), automatic: "off" };
  });
  afterEach(() => world.end());

  it("each tells its listeners, and none needs a request", async () => {
    const live = await world.start(day(8));
    const model = talker("Yes.", WINDOW, used(7000, 100));
    await say(live, "Go on.", { model });
    let told = 0;
    live.onDidChange(() => {
      told += 1;
    });
    const fresh = async (what: string, work: () => Promise<unknown>) => {
      const [tellings, before] = [told, live.meter.usedTokens];
      await work();
      assert.ok(told > tellings, what);
      assert.notEqual(live.meter.usedTokens, before, what);
    };
    await fresh("compaction", () => compact(live, drafter()));
    const after = live.meter;
    assert.ok((after.usedTokens ?? 0) < 3000 && after.basis === "projected");
    await fresh("a pin of a message that left", () =>
      live.changeCommitment({ action: "pin", messageId: "a1" }),
    );
    await fresh("a commitment", () =>
      live.changeCommitment({ action: "add", text: "Never push on a Friday." }),
    );
    await fresh("undo", () => live.undo());
    assert.ok((live.meter.usedTokens ?? 0) > 6500);
    await fresh("another model", () => live.setModel(new OtherModel("Yes.", 200_000)));
    await fresh("the model of before", () => live.setModel(model));
    assert.deepEqual([live.meter.window, live.meter.triggerLine], [WINDOW, LINE]);
    world.settings = { ...world.settings, policy: { ...world.settings.policy, budget: 4000 } };
    live.settingsChanged();
    assert.equal(live.meter.triggerLine, 3000);
    const { usedTokens, basis } = live.meter;
    const again = await world.reload(live);
    assert.deepEqual([again.meter.usedTokens, again.meter.basis], [usedTokens, basis]);
    assert.equal(model.requests.length, 1);
  });

  it("numbers of another model are none of this one's", async () => {
    const live = await world.start(day(4));
    await say(live, "Go on.", { model: talker("Yes.", WINDOW, used(7000)) });
    await live.setModel(new OtherModel("Yes.", 100_000));
    assert.equal(live.meter.basis, "estimated");
    assert.equal(live.meter.usedTokens, estimateContext(live.context.messages));
  });
});

describe("kind 12: window pressure acts exactly where the meter draws its line", () => {
  let world: EngineWorld;
  beforeEach(() => {
    world = new EngineWorld();
  });
  afterEach(() => world.end());

  /** A session whose next request, a question of 20 tokens in, has exactly so many. */
  const bases: readonly [string, (tokens: number) => Promise<LiveSession>][] = [
    [
      "estimated",
      async (tokens) =>
        world.start([user("u", "Hi"), assistant("a", textOfTokens(Math.max(4, tokens - 24)))]),
    ],
    [
      "imported",
      async (tokens) => {
        const [hello, reply] = [user("u", "Hi"), assistant("a", textOfTokens(4))];
        const usage = { inputTokens: Math.max(10, tokens - 20), outputTokens: 0 };
        const id = await world.store.create({
          title: "Imported",
          entries: [
            { type: "message", id: "u", at: 1, message: hello },
            { type: "message", id: "a", at: 1, message: { ...reply, usage }, usageBasis: "imported" },
          ],
        });
        return world.open(id);
      },
    ],
    [
      "projected",
      async (tokens) => {
        const live = await world.start([]);
        const usage = used(Math.max(10, tokens - 20));
        await say(live, "Hi", { model: talker("Yes.", WINDOW, usage) });
        return live;
      },
    ],
  ];

  for (const [basis, start] of bases) {
    it(`from 0 to 110 % of the window, by numbers that are ${basis}`, async function () {
      this.timeout(60_000);
      const levels = Array.from({ length: 111 }, (_, percent) => Math.round((percent * WINDOW) / 100));
      let acted = 0;
      for (const tokens of [...levels, LINE - 1, LINE, LINE + 1]) {
        world.settings = automatic();
        const live = await start(tokens);
        const summarizer = drafter();
        let asked: { readonly level: string; readonly used: number | undefined } | undefined;
        const question = textOfTokens(20);
        let shown: number | undefined;
        live.onDidChange(() => {
          if (asked === undefined && textOf(live.context.transcript.at(-1) as Message) === question)
            shown = live.meter.usedTokens;
        });
        world.settings = { ...automatic(), automatic: "ask" };
        const { runs } = await say(live, question, {
          model: talker("Yes.", WINDOW),
          summarizer,
          mayCompact: (meter) => {
            asked = { level: meter.level, used: meter.usedTokens };
            return Promise.resolve(true);
          },
        });
        if (tokens > 40) assert.equal(shown, tokens);
        const isOver = (shown ?? 0) >= LINE;
        assert.equal(asked !== undefined, isOver, `${tokens} tokens`);
        if (asked !== undefined) assert.deepEqual(asked, { level: "over_line", used: tokens });
        assert.equal(runs.length, isOver ? 1 : 0);
        assert.notEqual(runs[0]?.reason, "below_trigger_line");
        acted += runs.length;
        await live.dispose();
      }
      assert.equal(acted, levels.filter((tokens) => tokens >= LINE).length + 2);
    });
  }
});
