import assert from "node:assert/strict";
import fc from "fast-check";
import { cutForPolicy } from "../../../src/core/cutForPolicy.ts";
import { estimateTokens } from "../../../src/core/estimate.ts";
import type { Message } from "../../../src/core/messages.ts";
import type { CompactionPolicy } from "../../../src/core/policy.ts";
import { defaultPolicy } from "../../../src/core/policy.ts";
import { deepFreeze, transcriptArbitrary } from "./arbitraries.ts";
import { assistant, calls, chatOf, result, textOfTokens, user } from "./messageBuilders.ts";
import { safeCutOracle } from "./safeCutOracle.ts";

const keep = (keepRecentTokens: number, keepRecentTurns: number): CompactionPolicy => ({
  ...defaultPolicy,
  keepRecentTokens,
  keepRecentTurns,
});

/** Module A's words as a walk. */
function walked(
  messages: readonly Message[],
  { keepRecentTokens, keepRecentTurns }: CompactionPolicy,
): number {
  let byTokens = messages.length;
  for (let sum = 0; byTokens > 0 && sum < keepRecentTokens; )
    sum += estimateTokens(messages[--byTokens] as Message);
  const turns = messages.flatMap((message, at) =>
    message.role === "user" && message.kind === undefined ? [at] : [],
  );
  const byTurns = keepRecentTurns === 0 ? messages.length : (turns.at(-keepRecentTurns) ?? 0);
  return safeCutOracle(messages, Math.min(byTokens, turns.length < keepRecentTurns ? 0 : byTurns));
}

describe("cutForPolicy", () => {
  it("empty gives 0", () => assert.equal(cutForPolicy([], defaultPolicy), 0));

  it("the crossing message is kept", () => {
    const messages = chatOf(100, 100, 100, 100);
    assert.equal(cutForPolicy(messages, keep(200, 0)), 2);
    assert.equal(cutForPolicy(messages, keep(201, 0)), 1);
    assert.equal(cutForPolicy(messages, keep(199, 0)), 2);
    assert.equal(cutForPolicy(messages, keep(1, 0)), 3);
    assert.equal(cutForPolicy(messages, keep(400, 0)), 0);
    assert.equal(cutForPolicy(messages, keep(401, 0)), 0);
  });

  it("tokens 0 and turns 0 give the length", () =>
    assert.equal(cutForPolicy(chatOf(10, 10, 10), keep(0, 0)), 3));

  it("tail budget 0 with floor 2 keeps two turns", () => {
    assert.equal(cutForPolicy(chatOf(10, 10, 10, 10, 10, 10), keep(0, 2)), 2);
  });

  it("fewer turns than the floor keep all", () => {
    assert.equal(cutForPolicy(chatOf(10, 10, 10, 10), keep(0, 3)), 0);
    assert.equal(cutForPolicy(chatOf(10, 10, 10, 10), keep(0, 2)), 0);
  });

  it("the earlier of the two decides", () => {
    const messages = chatOf(10, 10, 10, 10, 10, 10);
    assert.equal(cutForPolicy(messages, keep(50, 1)), 1);
    assert.equal(cutForPolicy(messages, keep(10, 2)), 2);
  });

  it("injected capsules, notices and attachments are no turns", () => {
    const messages = [
      user("m0", "first"),
      assistant("m1", "ok"),
      user("m2", "summary", "capsule"),
      user("m3", "second"),
      user("m4", "reminder", "notice"),
      user("m5", "a file", "attachment"),
      assistant("m6", "ok"),
    ];
    assert.equal(cutForPolicy(messages, keep(0, 1)), 3);
    assert.equal(cutForPolicy(messages, keep(0, 2)), 0);
  });

  it("bytes, not characters, make the tail", () => {
    const messages = [user("m0", "a"), assistant("m1", "€".repeat(200)), assistant("m2", "a".repeat(200))];
    assert.equal(cutForPolicy(messages, keep(54 + 154, 0)), 1);
    assert.equal(cutForPolicy(messages, keep(54 + 155, 0)), 0);
  });

  it("a crossing result takes its call along", () => {
    const messages = [
      user("m0", "go"),
      calls("m1", "a"),
      result("m2", "a", textOfTokens(50)),
      assistant("m3", "ok"),
    ];
    assert.equal(cutForPolicy(messages, keep(20, 0)), 1);
  });

  it("refuses settings that cannot work", () => {
    assert.throws(() => cutForPolicy([], keep(-1, 0)), { code: "invalid_options" });
  });

  it("is the walk that module A describes", () => {
    const policies = fc.record({ tokens: fc.nat(3000), turns: fc.nat(5) });
    fc.assert(
      fc.property(transcriptArbitrary(), policies, (messages, { tokens, turns }) => {
        deepFreeze(messages);
        const policy = keep(tokens, turns);
        assert.equal(cutForPolicy(messages, policy), walked(messages, policy));
      }),
      { numRuns: 300 },
    );
  });
});
