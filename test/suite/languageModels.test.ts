import assert from "node:assert/strict";
import * as vscode from "vscode";
import type { ModelChunk } from "../../src/core/model.ts";
import { ProviderCount } from "../../src/engine/providerCount.ts";
import { LmModel } from "../../src/vscode/models/lmModel.ts";

const DEMO = "context-capsule-demo";
const OFFLINE = "context-capsule";
const message = {
  id: "u",
  role: "user",
  content: [{ type: "text", text: "How high is the water?" }],
} as const;
const request = { messages: [message], tools: [] };
const never = (): AbortSignal => new AbortController().signal;

async function demoModel(id: string, worked: string[] = []): Promise<LmModel> {
  const [found] = await vscode.lm.selectChatModels({ vendor: DEMO, id });
  assert.ok(found, `no model ${id}`);
  return new LmModel(found, {
    justification: "to test",
    onWorked: (vendor) => worked.push(vendor),
    countTimeoutMs: 100,
  });
}

async function chunks(model: LmModel, signal = never()): Promise<ModelChunk[]> {
  const all: ModelChunk[] = [];
  for await (const chunk of model.stream(request, signal)) all.push(chunk);
  return all;
}

describe("our own language model", () => {
  before(() => vscode.extensions.getExtension("context-capsule.context-capsule")?.activate());

  it("is listed once the other providers are, and says what it is", async () => {
    const model = await new Promise<vscode.LanguageModelChat>((resolve, reject) => {
      const look = (): void => {
        vscode.lm.selectChatModels({ vendor: OFFLINE }).then(([found]) => {
          if (found === undefined) return;
          subscription.dispose();
          resolve(found);
        }, reject);
      };
      const subscription = vscode.lm.onDidChangeChatModels(look);
      look();
    });
    assert.equal(model.name, "Offline Summarizer");
    const response = await model.sendRequest([vscode.LanguageModelChatMessage.User("Hello?")]);
    let said = "";
    for await (const text of response.text) said += text;
    assert.match(said, /not a language model/);
    assert.equal(await model.countTokens("12345678"), 2);
  });
});

describe("a model of vscode.lm in a real host", () => {
  it("streams text and usage, and is remembered as one that works", async () => {
    const worked: string[] = [];
    const all = await chunks(await demoModel("usage-reporting", worked));
    const text = all.flatMap((chunk) => (chunk.type === "text" ? chunk.text : [])).join("");
    assert.match(text, /scripted demo/);
    const usage = all.find((chunk) => chunk.type === "usage");
    assert.ok(usage?.type === "usage" && usage.usage.inputTokens > 0);
    assert.deepEqual(worked, [DEMO]);
  });

  for (const [id, code] of [
    ["error-401", "authentication"],
    ["error-429", "rate"],
    ["no-permissions", "permission"],
    ["blocked", "blocked"],
    ["not-found", "not_found"],
  ] as const) {
    it(`tells ${id} as ${code}`, async () => {
      const worked: string[] = [];
      await assert.rejects(chunks(await demoModel(id, worked)), { name: "ModelError", code });
      assert.deepEqual(worked, []);
    });
  }

  it("is no success when it is cancelled", async () => {
    const worked: string[] = [];
    const abort = new AbortController();
    const model = await demoModel("demo", worked);
    for await (const _ of model.stream(request, abort.signal)) abort.abort();
    assert.deepEqual(worked, []);
  });

  describe("counts", () => {
    const text = "The water is three metres high at noon. ".repeat(10);
    const count = async (id: string): Promise<number | undefined> =>
      new ProviderCount(await demoModel(id)).count(
        [{ id: "u", role: "user", content: [{ type: "text", text }] }],
        never(),
      );

    it("strings with the provider's own tokenizer", async () => {
      assert.ok(((await count("demo")) ?? 0) > text.length / 8);
    });

    for (const id of ["counts-zero", "counts-nan", "counts-three", "counts-never"]) {
      it(`nothing that nobody believes: ${id}`, async () => {
        assert.equal(await count(id), undefined);
      });
    }
  });
});
