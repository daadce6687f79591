import assert from "node:assert/strict";
import fc from "fast-check";
import { estimateContext, estimateTokens, imageTokensOf } from "../../../src/core/estimate.ts";
import type { Message, Part } from "../../../src/core/messages.ts";
import { deepFreeze, LONG_ID, PNG_1000_BY_800, transcriptArbitrary } from "./arbitraries.ts";

const tokensOf = (...content: Part[]): number => estimateTokens({ id: "m", role: "assistant", content });
const text = (value: string): Part => ({ type: "text", text: value });
const read = (toolCallId: string, input: unknown): Part => ({
  type: "tool-call",
  toolCallId,
  toolName: "read",
  input,
});

describe("estimateTokens", () => {
  for (const [bytes, tokens] of [
    [0, 4],
    [3, 4],
    [4, 5],
    [200, 54],
    [4000, 1004],
  ] as const) {
    it(`${bytes} bytes are ${tokens} tokens`, () => assert.equal(tokensOf(text("x".repeat(bytes))), tokens));
  }

  it("bytes, not characters: 200 euro signs are 154 tokens", () => {
    assert.equal(tokensOf(text("€".repeat(200))), 154);
  });

  it("a call counts its name and the compact JSON of its input: 8 tokens, whatever its id", () => {
    assert.equal(tokensOf(read("call_1", { path: "a.ts" })), 8);
    assert.equal(tokensOf(read(LONG_ID, { path: "a.ts" })), 8);
  });

  it("a call without input counts its name", () => assert.equal(tokensOf(read("call_1", undefined)), 5));

  it("a result counts output, id and name: 36 tokens", () => {
    const result: Part = {
      type: "tool-result",
      toolCallId: "call_1",
      toolName: "read",
      output: "x".repeat(120),
    };
    assert.equal(tokensOf(result), 36);
  });

  it("reasoning counts as text, its signature does not", () => {
    assert.equal(tokensOf({ type: "reasoning", text: "x".repeat(40), signature: "s".repeat(400) }), 14);
  });

  it("the bytes of all parts are summed before they are divided", () => {
    assert.equal(tokensOf(text("abc"), text("abc")), 5);
  });

  it("an image counts by its pixels, beside the text", () => {
    const image: Part = { type: "image", mediaType: "image/png", data: PNG_1000_BY_800 };
    assert.equal(tokensOf(image), 4 + 1067);
    assert.equal(tokensOf(image, text("x".repeat(80)), image), 24 + 2 * 1067);
    assert.equal(imageTokensOf({ id: "m", role: "user", content: [image, text("and words")] }), 1067);
  });

  it("three 1 MB screenshots and 20 words are some thousand tokens", () => {
    const screenshot: Part = {
      type: "image",
      mediaType: "image/png",
      data: PNG_1000_BY_800 + "A".repeat(1_400_000),
    };
    assert.equal(tokensOf(screenshot, screenshot, screenshot, text("word ".repeat(20))), 3 * 1067 + 29);
  });

  it("same input, same output, nothing changed; a context is the sum of its messages", () => {
    fc.assert(
      fc.property(transcriptArbitrary(), (messages: Message[]) => {
        deepFreeze(messages);
        const sum = messages.reduce((total, message) => total + estimateTokens(message), 0);
        assert.equal(estimateContext(messages), sum);
        assert.equal(estimateContext(messages), sum);
      }),
    );
  });
});
