import assert from "node:assert/strict";
import { describe, it } from "mocha";
import type { BudgetHold, BudgetMeter } from "../../../../src/core/budget/budgetMeter.ts";
import { createBudgetMeter, replayBudgetMeter } from "../../../../src/core/budget/budgetMeter.ts";
import type { MeterRecord } from "../../../../src/core/budget/meterRecord.ts";
import type { ModelPrice } from "../../../../src/core/budget/prices.ts";
import type { RunBudget } from "../../../../src/core/budget/runBudget.ts";
import type { Usage } from "../../../../src/core/messages.ts";

const MODEL = "test/model";
const PRICE: ModelPrice = {
  inputUsdPerMillion: 3,
  outputUsdPerMillion: 15,
  cacheReadUsdPerMillion: 0.3,
  cacheWriteUsdPerMillion: 3.75,
};
const TOKENS: RunBudget = { maxTokens: 1000, onExhausted: "stop" };
const DOLLARS: RunBudget = { maxUsd: 0.01, onExhausted: "stop" };

let ids = 0;
function call(inputTokens: number, outputTokens: number, modelId = MODEL) {
  ids += 1;
  const shared = { callId: `call-${ids}`, modelId, purpose: "work", basis: "estimated" } as const;
  return { ...shared, inputTokens, outputTokens };
}

function held(meter: BudgetMeter, inputTokens: number, outputTokens: number): BudgetHold {
  const reservation = meter.reserve(call(inputTokens, outputTokens));
  assert.ok(reservation.ok);
  return reservation.hold;
}

const isCoded = (code: string) => (error: unknown) => (error as { code?: string }).code === code;

describe("the budget meter", () => {
  it("puts the cold cost by before a call and books what was measured", () => {
    const meter = createBudgetMeter(TOKENS);
    const hold = held(meter, 300, 100);
    assert.deepEqual(meter.reading, {
      unit: "tokens",
      maximum: 1000,
      spent: 0,
      reserved: 400,
      remaining: 600,
      breachedBy: 0,
    });
    hold.settle({ inputTokens: 120, outputTokens: 30 });
    assert.deepEqual([meter.reading.spent, meter.reading.reserved, meter.reading.remaining], [150, 0, 850]);
  });

  it("parallel reserves never share a remainder", () => {
    const meter = createBudgetMeter(TOKENS);
    const first = held(meter, 500, 100);
    assert.deepEqual(meter.reserve(call(300, 101)), {
      ok: false,
      reason: "exhausted",
      needed: 401,
      remaining: 400,
    });
    const second = held(meter, 300, 100);
    assert.equal(meter.reading.remaining, 0);
    first.settle({ inputTokens: 10, outputTokens: 0 });
    second.settle({ inputTokens: 10, outputTokens: 0 });
    assert.equal(meter.reading.remaining, 980);
  });

  it("takes the whole remainder and not one token more", () => {
    const meter = createBudgetMeter(TOKENS);
    assert.equal(meter.reserve(call(901, 100)).ok, false);
    assert.equal(meter.reserve(call(900, 100)).ok, true);
  });

  it("settle above reserve booked and breach exact", () => {
    const meter = createBudgetMeter(TOKENS);
    held(meter, 900, 100).settle({ inputTokens: 1200, outputTokens: 37 });
    assert.deepEqual([meter.reading.spent, meter.reading.breachedBy], [1237, 237]);
    assert.deepEqual(meter.reserve(call(0, 0)), { ok: false, reason: "breached", needed: 0, remaining: 0 });
  });

  it("exactly the maximum is no breach", () => {
    const meter = createBudgetMeter(TOKENS);
    held(meter, 900, 100).settle({ inputTokens: 990, outputTokens: 10 });
    assert.deepEqual([meter.reading.breachedBy, meter.reading.remaining], [0, 0]);
  });

  const unreadable: readonly (readonly [string, Usage | undefined])[] = [
    ["none at all", undefined],
    ["NaN", { inputTokens: Number.NaN, outputTokens: 5 }],
    ["NaN written", { inputTokens: 5, outputTokens: Number.NaN }],
    ["a negative number", { inputTokens: -5, outputTokens: 5 }],
    ["endless", { inputTokens: Number.POSITIVE_INFINITY, outputTokens: 5 }],
    ["a fraction", { inputTokens: 5.5, outputTokens: 5 }],
    ["nothing read", { inputTokens: 0, outputTokens: 5 }],
    ["no number", { inputTokens: "5" as unknown as number, outputTokens: 5 }],
  ];
  for (const [what, usage] of unreadable) {
    it(`NaN settles the hold: ${what}`, () => {
      const meter = createBudgetMeter(TOKENS);
      const settled = held(meter, 300, 100).settle(usage);
      assert.equal(settled.settlement, "held");
      assert.deepEqual([meter.reading.spent, meter.reading.reserved, meter.state.heldCalls], [400, 0, 1]);
    });
  }

  it("double settle throws", () => {
    const ways: ((hold: BudgetHold) => unknown)[] = [
      (hold) => hold.settle({ inputTokens: 1, outputTokens: 1 }),
      (hold) => hold.settleBroken(),
      (hold) => hold.release(),
    ];
    for (const first of ways) {
      for (const second of ways) {
        const meter = createBudgetMeter(TOKENS);
        const hold = held(meter, 10, 10);
        first(hold);
        const { spent } = meter.reading;
        assert.throws(() => second(hold), isCoded("already_settled"));
        assert.equal(meter.reading.spent, spent);
      }
    }
  });

  it("unopened stream unbilled, broken one settles the hold", () => {
    const meter = createBudgetMeter(TOKENS);
    held(meter, 300, 100).release();
    assert.deepEqual([meter.reading.spent, meter.reading.reserved], [0, 0]);
    held(meter, 300, 100).settleBroken({ inputTokens: 20, outputTokens: 1 });
    assert.equal(meter.reading.spent, 400);
  });

  it("a report before the break that is above the hold counts", () => {
    const meter = createBudgetMeter(TOKENS);
    held(meter, 300, 100).settleBroken({ inputTokens: 350, outputTokens: 1 });
    assert.equal(meter.reading.spent, 450);
  });

  it("two calls under way never have one id", () => {
    const meter = createBudgetMeter(TOKENS);
    const one = call(1, 1);
    meter.reserve(one);
    assert.throws(() => meter.reserve(one), isCoded("invalid_options"));
  });

  it("refuses a call of no number of tokens", () => {
    for (const bad of [Number.NaN, -1, 1.5, 1e13]) {
      assert.throws(() => createBudgetMeter(TOKENS).reserve(call(bad, 1)), isCoded("invalid_options"));
      assert.throws(() => createBudgetMeter(TOKENS).reserve(call(1, bad)), isCoded("invalid_options"));
    }
  });

  it("without a budget it counts and never refuses", () => {
    const meter = createBudgetMeter(undefined);
    held(meter, 1_000_000, 1000).settle({ inputTokens: 999_999, outputTokens: 1 });
    assert.deepEqual(
      [meter.reading.maximum, meter.reading.spent, meter.reading.remaining],
      [undefined, 1_000_000, Number.POSITIVE_INFINITY],
    );
  });
});

describe("the budget meter in USD", () => {
  const prices = { [MODEL]: PRICE };

  it("unpriced refused, never priced 0", () => {
    const meter = createBudgetMeter(DOLLARS, { prices });
    assert.throws(
      () => meter.reserve(call(1, 1, "test/other")),
      (error: unknown) => {
        const { code, message } = error as { code: string; message: string };
        assert.equal(code, "invalid_options");
        assert.match(message, /no price for the model "test\/other".*give its price, or declare "maxTokens"/);
        return true;
      },
    );
    assert.throws(() => createBudgetMeter(DOLLARS).requirePriced(MODEL), isCoded("invalid_options"));
    assert.throws(
      () => createBudgetMeter(DOLLARS).reserve(call(1, 1, "constructor")),
      isCoded("invalid_options"),
    );
  });

  it("a price of 0 that somebody gave is a price", () => {
    const free = { inputUsdPerMillion: 0, outputUsdPerMillion: 0 };
    const meter = createBudgetMeter(DOLLARS, { prices: () => free });
    held(meter, 1_000_000, 1000).settle({ inputTokens: 5, outputTokens: 5 });
    assert.equal(meter.reading.spent, 0);
  });

  it("a price that cannot be is refused", () => {
    for (const inputUsdPerMillion of [
      Number.NaN,
      -1,
      Number.POSITIVE_INFINITY,
      undefined as unknown as number,
    ]) {
      const meter = createBudgetMeter(DOLLARS, { prices: { [MODEL]: { ...PRICE, inputUsdPerMillion } } });
      assert.throws(() => meter.reserve(call(1, 1)), isCoded("invalid_options"));
    }
  });

  it("puts the dearest by, nothing cached, and books each class at its price", () => {
    const meter = createBudgetMeter(DOLLARS, { prices });
    const hold = held(meter, 1000, 100);
    assert.equal(meter.reading.reserved, 1000 * 3750 + 100 * 15_000);
    const usage = { inputTokens: 1000, outputTokens: 40, cacheReadTokens: 700, cacheWriteTokens: 200 };
    const settled = hold.settle(usage);
    assert.equal(settled.nanoUsd, 100 * 3000 + 700 * 300 + 200 * 3750 + 40 * 15_000);
    assert.equal(meter.reading.spent, settled.nanoUsd);
  });

  it("cache classes that cannot be count as read uncached", () => {
    const meter = createBudgetMeter(DOLLARS, { prices });
    const usage = { inputTokens: 100, outputTokens: 0, cacheReadTokens: 101 };
    assert.equal(held(meter, 1000, 100).settle(usage).nanoUsd, 100 * 3000);
  });

  it("rounds up to a whole thousand-millionth", () => {
    const meter = createBudgetMeter(DOLLARS, {
      prices: { [MODEL]: { inputUsdPerMillion: 0.0001, outputUsdPerMillion: 0.0375 } },
    });
    assert.equal(held(meter, 10, 10).settle({ inputTokens: 1, outputTokens: 0 }).nanoUsd, 1);
    assert.equal(held(meter, 10, 10).settle({ inputTokens: 10, outputTokens: 2 }).nanoUsd, 76);
  });

  it("a call above a tier has its prices", () => {
    const tiers = [{ aboveInputTokens: 200, inputUsdPerMillion: 6, outputUsdPerMillion: 20 }];
    const meter = createBudgetMeter(DOLLARS, { prices: { [MODEL]: { ...PRICE, tiers } } });
    assert.equal(
      held(meter, 200, 0).settle({ inputTokens: 200, outputTokens: 1 }).nanoUsd,
      200 * 3000 + 15_000,
    );
    assert.equal(
      held(meter, 201, 0).settle({ inputTokens: 201, outputTokens: 1 }).nanoUsd,
      201 * 6000 + 20_000,
    );
    const unordered = { ...PRICE, tiers: [...tiers, ...tiers] };
    assert.throws(
      () => createBudgetMeter(DOLLARS, { prices: { [MODEL]: unordered } }).reserve(call(1, 1)),
      isCoded("invalid_options"),
    );
  });

  it("the breach is exact to a thousand-millionth", () => {
    const meter = createBudgetMeter(DOLLARS, { prices });
    held(meter, 1000, 100).settle({ inputTokens: 3334, outputTokens: 0 });
    assert.equal(meter.reading.breachedBy, 3334 * 3000 - 10_000_000);
  });
});

describe("a meter made again from its records", () => {
  const prices = { [MODEL]: PRICE };

  function used(budget: RunBudget | undefined): { meter: BudgetMeter; records: MeterRecord[] } {
    const meter = createBudgetMeter(budget, { prices });
    const records: MeterRecord[] = [meter.declaration];
    const book = (hold: BudgetHold, settle: (hold: BudgetHold) => { record: MeterRecord }) =>
      records.push(hold.record, settle(hold).record);
    book(held(meter, 100, 100), (hold) =>
      hold.settle({ inputTokens: 90, outputTokens: 9, cacheReadTokens: 50 }),
    );
    book(held(meter, 100, 100), (hold) => hold.settle(undefined));
    book(held(meter, 100, 100), (hold) => hold.release());
    book(held(meter, 100, 100), (hold) => hold.settleBroken());
    return { meter, records };
  }

  for (const budget of [TOKENS, DOLLARS, undefined]) {
    it(`is the same: ${JSON.stringify(budget)}`, () => {
      const { meter, records } = used(budget);
      const stored = JSON.parse(JSON.stringify(records));
      const replayed = replayBudgetMeter(stored, { prices });
      assert.equal(replayed.unreadable, 0);
      assert.deepEqual(replayed.meter.state, meter.state);
      assert.deepEqual(replayed.meter.reading, meter.reading);
    });
  }

  it("a call that was under way when the records end books its whole hold", () => {
    const { meter, records } = used(TOKENS);
    records.push(held(meter, 200, 50).record);
    const { spent } = meter.reading;
    assert.equal(replayBudgetMeter(records).meter.reading.spent, spent + 250);
  });

  it("what is no record is passed over and counted; a settlement without its reserve still counts", () => {
    const { meter, records } = used(TOKENS);
    const settled = records.findIndex(({ type }) => type === "settled");
    const lost = records.filter((_, at) => at !== settled - 1);
    const odd = [{ type: "declared", budget: { maxTokens: -1 } }, null, 5, { type: "settled" }, ...lost];
    const replayed = replayBudgetMeter(odd);
    assert.equal(replayed.unreadable, 4);
    assert.equal(replayed.meter.reading.spent, meter.reading.spent);
  });

  it("another budget keeps what was spent, in its own unit", () => {
    const { meter, records } = used(TOKENS);
    records.push(meter.redeclare({ maxTokens: 5000, onExhausted: "compact" }));
    assert.equal(meter.reading.remaining, 5000 - meter.reading.spent);
    records.push(meter.redeclare({ maxUsd: 1, onExhausted: "compact" }));
    const nano = 40 * 3000 + 50 * 300 + 9 * 15_000 + 2 * (100 * 3750 + 100 * 15_000);
    assert.equal(meter.reading.spent, nano);
    assert.deepEqual(replayBudgetMeter(records).meter.reading, meter.reading);
  });

  it("a raised budget ends a breach", () => {
    const meter = createBudgetMeter(TOKENS);
    held(meter, 900, 100).settle({ inputTokens: 1200, outputTokens: 0 });
    meter.redeclare({ maxTokens: 2000, onExhausted: "stop" });
    assert.deepEqual([meter.reading.breachedBy, meter.reading.remaining], [0, 800]);
  });

  it("from tokens to dollars earlier calls get their price, or the budget is refused", () => {
    const unpriced = createBudgetMeter(TOKENS);
    held(unpriced, 100, 100).settle({ inputTokens: 100, outputTokens: 10 });
    assert.throws(() => unpriced.redeclare(DOLLARS), isCoded("invalid_options"));
    const { meter } = replayBudgetMeter(
      [
        unpriced.declaration,
        {
          type: "settled",
          callId: "a",
          modelId: MODEL,
          purpose: "work",
          settlement: "measured",
          usage: { inputTokens: 100, outputTokens: 10, cacheReadTokens: 0, cacheWriteTokens: 0 },
        },
      ],
      { prices },
    );
    const record = meter.redeclare(DOLLARS);
    assert.equal(meter.reading.spent, 100 * 3750 + 10 * 15_000);
    assert.equal(record.type === "declared" && record.earlierNanoUsd, meter.reading.spent);
  });
});
