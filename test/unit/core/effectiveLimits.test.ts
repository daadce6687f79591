import assert from "node:assert/strict";
import { effectiveLimits } from "../../../src/core/effectiveLimits.ts";
import type { PlanOptions } from "../../../src/core/plan.ts";
import { defaultPolicy } from "../../../src/core/policy.ts";

const manual = (options: Partial<PlanOptions> = {}): PlanOptions => ({
  policy: defaultPolicy,
  trigger: "manual",
  ...options,
});

describe("effectiveLimits", () => {
  it("are the settings where the window is large", () => {
    assert.deepEqual(effectiveLimits(manual({ window: 200_000 })), {
      ceiling: 200_000,
      windowSource: "discovered",
      triggerLine: 183_616,
      minRemaining: 16_384,
      keepRecentTokens: 20_000,
      keepRecentTurns: 2,
      summaryMaxTokens: 2048,
    });
  });

  it("keepRecentTokens is at most 20 % of the trigger line, summaryMaxTokens 1/8 of the ceiling", () => {
    const { triggerLine, keepRecentTokens, summaryMaxTokens } = effectiveLimits(manual({ window: 8000 }));
    assert.deepEqual(
      { triggerLine, keepRecentTokens, summaryMaxTokens },
      { triggerLine: 6000, keepRecentTokens: 1200, summaryMaxTokens: 1000 },
    );
  });

  it("the ceiling is the budget where that is smaller", () => {
    const limits = effectiveLimits(manual({ window: 200_000, policy: { ...defaultPolicy, budget: 10_000 } }));
    assert.equal(limits.ceiling, 10_000);
    assert.equal(limits.keepRecentTokens, 1500);
    assert.equal(limits.summaryMaxTokens, 1250);
  });

  it("a manual plan of an unknown window takes 128000 and says so", () => {
    for (const window of [undefined, 0, Number.NaN]) {
      const limits = effectiveLimits(manual({ window }));
      assert.equal(limits.ceiling, 128_000);
      assert.equal(limits.windowSource, "assumed");
    }
  });

  it("says where the window comes from", () => {
    assert.equal(
      effectiveLimits(manual({ policy: { ...defaultPolicy, window: 64_000 }, window: 8000 })).windowSource,
      "policy",
    );
    assert.equal(effectiveLimits(manual({ window: 8000 })).windowSource, "discovered");
  });

  it("window pressure without a known window is refused with what to do", () => {
    assert.throws(() => effectiveLimits(manual({ trigger: "window" })), {
      code: "invalid_options",
      message: /set a window/,
    });
  });

  it("a reply cap that cannot work is refused", () => {
    for (const summaryMaxTokens of [0, -1, 1.5, Number.NaN]) {
      assert.throws(() => effectiveLimits(manual({ summaryMaxTokens })), { code: "invalid_options" });
    }
  });
});
