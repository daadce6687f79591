import assert from "node:assert/strict";
import { describe, it } from "mocha";
import type * as vscode from "vscode";
import type { ModelChunk } from "../../../../src/core/model.ts";
import { ModelError } from "../../../../src/core/model.ts";
import { LmModel } from "../../../../src/vscode/models/lmModel.ts";
import { user } from "../../core/messageBuilders.ts";
import * as lm from "../languageModelShim.ts";

interface Provider {
  readonly reply?: (token: vscode.CancellationToken) => AsyncIterable<unknown>;
  readonly refuse?: Error;
  readonly count?: (text: string) => unknown;
}

function modelOf({ reply, refuse, count }: Provider) {
  const worked: string[] = [];
  const sent: { messages: unknown[]; options: vscode.LanguageModelChatRequestOptions }[] = [];
  const counted: unknown[] = [];
  const chat = {
    id: "gpt",
    vendor: "acme",
    name: "GPT",
    maxInputTokens: 8000,
    async sendRequest(
      messages: unknown[],
      options: vscode.LanguageModelChatRequestOptions,
      token: vscode.CancellationToken,
    ) {
      sent.push({ messages, options });
      if (refuse !== undefined) throw refuse;
      return { stream: reply?.(token) ?? [] };
    },
    countTokens(text: unknown) {
      counted.push(text);
      return count?.(text as string);
    },
  };
  const model = new LmModel(chat as unknown as vscode.LanguageModelChat, {
    justification: "to answer",
    onWorked: (vendor) => worked.push(vendor),
    countTimeoutMs: 1,
  });
  return { model, worked, sent, counted };
}

const request = { messages: [user("u", "Hi")], tools: [] };
const never = () => new AbortController().signal;

async function chunks(model: LmModel, signal = never()): Promise<ModelChunk[]> {
  const all: ModelChunk[] = [];
  for await (const chunk of model.stream(request, signal)) all.push(chunk);
  return all;
}

function data(mimeType: string, value: unknown): lm.LanguageModelDataPart {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return new lm.LanguageModelDataPart(new TextEncoder().encode(text), mimeType);
}

describe("a model of vscode.lm", () => {
  it("takes the input limit as the window", () => {
    assert.deepEqual(modelOf({}).model.limits, { maxInputTokens: 8000 });
    assert.equal(modelOf({}).model.id, "acme/gpt");
  });

  it("streams text, calls, thinking and usage, and passes over what it does not know", async () => {
    const { model, worked, sent } = modelOf({
      async *reply() {
        yield data("thinking", { text: ["Hm", "…"] });
        yield new lm.LanguageModelTextPart("Hel");
        yield new lm.LanguageModelTextPart("lo");
        yield data("stateful_marker", "opaque");
        yield { kind: "something newer" };
        yield new lm.LanguageModelToolCallPart("1", "read", { path: "a" });
        yield data("usage", {
          prompt_tokens: 120,
          completion_tokens: 7,
          prompt_tokens_details: { cached_tokens: 100 },
        });
      },
    });
    assert.deepEqual(await chunks(model), [
      { type: "reasoning", text: "Hm…" },
      { type: "text", text: "Hel" },
      { type: "text", text: "lo" },
      { type: "tool-call", toolCallId: "1", toolName: "read", input: { path: "a" } },
      { type: "usage", usage: { inputTokens: 120, outputTokens: 7, cacheReadTokens: 100 } },
    ]);
    assert.deepEqual(worked, ["acme"]);
    assert.deepEqual(sent[0]?.options, { justification: "to answer" });
  });

  for (const [what, value] of [
    ["no JSON", "not json"],
    ["a list", [1]],
    ["NaN as text", { prompt_tokens: "NaN", completion_tokens: 1 }],
    ["a negative number", { prompt_tokens: -1, completion_tokens: 1 }],
  ] as const) {
    it(`believes no usage that is ${what}`, async () => {
      const { model } = modelOf({
        async *reply() {
          yield data("usage", value);
        },
      });
      assert.deepEqual(await chunks(model), []);
    });
  }

  it("gives errors of the call and of the stream a code, and remembers no success", async () => {
    const refused = modelOf({ refuse: Object.assign(new Error("no"), { code: "NoPermissions" }) });
    await assert.rejects(chunks(refused.model), { name: "ModelError", code: "permission" });
    const broken = modelOf({
      async *reply() {
        yield new lm.LanguageModelTextPart("Hel");
        throw new Error("read ECONNRESET");
      },
    });
    await assert.rejects(
      chunks(broken.model),
      (error) => error instanceof ModelError && error.code === "network",
    );
    assert.deepEqual([refused.worked, broken.worked], [[], []]);
  });

  it("cancels the provider when its own signal is aborted; the stream's normal end is no success", async () => {
    const abort = new AbortController();
    const { model, worked } = modelOf({
      async *reply(token) {
        yield new lm.LanguageModelTextPart("Hel");
        if (!token.isCancellationRequested) {
          await new Promise<void>((resolve) => token.onCancellationRequested(() => resolve()));
        }
        assert.equal(token.isCancellationRequested, true);
      },
    });
    const all: ModelChunk[] = [];
    for await (const chunk of model.stream(request, abort.signal)) {
      all.push(chunk);
      abort.abort();
    }
    assert.equal(all.length, 1);
    assert.deepEqual(worked, []);
  });

  it("cancels the provider when the reader leaves early", async () => {
    let cancelled = false;
    const { model } = modelOf({
      async *reply(token) {
        token.onCancellationRequested(() => {
          cancelled = true;
        });
        yield new lm.LanguageModelTextPart("a");
        yield new lm.LanguageModelTextPart("b");
      },
    });
    for await (const _ of model.stream(request, never())) break;
    assert.equal(cancelled, true);
  });

  describe("counting", () => {
    it("counts strings with the provider's own tokenizer", async () => {
      const { model, counted } = modelOf({ count: async (text) => text.length });
      assert.equal(await model.countTokens("12345", never()), 5);
      assert.deepEqual(counted, ["12345"]);
    });

    for (const [what, count] of [
      ["0", () => 0],
      ["NaN", () => Number.NaN],
      ["a negative number", () => -4],
      ["no number", () => "12"],
      ["an error", () => Promise.reject(new Error("no"))],
      [
        "a thrown error",
        () => {
          throw new Error("no");
        },
      ],
    ] as const) {
      it(`takes ${what} for not counted`, async () => {
        assert.equal(await modelOf({ count }).model.countTokens("12345", never()), undefined);
      });
    }

    it("stops waiting when aborted, and may count again later", async () => {
      const abort = new AbortController();
      let answer: unknown = new Promise(() => {});
      const { model } = modelOf({ count: () => answer });
      const counting = model.countTokens("12345", abort.signal);
      abort.abort();
      assert.equal(await counting, undefined);
      answer = 9;
      assert.equal(await model.countTokens("12345", never()), 9);
    });

    it("waits for a silent provider once, and never again", async () => {
      const { model, counted } = modelOf({ count: () => new Promise(() => {}) });
      assert.equal(await model.countTokens("12345", never()), undefined);
      assert.equal(await model.countTokens("12345", never()), undefined);
      assert.equal(counted.length, 1);
    });
  });
});
