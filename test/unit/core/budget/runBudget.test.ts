import assert from "node:assert/strict";
import { describe, it } from "mocha";
import { budgetShortfall } from "../../../../src/core/budget/leastBudget.ts";
import type { RunBudget } from "../../../../src/core/budget/runBudget.ts";
import { declareBudget } from "../../../../src/core/budget/runBudget.ts";

function refusal(budget: unknown): { code: string; message: string } {
  try {
    declareBudget(budget as RunBudget);
  } catch (error) {
    return error as { code: string; message: string };
  }
  throw new Error("It was accepted.");
}

describe("a declared budget", () => {
  it("has the defaults of the contract", () => {
    assert.deepEqual(declareBudget({ maxTokens: 120_000, onExhausted: "compact" }), {
      unit: "tokens",
      maximum: 120_000,
      onExhausted: "compact",
      outputFloorTokens: 256,
      maxToolCalls: 100,
      compaction: {
        keepRecentTokens: 8000,
        summaryMaxTokens: 2048,
        preserveFirstUserMessage: true,
        maxCompactions: 1,
        minYieldTokens: 20_000,
        headroomCalls: 3,
        pinnedUserTokens: 20_000,
      },
    });
  });

  it("both or neither currency refused", () => {
    const both = refusal({ maxTokens: 1, maxUsd: 1, onExhausted: "stop" });
    const neither = refusal({ onExhausted: "stop" });
    assert.deepEqual([both.code, neither.code], ["invalid_options", "invalid_options"]);
    assert.match(both.message, /has both of "maxTokens" and "maxUsd"; give exactly one/);
    assert.match(neither.message, /has neither of "maxTokens" and "maxUsd"; give exactly one/);
  });

  const onExhausted = "compact";
  const invalid: readonly (readonly [string, unknown, RegExp])[] = [
    ["no tokens", { maxTokens: 0, onExhausted }, /"maxTokens" is 0; give a whole number/],
    ["a fraction of a token", { maxTokens: 1.5, onExhausted }, /"maxTokens" is 1.5/],
    ["more than a safe integer", { maxTokens: 2 ** 53, onExhausted }, /"maxTokens"/],
    ["tokens as text", { maxTokens: "5000", onExhausted }, /"maxTokens"/],
    ["no dollars", { maxUsd: 0, onExhausted }, /"maxUsd" is 0; give an amount in US dollars above 0/],
    ["a debt", { maxUsd: -1, onExhausted }, /"maxUsd" is -1/],
    ["NaN dollars", { maxUsd: Number.NaN, onExhausted }, /"maxUsd" is NaN/],
    ["endless dollars", { maxUsd: Number.POSITIVE_INFINITY, onExhausted }, /"maxUsd" is Infinity/],
    [
      "nothing to do when exhausted",
      { maxTokens: 1 },
      /"onExhausted" is undefined; give "compact" or "stop"/,
    ],
    ["another thing to do", { maxTokens: 1, onExhausted: "ask" }, /"onExhausted" is "ask"/],
    ["no floor", { maxTokens: 1, onExhausted, outputFloorTokens: 0 }, /"outputFloorTokens" is 0/],
    ["less than no tool calls", { maxTokens: 1, onExhausted, maxToolCalls: -1 }, /"maxToolCalls" is -1/],
    [
      "a field of another name",
      { maxTokens: 1, onExhausted, maxCalls: 3 },
      /a field "maxCalls", which means nothing/,
    ],
    [
      "a field of another name inside",
      { maxTokens: 1, onExhausted, compaction: { keepTokens: 3 } },
      /"compaction" has a field "keepTokens"/,
    ],
    ...["keepRecentTokens", "summaryMaxTokens", "minYieldTokens", "pinnedUserTokens"].map(
      (name) =>
        [
          `no ${name}`,
          { maxTokens: 1, onExhausted, compaction: { [name]: 0 } },
          new RegExp(`"compaction.${name}" is 0`),
        ] as const,
    ),
    [
      "a first message that may leave",
      { maxTokens: 1, onExhausted, compaction: { preserveFirstUserMessage: false } },
      /the first user message always stays/,
    ],
    ["nothing", undefined, /"budget" is undefined; give an object/],
    ["null", null, /"budget" is null; give an object/],
    ["a list", [], /"budget" is object; give an object/],
  ];
  for (const [what, budget, sentence] of invalid) {
    it(`refuses ${what}`, () => {
      const { code, message } = refusal(budget);
      assert.equal(code, "invalid_options");
      assert.match(message, sentence);
    });
  }

  it("counts dollars in whole thousand-millionths", () => {
    const nano = (maxUsd: number) => declareBudget({ maxUsd, onExhausted: "stop" }).maximum;
    assert.deepEqual([0.29, 0.1, 1, 2.5, 1e-9, 1e-10, 1e300].map(nano), [
      290_000_000,
      100_000_000,
      1_000_000_000,
      2_500_000_000,
      1,
      0,
      Number.MAX_SAFE_INTEGER,
    ]);
  });

  it("is frozen to its last leaf", () => {
    const declared = declareBudget({ maxTokens: 1, onExhausted: "stop" });
    assert.ok(Object.isFrozen(declared) && Object.isFrozen(declared.compaction));
  });

  it("a budget that cannot pay one summary and its headroom says so, with the figure", () => {
    const needed = 20_000 + 2048 + 3 * (8000 + 2048 + 256);
    assert.deepEqual(budgetShortfall({ maxTokens: needed - 1, onExhausted: "compact" }), {
      unit: "tokens",
      maximum: needed - 1,
      needed,
    });
    assert.equal(budgetShortfall({ maxTokens: needed, onExhausted: "compact" }), undefined);
    assert.equal(budgetShortfall({ maxTokens: 1, onExhausted: "stop" }), undefined);
    const price = { inputUsdPerMillion: 1, outputUsdPerMillion: 10 };
    assert.equal(
      budgetShortfall({ maxUsd: 0.0001, onExhausted: "compact" }, price)?.needed,
      20_000 * 1000 + 2048 * 10_000 + 3 * ((8000 + 2048) * 1000 + 256 * 10_000),
    );
  });
});
