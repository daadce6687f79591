import assert from "node:assert/strict";
import fc from "fast-check";
import { describe, it } from "mocha";
import { RequestBounds, requestJsonBytes } from "../../../../src/core/budget/requestBound.ts";
import type { ChatModel } from "../../../../src/core/model.ts";
import { PNG_1000_BY_800, transcriptArbitrary } from "../arbitraries.ts";
import { assistant, user } from "../messageBuilders.ts";
import { ReplyingModel, readTool } from "../run/runWorld.ts";

const NEVER = new AbortController().signal;

function countingModel(
  count: (text: string) => Promise<number | undefined>,
): ChatModel & { asked: string[] } {
  const asked: string[] = [];
  const model = new ReplyingModel([], { maxInputTokens: 100_000 });
  model.countTokens = (text) => {
    asked.push(text);
    return count(text);
  };
  return Object.assign(model, { asked });
}

describe("the upper count of a request", () => {
  const messages = [user("u", "Straße € 😀"), assistant("a", 'Say "hi"\n')];
  const request = { messages, tools: [] };

  it("is the bytes of its JSON and 16 for each message", async () => {
    const json = JSON.stringify({
      messages: messages.map(({ role, content }) => ({ role, content })),
      tools: [],
    });
    const { tokens, basis } = await new RequestBounds(new ReplyingModel([])).of(request, NEVER);
    assert.deepEqual([tokens, basis], [Buffer.byteLength(json) + 2 * 16, "estimated"]);
  });

  it("counts bytes, not characters, for any transcript and tools", () => {
    fc.assert(
      fc.property(transcriptArbitrary({ maxSteps: 6 }), (transcript) => {
        const { name, description } = readTool();
        const plain = transcript.map(({ role, content }) => ({ role, content }));
        const json = JSON.stringify({ messages: plain, tools: [{ name, description }] });
        const tools = [{ name, description }];
        assert.equal(requestJsonBytes({ messages: transcript, tools }), Buffer.byteLength(json));
        assert.equal(requestJsonBytes({ messages: transcript, tools }), Buffer.byteLength(json));
      }),
      { numRuns: 50 },
    );
  });

  it("is never above the window by bytes", async () => {
    const bounds = new RequestBounds(new ReplyingModel([], { maxInputTokens: 50 }));
    assert.deepEqual(await bounds.of(request, NEVER), { tokens: 50, basis: "estimated" });
  });

  it("is the model's own count and 16 for each message, each message counted once", async () => {
    const model = countingModel(async (text) => text.length);
    const bounds = new RequestBounds(model);
    const first = await bounds.of(request, NEVER);
    const lengths = messages.map(({ role, content }) => JSON.stringify({ role, content }).length);
    assert.deepEqual(first, { tokens: (lengths[0] ?? 0) + (lengths[1] ?? 0) + 32, basis: "counted" });
    await bounds.of({ messages: [...messages, user("u2", "More.")], tools: [] }, NEVER);
    assert.equal(model.asked.length, 3);
  });

  it("does not rest on a count that nobody believes, on none, or on one that has an image to leave out", async () => {
    const bytes = new RequestBounds(new ReplyingModel([]));
    for (const count of [0, 3, Number.NaN, undefined]) {
      const bounds = new RequestBounds(countingModel(async () => count));
      const long = { messages: [user("u", "x".repeat(400))], tools: [] };
      assert.deepEqual(await bounds.of(long, NEVER), await bytes.of(long, NEVER));
    }
    const failing = new RequestBounds(countingModel(() => Promise.reject(new Error("no"))));
    assert.equal((await failing.of(request, NEVER)).basis, "estimated");
    const image = { type: "image", mediaType: "image/png", data: PNG_1000_BY_800 } as const;
    const pictured = { messages: [{ id: "p", role: "user" as const, content: [image] }], tools: [] };
    const counting = countingModel(async () => 1000);
    assert.equal((await new RequestBounds(counting).of(pictured, NEVER)).basis, "estimated");
    assert.deepEqual(counting.asked, []);
  });

  it("a counter that never answers is left at once by a cancel", async () => {
    const abort = new AbortController();
    const bounds = new RequestBounds(countingModel(() => new Promise(() => {})));
    const bound = bounds.of(request, abort.signal);
    abort.abort();
    assert.equal((await bound).basis, "estimated");
  });
});
