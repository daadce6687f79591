import assert from "node:assert/strict";
import { describe, it } from "mocha";
import { createBudgetMeter } from "../../../../src/core/budget/budgetMeter.ts";
import type { RunBudget } from "../../../../src/core/budget/runBudget.ts";
import { ModelError } from "../../../../src/core/model.ts";
import type { RunReceipt } from "../../../../src/core/run/runReceipt.ts";
import { callOf, openCalls, ReplyingModel, RunWorld, readsFiles, readTool, Summarizer } from "./runWorld.ts";

const CAP = 1000;

function stop(maxTokens: number, changes: object = {}): RunBudget {
  return { maxTokens, onExhausted: "stop", ...changes };
}

/** Upper count of the first request of `Read the files.`, with no tools. */
async function firstBound(): Promise<number> {
  const result = await new RunWorld({ model: new ReplyingModel([{ usage: null }]), tools: [] }).run({
    budget: stop(100_000),
  });
  return result.receipt.calls[0]?.inputTokens ?? 0;
}

describe("a run in a budget", () => {
  it("pays every call from it: reserve before, what was measured after", async () => {
    const meter = createBudgetMeter(stop(100_000));
    const reserved: number[] = [];
    const model = new ReplyingModel(readsFiles(2));
    const stream = model.stream.bind(model);
    model.stream = (request, signal) => {
      reserved.push(meter.reading.reserved);
      return stream(request, signal);
    };
    const result = await new RunWorld({ model }).run({ meter });
    assert.deepEqual(
      [result.stopReason, meter.reading.spent, meter.reading.reserved],
      ["complete", 3 * 110, 0],
    );
    assert.ok(reserved.every((hold) => hold > CAP));
    assert.equal(result.receipt.budget?.spent, 330);
  });

  it("stop is a result with partial work", async () => {
    const model = new ReplyingModel(readsFiles(50, { inputTokens: 100, outputTokens: 200 }));
    const result = await new RunWorld({ model }).run({ budget: stop(4000) });
    assert.equal(result.stopReason, "budget_exhausted");
    assert.ok(model.requests.length > 2 && model.requests.length < 13);
    assert.equal(result.receipt.totals.toolCalls, model.requests.length);
    assert.deepEqual(openCalls(result.messages), []);
    assert.ok((result.receipt.budget?.spent ?? 0) <= 4000);
    assert.equal(result.receipt.budget?.breachedBy, 0);
  });

  it("clamp is the largest affordable, one under the floor stops", async () => {
    const bound = await firstBound();
    const runWith = async (maxTokens: number) => {
      const model = new ReplyingModel([{ text: "ok" }]);
      const world = new RunWorld({ model, tools: [] });
      const { stopReason, receipt } = await world.run({ budget: stop(maxTokens) });
      const [call] = receipt.calls;
      return [stopReason, model.requests[0]?.maxOutputTokens, call?.clampedToTokens, call?.outputCapTokens];
    };
    assert.deepEqual(await runWith(bound + CAP), ["complete", CAP, null, CAP]);
    assert.deepEqual(await runWith(bound + CAP - 1), ["complete", CAP - 1, CAP - 1, CAP]);
    assert.deepEqual(await runWith(bound + 256), ["complete", 256, 256, CAP]);
    assert.deepEqual(await runWith(bound + 255), ["budget_exhausted", undefined, undefined, undefined]);
  });

  it("a reply that the clamp cut off ends as budget_exhausted, one that its own cap cut off as complete", async () => {
    const bound = await firstBound();
    const cut = { text: "so f", finish: "length" } as const;
    const runWith = (maxTokens: number) =>
      new RunWorld({ model: new ReplyingModel([cut]), tools: [] }).run({ budget: stop(maxTokens) });
    assert.equal((await runWith(bound + 500)).stopReason, "budget_exhausted");
    const whole = await runWith(bound + CAP);
    assert.deepEqual([whole.stopReason, whole.finishReason], ["complete", "length"]);
  });

  it("settle above reserve booked and breach exact: flagged, and terminal for what the reply asked for", async () => {
    const usage = { inputTokens: 9000, outputTokens: 2345 };
    let carriedOut = 0;
    const read = { ...readTool(), execute: () => `text ${++carriedOut}` };
    const model = new ReplyingModel([{ ...callOf("a"), usage }]);
    const result = await new RunWorld({ model, tools: [read] }).run({ budget: stop(10_000) });
    assert.deepEqual(
      [result.stopReason, result.receipt.budget?.breachedBy, carriedOut, model.requests.length],
      ["budget_exhausted", 1345, 0, 1],
    );
    assert.deepEqual(openCalls(result.messages), []);
    assert.equal(result.receipt.calls[0]?.settlement, "measured");
  });

  for (const [what, usage] of [
    ["NaN", { inputTokens: Number.NaN, outputTokens: 3 }],
    ["no report", null],
  ] as const) {
    it(`NaN settles the hold: ${what}`, async () => {
      const result = await new RunWorld({ model: new ReplyingModel([{ text: "ok", usage }]), tools: [] }).run(
        {
          budget: stop(50_000),
        },
      );
      const [call] = result.receipt.calls;
      assert.deepEqual([call?.settlement, call?.basis, call?.outputTokens], ["held", "estimated", CAP]);
      assert.equal(result.receipt.budget?.spent, (call?.inputTokens ?? 0) + CAP);
      assert.equal(result.messages.at(-1)?.usage, undefined);
    });
  }

  it("unopened stream unbilled, broken one settles the hold", async () => {
    const failure = new ModelError("rate", "slow down");
    const spentBy = async (reply: object) => {
      const model = new ReplyingModel([reply]);
      const { receipt } = await new RunWorld({ model, tools: [] }).run({ budget: stop(50_000) });
      return [receipt.stopReason, receipt.calls[0]?.settlement, receipt.budget?.spent];
    };
    const whole = (await firstBound()) + CAP;
    assert.deepEqual(await spentBy({ failsAtOnce: failure }), ["provider_error", "unbilled", 0]);
    assert.deepEqual(await spentBy({ text: "so f", breaks: failure }), ["provider_error", "held", whole]);
  });

  it("a cancel before the first word is unbilled, whatever the model does then; after it the hold is booked", async () => {
    const spentBy = async (text: string | undefined) => {
      const abort = new AbortController();
      const model = new ReplyingModel([
        { usage: null, hangs: true, ...(text === undefined ? {} : { text }) },
      ]);
      const world = new RunWorld({ model, tools: [] });
      const running = world.run({ budget: stop(50_000), signal: abort.signal });
      while (world.eventsOf(text === undefined ? "call" : "text").length === 0) {
        await new Promise((resolve) => setImmediate(resolve));
      }
      abort.abort();
      return (await running).receipt.calls[0]?.settlement;
    };
    assert.deepEqual([await spentBy(undefined), await spentBy("So")], ["unbilled", "held"]);
  });

  it("parallel reserves: runs side by side never share a remainder", async () => {
    const meter = createBudgetMeter(stop(6000));
    const runs = Array.from({ length: 8 }, (_, at) => {
      const model = new ReplyingModel(readsFiles(10, { inputTokens: 100, outputTokens: 200 }));
      let ids = 0;
      return new RunWorld({ model, newId: () => `run-${at}-${++ids}` }).run({ meter });
    });
    const results = await Promise.all(runs);
    assert.ok(results.some(({ stopReason }) => stopReason === "budget_exhausted"));
    assert.deepEqual([meter.reading.breachedBy, meter.reading.reserved], [0, 0]);
    const spent = results.reduce((sum, { receipt }) => sum + (receipt.budget?.spent ?? 0), 0);
    assert.equal(spent, meter.reading.spent);
  });

  it("without a budget no count is asked for, and the receipt has none", async () => {
    const model = new ReplyingModel([{ text: "ok" }]);
    let asked = 0;
    model.countTokens = async () => ++asked;
    const result = await new RunWorld({ model }).run();
    assert.deepEqual([asked, result.receipt.budget, result.receipt.calls[0]?.inputTokens], [0, null, 100]);
  });

  it("never sends a request whose upper count is above the window", async () => {
    const model = new ReplyingModel([{ text: "ok" }], { maxInputTokens: 50 });
    model.countTokens = async (text) => text.length;
    const result = await new RunWorld({ model }).run({ budget: stop(50_000) });
    assert.deepEqual([result.stopReason, model.requests.length], ["context_full", 0]);
  });

  it("refuses a budget beside a meter, and a bad one, before any call", async () => {
    const model = new ReplyingModel([{ text: "ok" }]);
    const world = new RunWorld({ model });
    const meter = createBudgetMeter(stop(100));
    const isInvalid = (error: unknown) => (error as { code?: string }).code === "invalid_options";
    await assert.rejects(world.run({ budget: stop(100), meter }), isInvalid);
    await assert.rejects(world.run({ budget: stop(0) }), isInvalid);
    assert.deepEqual([model.requests.length, world.session.messages().length], [0, 0]);
  });
});

describe("a run in a budget in USD", () => {
  const worker = { inputUsdPerMillion: 3, outputUsdPerMillion: 15 };
  const dollars = (changes: object = {}): RunBudget => ({ maxUsd: 1, onExhausted: "compact", ...changes });

  it("unpriced refused before any call: the model, and the summarizer that may be paid", async () => {
    const isRefused = (name: string) => (error: unknown) => {
      const { code, message } = error as { code: string; message: string };
      return code === "invalid_options" && message.includes(`no price for the model "${name}"`);
    };
    const model = new ReplyingModel([{ text: "ok" }]);
    const world = new RunWorld({ model, summarizer: new Summarizer() });
    await assert.rejects(world.run({ budget: dollars() }), isRefused("test/worker"));
    const prices = { "test/worker": worker };
    await assert.rejects(world.run({ budget: dollars(), prices }), isRefused("test/summarizer"));
    assert.equal(model.requests.length, 0);
    assert.equal(
      (await world.run({ budget: { maxUsd: 1, onExhausted: "stop" }, prices })).stopReason,
      "complete",
    );
    const none = dollars({ compaction: { maxCompactions: 0 } });
    assert.equal((await world.run({ budget: none, prices })).stopReason, "complete");
  });

  it("counts what calls cost, to a thousand-millionth", async () => {
    const usage = { inputTokens: 1000, outputTokens: 100, cacheReadTokens: 600 };
    const prices = { "test/worker": { ...worker, cacheReadUsdPerMillion: 0.3 } };
    const world = new RunWorld({ model: new ReplyingModel([{ text: "ok", usage }]) });
    const { receipt } = await world.run({ budget: { maxUsd: 1, onExhausted: "stop" }, prices });
    const nano = 400 * 3000 + 600 * 300 + 100 * 15_000;
    assert.deepEqual([receipt.calls[0]?.costNanoUsd, receipt.budget?.spent], [nano, nano]);
  });

  it("clamps by the price of output", async () => {
    const bound = await firstBound();
    const model = new ReplyingModel([{ text: "ok" }]);
    const budget: RunBudget = { maxUsd: (bound * 3000 + 500 * 15_000 + 14_999) / 1e9, onExhausted: "stop" };
    const prices = { "test/worker": worker };
    const { receipt }: { receipt: RunReceipt } = await new RunWorld({ model, tools: [] }).run({
      budget,
      prices,
    });
    assert.equal(receipt.calls[0]?.clampedToTokens, 500);
  });
});
