import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "mocha";
import type { CompactOutcome } from "../../../src/core/compactionOutcome.ts";
import type { Message } from "../../../src/core/messages.ts";
import { textOf } from "../../../src/core/messages.ts";
import type { ChatModel, ModelChunk } from "../../../src/core/model.ts";
import { ModelError } from "../../../src/core/model.ts";
import type { ChatRequest, LiveSession } from "../../../src/engine/liveSession.ts";
import { draftText, ScriptedModel } from "../core/ladderWorld.ts";
import { assistant, calls, result, user } from "../core/messageBuilders.ts";
import { EngineWorld } from "./engineWorld.ts";

const OUTPUT = "All 300 tests passed. ".repeat(400);

function workDay(turns = 6): Message[] {
  const messages: Message[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    messages.push(user(`u${turn}`, `Step ${turn}.`), calls(`c${turn}`, `call_${turn}`));
    messages.push(
      result(`r${turn}`, `call_${turn}`, `${turn}: ${OUTPUT}`),
      assistant(`a${turn}`, `Done ${turn}.`),
    );
  }
  return messages;
}

/** Nothing in it can be evicted. */
function talk(): Message[] {
  return ["u", "v", "w"].flatMap((id) => [
    user(id, `Go on with ${id}.`),
    assistant(`a${id}`, OUTPUT.repeat(2)),
  ]);
}

/** Counts a character in four; replies with these chunks, or a draft where a summary is asked for. */
function model(chunks: readonly ModelChunk[], maxInputTokens = 1_000_000): ScriptedModel {
  const scripted = new ScriptedModel(async function* (request): AsyncGenerator<ModelChunk> {
    if (request.messages[0]?.id === "summarize") yield { type: "text", text: draftText() };
    else yield* chunks;
  }, maxInputTokens);
  scripted.countTokens = async (text) => Math.ceil(text.length / 4);
  return scripted;
}

const HELLO: readonly ModelChunk[] = [{ type: "text", text: "Hello." }];

function chat(live: LiveSession, chatModel: ChatModel, changes: Partial<ChatRequest> = {}) {
  return live.chat({
    model: chatModel,
    text: "Go on.",
    attachments: [],
    signal: new AbortController().signal,
    onText: () => {},
    ...changes,
  });
}

describe("an exchange", () => {
  let world: EngineWorld;
  beforeEach(() => {
    world = new EngineWorld();
  });
  afterEach(() => world.end());

  it("joins text in pieces to one part, keeps reasoning and its signature, and usage with the model's id", async () => {
    const live = await world.start([]);
    const spoken: string[] = [];
    const thought: string[] = [];
    const outcome = await chat(
      live,
      model([
        { type: "reasoning", text: "Hm" },
        { type: "reasoning", text: "…", signature: "sig" },
        { type: "text", text: "Hel" },
        { type: "text", text: "lo." },
        { type: "usage", usage: { inputTokens: 500, outputTokens: 1 } },
        { type: "usage", usage: { inputTokens: 500, outputTokens: 9 } },
        { type: "finish", reason: "stop" },
      ]),
      { onText: (text) => spoken.push(text), onReasoning: (text) => thought.push(text) },
    );
    assert.equal(outcome.state, "complete");
    assert.deepEqual(
      [spoken, thought],
      [
        ["Hel", "lo."],
        ["Hm", "…"],
      ],
    );
    const reply = live.context.transcript.at(-1);
    assert.equal(outcome.lastMessageId, reply?.id);
    assert.deepEqual(reply?.content, [
      { type: "reasoning", text: "Hm…", signature: "sig" },
      { type: "text", text: "Hello." },
    ]);
    assert.deepEqual(reply?.usage, { inputTokens: 500, outputTokens: 9, model: "test/scripted" });
    assert.deepEqual([live.meter.usedTokens, live.meter.basis], [509, "reported"]);
  });

  it("leaves no call without its result, and sends none open", async () => {
    const live = await world.start([user("u0", "Hi"), calls("c0", "open"), user("u1", "Hello?")]);
    const calling = model([
      { type: "tool-call", toolCallId: "1", toolName: "read", input: {} },
      { type: "tool-call", toolCallId: "2", toolName: "read", input: {} },
    ]);
    await chat(live, calling);
    const sent = calling.requests[0]?.messages ?? [];
    assert.ok(
      sent.some(
        ({ role, content }) =>
          role === "tool" && content[0]?.type === "tool-result" && content[0].toolCallId === "open",
      ),
    );
    const results = live.context.transcript.slice(-2);
    assert.deepEqual(
      results.map(({ role, content }) => [role, content[0]?.type === "tool-result" && content[0].isError]),
      [
        ["tool", true],
        ["tool", true],
      ],
    );
  });

  it("writes attachments before the question, each of its kind", async () => {
    const live = await world.start([]);
    await chat(live, model(HELLO), {
      attachments: [{ name: "a.ts", content: [{ type: "text", text: "file a" }] }],
    });
    assert.deepEqual(
      live.context.transcript.map((message) => [message.kind, textOf(message)]),
      [
        ["attachment", "file a"],
        [undefined, "Go on."],
        [undefined, "Hello."],
      ],
    );
  });

  it("keeps the partial reply of a provider that fails, and of a cancelled one that is silent for ever", async () => {
    const live = await world.start([]);
    const failing = new ScriptedModel(async function* (): AsyncGenerator<ModelChunk> {
      yield { type: "text", text: "Half" };
      throw new ModelError("rate", "slow down");
    });
    const failed = await chat(live, failing);
    assert.deepEqual(
      [failed.state, failed.error],
      ["provider_error", { code: "rate", message: "slow down" }],
    );
    assert.equal(textOf(live.context.transcript.at(-1) ?? assert.fail()), "Half");

    const abort = new AbortController();
    const silent = new ScriptedModel(async function* (): AsyncGenerator<ModelChunk> {
      yield { type: "text", text: "Quarter" };
      await new Promise(() => {});
    });
    const cancelled = await chat(live, silent, { signal: abort.signal, onText: () => abort.abort() });
    assert.equal(cancelled.state, "cancelled");
    assert.equal(textOf(live.context.transcript.at(-1) ?? assert.fail()), "Quarter");
  });

  it("keeps the question where nothing came back", async () => {
    const live = await world.start([]);
    const outcome = await chat(live, new ScriptedModel(async function* () {}));
    assert.equal(outcome.state, "complete");
    assert.deepEqual(live.context.transcript.map(textOf), ["Go on."]);
  });

  describe("and window pressure", () => {
    const automatic = (mode: "ask" | "on" | "off", minRemaining = 2000): void => {
      const policy = { ...world.settings.policy, minRemaining };
      world.settings = { ...world.settings, automatic: mode, policy };
    };

    async function runs(live: LiveSession, chatModel: ChatModel, changes: Partial<ChatRequest> = {}) {
      const seen: CompactOutcome[] = [];
      const outcome = await chat(live, chatModel, { ...changes, onCompaction: (run) => seen.push(run) });
      return { outcome, states: seen.map(({ state }) => state) };
    }

    it("fires exactly at the line that the meter draws, with the new messages in", async () => {
      automatic("on", 4000);
      const small = model(HELLO, 32_000);
      const live = await world.start(workDay());
      await live.setModel(small);
      const line = live.meter.triggerLine ?? assert.fail();
      const used = live.meter.usedTokens ?? assert.fail();
      assert.equal(live.meter.basis, "counted");
      // "xxxx…" of so many tokens, the way this model counts.
      const missing = (tokens: number) => "x".repeat((line - used - tokens) * 4);
      const below = await world.start(workDay());
      assert.deepEqual((await runs(below, small, { text: missing(1) })).states, []);
      const at = await world.start(workDay());
      assert.notDeepEqual((await runs(at, small, { text: missing(0) })).states, []);
    });

    it("does nothing when it is off, undecided, or paused by an undo", async () => {
      const small = model(HELLO, 12_000);
      automatic("off");
      assert.deepEqual((await runs(await world.start(workDay()), small)).states, []);
      automatic("ask");
      assert.deepEqual((await runs(await world.start(workDay()), small)).states, []);
      assert.deepEqual(
        (await runs(await world.start(workDay()), small, { mayCompact: async () => false })).states,
        [],
      );
      automatic("on");
      const live = await world.start(workDay());
      assert.deepEqual((await runs(live, small)).states.length, 1);
      await live.undo();
      assert.deepEqual((await runs(live, small)).states, []);
      await live.allowAutomatic();
      assert.deepEqual((await runs(live, small)).states.length, 1);
    });

    it("asks with the reading, and compacts on a yes", async () => {
      automatic("ask");
      const asked: (number | undefined)[] = [];
      const { states } = await runs(await world.start(workDay()), model(HELLO, 12_000), {
        mayCompact: async (meter) => {
          asked.push(meter.triggerLine);
          return true;
        },
      });
      assert.deepEqual(asked, [10_000]);
      assert.equal(states.length, 1);
    });

    it("rests on no estimate, unless the person turned that on", async () => {
      automatic("on");
      const uncounted = model(HELLO, 12_000);
      delete uncounted.countTokens;
      // Estimated above the ceiling, too: nothing is compacted, and nothing is sent.
      assert.deepEqual((await runs(await world.start(workDay()), uncounted)).states, []);
      world.settings = { ...world.settings, estimatedMode: true };
      assert.equal((await runs(await world.start(workDay()), uncounted)).states.length, 1);
    });

    it("sends no request above the ceiling", async () => {
      automatic("off");
      const tiny = model(HELLO, 4000);
      const { outcome } = await runs(await world.start(workDay()), tiny);
      assert.equal(outcome.state, "stopped");
      assert.equal(tiny.requests.length, 0);
    });

    it("calls the given summarizer and not the chat's model, which answers from the capsule", async () => {
      automatic("on");
      const summarizer = model([]);
      const small = model(HELLO, 12_000);
      const { states } = await runs(await world.start(talk()), small, { summarizer });
      assert.deepEqual(states, ["summarized"]);
      assert.equal(summarizer.requests.length, 1);
      assert.equal(small.requests.length, 1);
      assert.ok(small.requests[0]?.messages.some(({ kind }) => kind === "capsule"));
    });

    it("cancelled in the run, it sends nothing and keeps the question", async () => {
      automatic("on", 9000);
      const abort = new AbortController();
      const never = new ScriptedModel(
        () => ({
          [Symbol.asyncIterator]: () => ({ next: () => new Promise<IteratorResult<ModelChunk>>(() => {}) }),
        }),
        12_000,
      );
      never.countTokens = async (text) => Math.ceil(text.length / 4);
      const live = await world.start(talk());
      const { outcome } = await runs(live, never, {
        signal: abort.signal,
        onPhase: (phase) => {
          if (phase === "summarizing") abort.abort();
        },
      });
      assert.equal(outcome.state, "cancelled");
      assert.equal(textOf(live.context.transcript.at(-1) ?? assert.fail()), "Go on.");
      assert.equal(live.meter.running, undefined);
    });
  });
});
