import assert from "node:assert/strict";
import fc from "fast-check";
import { estimateTokens } from "../../../src/core/estimate.ts";
import type { Message } from "../../../src/core/messages.ts";
import { MessageEstimates } from "../../../src/engine/messageEstimates.ts";
import { transcriptArbitrary } from "../core/arbitraries.ts";
import { user } from "../core/messageBuilders.ts";

/** A message whose text says how often it was read. */
function countedMessage(id: string): { readonly message: Message; readonly reads: () => number } {
  let reads = 0;
  const part = {
    type: "text" as const,
    get text(): string {
      reads += 1;
      return `the text of ${id}`;
    },
  };
  return { message: { id, role: "user", content: [part] }, reads: () => reads };
}

describe("MessageEstimates", () => {
  it("says what estimateTokens says, whatever is asked in whatever order", () => {
    const asked = fc.array(fc.tuple(fc.nat(), fc.boolean()), { maxLength: 80 });
    fc.assert(
      fc.property(transcriptArbitrary(), asked, (messages, questions) => {
        const estimates = new MessageEstimates();
        const inOrder = [estimates.inOrder(), estimates.inOrder()];
        for (const message of messages.slice(messages.length >> 1)) inOrder[0]?.(message);
        for (const [at, byOrder] of questions) {
          const message = messages[at % Math.max(1, messages.length)];
          if (message === undefined) continue;
          const tokens = byOrder ? inOrder[at % 2]?.(message) : estimates.of(message);
          assert.equal(tokens, estimateTokens(message));
        }
      }),
    );
  });

  it("estimates each message once, over several walks in order and questions out of it", async () => {
    const counted = ["a", "b", "c"].map(countedMessage);
    const estimates = new MessageEstimates();
    const walk = (): void => {
      const inOrder = estimates.inOrder();
      for (const { message } of counted) inOrder(message);
    };
    walk();
    const once = counted.map(({ reads }) => reads());
    walk();
    await estimates.prepare(() => Promise.resolve());
    for (const { message } of counted.toReversed()) estimates.of(message);
    assert.deepEqual(
      counted.map(({ reads }) => reads()),
      once,
    );
  });

  it("a walk over parts of the session, with a capsule and a citation between, meets the known ones", () => {
    const [first, second, third] = ["a", "b", "c"].map(countedMessage);
    assert.ok(first && second && third);
    const estimates = new MessageEstimates();
    const whole = estimates.inOrder();
    for (const { message } of [first, second, third]) whole(message);
    const reads = third.reads();
    const context = estimates.inOrder();
    const citation = user(second.message.id, "[gone]");
    for (const message of [user("capsule", "what was"), citation]) {
      assert.equal(context(message), estimateTokens(message));
    }
    context(third.message);
    assert.equal(third.reads(), reads);
  });
});
