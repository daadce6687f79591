import assert from "node:assert/strict";
import fc from "fast-check";
import type { ContextIndex } from "../../../src/core/contextIndex.ts";
import { GrowingContextIndex, indexContext } from "../../../src/core/contextIndex.ts";
import { estimateTokens, imageTokensOf } from "../../../src/core/estimate.ts";
import type { Message } from "../../../src/core/messages.ts";
import type { Positions } from "../../../src/core/numberList.ts";
import { isEvictable, startsTurn } from "../../../src/core/turns.ts";
import { deepFreeze, transcriptArbitrary } from "./arbitraries.ts";
import { assistant, chatOf, user } from "./messageBuilders.ts";
import { pendingAtEnd, safeCutOracle } from "./safeCutOracle.ts";

const listed = (positions: Positions): number[] =>
  Array.from({ length: positions.length }, (_, i) => positions.at(i));

/** All that can be asked of an index. */
function answers(index: ContextIndex, messages: readonly Message[]): unknown {
  const everywhere = Array.from({ length: index.length + 1 }, (_, at) => at);
  return {
    length: index.length,
    tokens: everywhere.map((at) => index.tokensBefore(at)),
    images: everywhere.map((at) => index.imageTokensBefore(at)),
    legal: everywhere.map((at) => Math.max(0, index.pairs.legalAtOrBelow(at))),
    next: everywhere.map((at) => Math.min(index.length, index.pairs.legalAtOrAbove(at))),
    pendingFrom: index.pairs.pendingFrom,
    turnStarts: listed(index.turnStarts),
    systems: listed(index.systems),
    capsules: listed(index.capsules),
    evictables: listed(index.evictables),
    lastAssistant: index.lastAssistant,
    places: messages.map((message) => index.positionOf(message.id)),
  };
}

/** The same by plain scans. */
function scanned(messages: readonly Message[]): unknown {
  const everywhere = Array.from({ length: messages.length + 1 }, (_, at) => at);
  const sum = (count: (message: Message) => number, end: number): number =>
    messages.slice(0, end).reduce((total, message) => total + count(message), 0);
  const where = (test: (message: Message) => boolean): number[] =>
    messages.flatMap((message, at) => (test(message) ? [at] : []));
  const pending = pendingAtEnd(messages);
  // A pending call moves cuts of `safeCut` alone.
  const settled = messages.map((message): Message => ({ ...message }));
  if (pending < messages.length) settled.push(user("end", "on"));
  const legal = everywhere.map((at) => safeCutOracle(settled, at));
  return {
    length: messages.length,
    tokens: everywhere.map((at) => sum(estimateTokens, at)),
    images: everywhere.map((at) => sum(imageTokensOf, at)),
    legal,
    next: everywhere.map(
      (at) =>
        everywhere.find((cut) => cut >= at && legal[cut] === cut && (cut > 0 || safeFromStart(settled))) ??
        messages.length,
    ),
    pendingFrom: pending < messages.length ? pending : -1,
    turnStarts: where(startsTurn),
    systems: where((message) => message.role === "system"),
    capsules: where((message) => message.kind === "capsule"),
    evictables: where(isEvictable),
    lastAssistant: messages.findLastIndex((message) => message.role === "assistant"),
    places: messages.map((_, at) => at),
  };
}

/** Cut 0 is legal by the rule, and not only for want of another. */
function safeFromStart(messages: readonly Message[]): boolean {
  return safeCutOracle([user("start", ""), ...messages], 1) === 1;
}

describe("contextIndex", () => {
  it("knows of every prefix what plain scans find, while it grows", () => {
    fc.assert(
      fc.property(transcriptArbitrary({ maxSteps: 12 }), (messages) => {
        deepFreeze(messages);
        const growing = new GrowingContextIndex();
        assert.deepEqual(answers(growing, []), scanned([]));
        messages.forEach((message, at) => {
          growing.append(message);
          const prefix = messages.slice(0, at + 1);
          assert.deepEqual(answers(growing, prefix), scanned(prefix));
        });
        assert.deepEqual(answers(growing, messages), answers(indexContext(messages), messages));
      }),
    );
  });

  it("takes estimates that the caller keeps", () => {
    const index = indexContext(chatOf(10, 20), () => 7);
    assert.equal(index.tokensBefore(2), 14);
    index.append(user("m2", "more"), 5);
    assert.equal(index.tokensBefore(3), 19);
  });

  it("finds a message by its id also when it came after the first question", () => {
    const index = indexContext([user("m0", "a")]);
    assert.equal(index.positionOf("m1"), -1);
    index.append(assistant("m1", "b"));
    assert.equal(index.positionOf("m1"), 1);
  });
});
