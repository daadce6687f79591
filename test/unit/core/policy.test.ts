import assert from "node:assert/strict";
import fc from "fast-check";
import type { CompactionPolicy } from "../../../src/core/policy.ts";
import {
  ceiling,
  DEFAULT_CONTEXT_WINDOW,
  DEFAULT_KEEP_RECENT_TOKENS,
  DEFAULT_KEEP_RECENT_TURNS,
  DEFAULT_MIN_REMAINING,
  defaultPolicy,
  effectiveMinRemaining,
  shouldCompact,
  triggerLine,
} from "../../../src/core/policy.ts";

const withSettings = (settings: Partial<CompactionPolicy>): CompactionPolicy => ({
  ...defaultPolicy,
  ...settings,
});

describe("policy", () => {
  it("has the published defaults", () => {
    assert.equal(DEFAULT_KEEP_RECENT_TOKENS, 20_000);
    assert.equal(DEFAULT_KEEP_RECENT_TURNS, 2);
    assert.equal(DEFAULT_MIN_REMAINING, 16_384);
    assert.equal(DEFAULT_CONTEXT_WINDOW, 128_000);
    assert.deepEqual(
      { ...defaultPolicy },
      { minRemaining: 16_384, keepRecentTokens: 20_000, keepRecentTurns: 2 },
    );
  });

  it("threshold inclusive: of 200000 with defaults 183616 fires, 183615 does not", () => {
    assert.equal(shouldCompact(defaultPolicy, 200_000, 183_616), true);
    assert.equal(shouldCompact(defaultPolicy, 200_000, 183_615), false);
    assert.equal(triggerLine(defaultPolicy, 200_000), 183_616);
  });

  it("budget below and above the window", () => {
    const below = withSettings({ budget: 100_000 });
    assert.equal(ceiling(below, 200_000), 100_000);
    assert.equal(shouldCompact(below, 200_000, 83_616), true);
    assert.equal(shouldCompact(below, 200_000, 83_615), false);
    const above = withSettings({ budget: 300_000 });
    assert.equal(ceiling(above, 200_000), 200_000);
    assert.equal(triggerLine(above, 200_000), 183_616);
  });

  it("the policy's window replaces the discovered one", () => {
    assert.equal(ceiling(withSettings({ window: 32_768 }), 200_000), 32_768);
    assert.equal(ceiling(withSettings({ window: 32_768 }), undefined), 32_768);
    assert.equal(ceiling(withSettings({ window: 300_000 }), 200_000), 300_000);
  });

  it("minRemaining on small windows is at most 25 % of the ceiling", () => {
    assert.equal(effectiveMinRemaining(defaultPolicy, 8000), 2000);
    assert.equal(triggerLine(defaultPolicy, 8000), 6000);
    assert.equal(shouldCompact(defaultPolicy, 8000, 6000), true);
    assert.equal(shouldCompact(defaultPolicy, 8000, 5999), false);
    assert.equal(effectiveMinRemaining(defaultPolicy, 65_536), 16_384);
    assert.equal(effectiveMinRemaining(defaultPolicy, 65_535), 16_383);
    assert.equal(triggerLine(withSettings({ minRemaining: 0 }), 8000), 8000);
  });

  it("no number, no automatic run", () => {
    for (const used of [undefined, Number.NaN, 0, -1, Number.POSITIVE_INFINITY]) {
      assert.equal(shouldCompact(withSettings({ minRemaining: 0 }), 1, used), false, String(used));
    }
  });

  it("an unknown window has no line, whatever the budget", () => {
    for (const window of [undefined, 0, -5, Number.NaN, Number.POSITIVE_INFINITY]) {
      assert.equal(ceiling(withSettings({ budget: 50_000 }), window), undefined, String(window));
      assert.equal(shouldCompact(withSettings({ budget: 50_000 }), window, 1_000_000), false, String(window));
    }
  });

  const bad: [keyof CompactionPolicy, number][] = [
    ["window", 0],
    ["window", 1.5],
    ["budget", -1],
    ["budget", Number.NaN],
    ["minRemaining", -1],
    ["minRemaining", Number.POSITIVE_INFINITY],
    ["keepRecentTokens", -20_000],
    ["keepRecentTokens", 2 ** 53],
    ["keepRecentTurns", 0.5],
  ];
  for (const [name, value] of bad) {
    it(`refuses ${name} ${value} and names it`, () => {
      assert.throws(
        () => shouldCompact(withSettings({ [name]: value }), 200_000, 1),
        (error: Error & { code?: string }) =>
          error.code === "invalid_options" && error.message.includes(`"${name}"`),
      );
    });
  }

  it("only compares: once it fires it fires for every larger number, and exactly from the line on", () => {
    const settings = fc.record({
      budget: fc.integer({ min: 1, max: 2_000_000 }),
      minRemaining: fc.nat(100_000),
      window: fc.integer({ min: 1, max: 2_000_000 }),
      used: fc.integer({ min: 1, max: 3_000_000 }),
    });
    fc.assert(
      fc.property(settings, ({ window, used, ...rest }) => {
        const policy = withSettings(rest);
        const line = triggerLine(policy, window) as number;
        assert.ok(line >= Math.min(window, rest.budget) * 0.75);
        assert.equal(shouldCompact(policy, window, used), used >= line);
      }),
    );
  });
});
