import assert from "node:assert/strict";
import { describe, it } from "mocha";
import { estimateContext } from "../../../src/core/estimate.ts";
import type { Message } from "../../../src/core/messages.ts";
import { textOf } from "../../../src/core/messages.ts";
import type { ModelChunk } from "../../../src/core/model.ts";
import { ModelError } from "../../../src/core/model.ts";
import { defaultPolicy } from "../../../src/core/policy.ts";
import { projectContext } from "../../../src/core/projection.ts";
import type { CompactionRecord } from "../../../src/core/records.ts";
import { utf8Length } from "../../../src/core/utf8.ts";
import { draftText, LadderWorld, ScriptedModel } from "./ladderWorld.ts";
import { assistant, calls, result, user } from "./messageBuilders.ts";

const RULE = "Never push to main without a review.";

/** Six turns of a question, a call, a result and an answer; the rule stands in the second one. */
function workDay(outputTokens = 2000, turns = 6): Message[] {
  const messages: Message[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    const request =
      turn === 0 ? "Port the parser to the new API." : turn === 1 ? RULE : `Go on with step ${turn}.`;
    messages.push(user(`u${turn}`, request), calls(`c${turn}`, `call_${turn}`));
    messages.push(
      result(`r${turn}`, `call_${turn}`, `line ${turn} `.repeat(Math.ceil((outputTokens * 4) / 7))),
    );
    messages.push(assistant(`a${turn}`, `Step ${turn} is done. ${"It went as planned. ".repeat(20)}`));
  }
  return messages;
}

function failing(error: unknown): AsyncIterable<ModelChunk> {
  return { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(error) }) };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

describe("the ladder by hand", () => {
  it("evicts first, then summarizes, and what it says is what the branch projects to", async () => {
    const world = new LadderWorld(workDay());
    const outcome = await world.run({ model: new ScriptedModel(draftText()) });
    assert.equal(outcome.state, "summarized");
    assert.deepEqual(
      world.written.map((item) => item.type),
      ["eviction", "compaction"],
    );
    assert.deepEqual(world.state.messages, outcome.messages);
    assert.ok(outcome.after < outcome.before);
    for (const receipt of outcome.receipts) assert.ok(receipt.after < receipt.before);
    assert.equal(outcome.receipts[0]?.before, outcome.before);
    assert.equal(outcome.receipts.at(-1)?.after, outcome.after);
    assert.equal(world.state.summary?.generation, 1);
  });

  it("gives the summarizer the originals of what this run evicted, and no callable tool", async () => {
    const world = new LadderWorld(workDay());
    const model = new ScriptedModel(draftText());
    await world.run({ model });
    assert.match(model.sent(0), /line 0 line 0/);
    assert.deepEqual(model.requests[0]?.tools, []);
    assert.equal(model.requests[0]?.messages.length, 1);
  });

  it("shows the summarizer the request and the pins that stay, shortened", async () => {
    const long = `Port the parser. ${"It matters. ".repeat(400)}Start with the lexer.`;
    const [, ...rest] = workDay();
    const world = new LadderWorld([user("u0", long), ...rest]);
    world.branch.push({ type: "commitment", record: { id: "pin", action: "pin", messageId: "u2" } });
    const model = new ScriptedModel(draftText());
    await world.run({ model });
    const sent = model.sent(0);
    assert.match(sent, /\| Port the parser\./);
    assert.match(sent, /\| Go on with step 2\./);
    assert.match(sent, /bytes of \d+ left out/);
    assert.ok(sent.indexOf("stay beside your summary") < sent.indexOf("Port the parser."));
    assert.ok(!sent.includes(long));
  });

  it("keeps a request of the user in every later generation, byte for byte", async () => {
    const world = new LadderWorld(workDay(600, 4));
    const draft = draftText({
      anchors: [{ kind: "constraint", text: RULE, critical: true, source_segment_id: "u1" }],
    });
    await world.run({ model: new ScriptedModel(draft) });
    for (let round = 0; round < 30; round += 1) {
      for (const message of workDay(600, 3)) {
        world.branch.push({ type: "message", message: renamed(message, `${round}-`) });
      }
      const outcome = await world.run({
        model: new ScriptedModel(draftText({ objective: `Round ${round}` })),
      });
      assert.equal(
        outcome.state,
        "summarized",
        `round ${round}: ${outcome.reason} ${outcome.failures.join()}`,
      );
    }
    const { summary, messages } = world.state;
    assert.equal(summary?.generation, 31);
    assert.equal(summary?.anchors.find((anchor) => anchor.text === RULE)?.critical, true);
    assert.equal(textOf(messages[0] as Message), "Port the parser to the new API.");
    assert.ok(messages.some((message) => message.kind === "capsule" && textOf(message).includes(RULE)));
    assert.equal(messages.filter((message) => message.kind === "capsule").length, 1);
  });

  it("says there is nothing to do where nothing can leave, and writes nothing", async () => {
    const world = new LadderWorld([user("u", "Hello"), assistant("a", "Hello!")]);
    const outcome = await world.run({ model: new ScriptedModel(draftText()) });
    assert.deepEqual([outcome.state, outcome.reason], ["nothing_to_do", "nothing_leaves"]);
    assert.deepEqual(world.written, []);
  });

  it("does not pay for three short turns", async () => {
    const world = new LadderWorld(
      ["One.", "Two.", "Three."].flatMap((text, at) => [user(`u${at}`, text), assistant(`a${at}`, text)]),
    );
    const model = new ScriptedModel(draftText());
    const outcome = await world.run({
      model,
      policy: { ...defaultPolicy, keepRecentTokens: 1, keepRecentTurns: 1 },
    });
    assert.deepEqual([outcome.state, outcome.reason], ["declined", "gain_too_small"]);
    assert.equal(model.requests.length, 0);
    assert.equal(outcome.after, outcome.before);
  });

  it("rejects a capsule that is not smaller than what it replaces: nothing worth compacting", async () => {
    const messages = workDay(100);
    const world = new LadderWorld(messages);
    const facts = Array.from({ length: 200 }, (_, at) => `Fact ${at}: ${"x".repeat(200)}`);
    const outcome = await world.run({ model: new ScriptedModel(draftText({ facts })) });
    assert.deepEqual([outcome.state, outcome.reason], ["rejected", "gain_too_small"]);
    assert.deepEqual(outcome.failures, ["not_smaller"]);
    assert.deepEqual(world.state.messages, messages);
    assert.deepEqual(
      world.written.map((item) => item.type),
      ["attempt"],
    );
  });

  it("without a model it evicts and says why there is no summary", async () => {
    const world = new LadderWorld(workDay());
    const outcome = await world.run();
    assert.equal(outcome.state, "evicted");
    assert.equal(outcome.summaryFailure?.reason, "no_model");
    assert.equal(outcome.nextAction, "choose_model");
    assert.deepEqual(world.state.messages, outcome.messages);
  });

  it("evicts nothing that is not stored", async () => {
    const world = new LadderWorld(workDay());
    const outcome = await world.run({ isStored: () => false });
    assert.deepEqual([outcome.state, outcome.reason], ["declined", "no_model"]);
    assert.equal(outcome.evictedCount, 0);
  });
});

describe("a failure leaves everything as it was", () => {
  const ends: [string, unknown, string, string | undefined][] = [
    ["401", new ModelError("authentication", "No key"), "provider_error", "authentication"],
    ["429", new ModelError("rate", "Slow down"), "provider_error", "rate"],
    ["a plain Error", new Error("Socket closed"), "provider_error", "unknown"],
  ];
  for (const [name, error, state, code] of ends) {
    it(`a summarizer that throws ${name}`, async () => {
      const messages = workDay();
      const world = new LadderWorld(messages);
      const outcome = await world.run({
        isStored: () => false,
        model: new ScriptedModel(() => failing(error)),
      });
      assert.equal(outcome.state, state);
      assert.equal(outcome.error?.code, code);
      assert.deepEqual(world.state.messages, messages);
      assert.deepEqual(
        world.written.map((item) => item.type),
        ["attempt"],
      );
      assert.notEqual(outcome.nextAction, "none");
    });
  }

  it("stays evicted, with the summary's failure beside it", async () => {
    const world = new LadderWorld(workDay());
    const model = new ScriptedModel(() => failing(new ModelError("rate", "Slow down")));
    const outcome = await world.run({ model });
    assert.equal(outcome.state, "evicted");
    assert.equal(outcome.summaryFailure?.error?.code, "rate");
    assert.equal(outcome.nextAction, "wait_and_retry");
    assert.deepEqual(world.state.messages, outcome.messages);
  });

  const replies: [string, string, () => AsyncIterable<ModelChunk>][] = [
    ["empty", "reply_empty", () => chunks({ type: "finish", reason: "stop" })],
    ["blank", "reply_empty", () => chunks({ type: "text", text: " \n " })],
    ["reasoning only", "reply_reasoning_only", () => chunks({ type: "reasoning", text: "Hm." })],
    [
      "cut off",
      "reply_cut_off",
      () => chunks({ type: "text", text: draftText().slice(0, 60) }, { type: "finish", reason: "length" }),
    ],
    [
      "cut off without a finish reason",
      "reply_cut_off",
      () => chunks({ type: "text", text: draftText().slice(0, 60) }),
    ],
    [
      "a refusal",
      "reply_refused",
      () => chunks({ type: "text", text: "I'm sorry, but I can't help with that." }),
    ],
    [
      "a tool call",
      "reply_tool_call",
      () => chunks({ type: "tool-call", toolCallId: "x", toolName: "read", input: {} }),
    ],
    ["prose around it", "reply_prose", () => chunks({ type: "text", text: `Here it is: ${draftText()}` })],
    [
      "two objects",
      "reply_two_objects",
      () => chunks({ type: "text", text: `${draftText()}\n${draftText()}` }),
    ],
    ["another shape", "schema", () => chunks({ type: "text", text: '{"summary":"We talked."}' })],
  ];
  for (const [name, code, reply] of replies) {
    it(`a reply that is ${name} is rejected as ${code}`, async () => {
      const messages = workDay();
      const world = new LadderWorld(messages);
      const outcome = await world.run({ isStored: () => false, model: new ScriptedModel(reply) });
      assert.equal(outcome.state, "rejected");
      assert.deepEqual(outcome.failures, [code]);
      assert.deepEqual(world.state.messages, messages);
    });
  }

  it("a write that fails stops the run with the context of the last rung", async () => {
    const world = new LadderWorld(workDay());
    const before = world.state.messages;
    const full = Object.assign(new Error("No space left on the disk"), { code: "disk_full" });
    const fail = () => Promise.reject(full);
    const journal = { eviction: fail, compaction: fail, attempt: fail };
    const outcome = await world.run({ model: new ScriptedModel(draftText()), journal });
    assert.deepEqual(
      [outcome.state, outcome.reason, outcome.error?.code],
      ["stopped", "write_failed", "disk_full"],
    );
    assert.deepEqual(outcome.messages, before);
    assert.equal(outcome.nextAction, "compact_again");
  });

  it("a run whose session another window took over ends with taking it back", async () => {
    const fail = () => Promise.reject(Object.assign(new Error("taken"), { code: "taken_over" }));
    const outcome = await new LadderWorld(workDay()).run({
      model: new ScriptedModel(draftText()),
      journal: { eviction: fail, compaction: fail, attempt: fail },
    });
    assert.deepEqual([outcome.reason, outcome.nextAction], ["write_failed", "take_over_session"]);
  });

  it("a boundary is written before the context changes", async () => {
    const world = new LadderWorld(workDay());
    const fail = () => Promise.reject(new Error("gone"));
    const outcome = await world.run({
      isStored: () => false,
      model: new ScriptedModel(draftText()),
      journal: { eviction: fail, compaction: fail, attempt: fail },
    });
    assert.equal(outcome.state, "stopped");
    assert.equal(outcome.summary, undefined);
    assert.equal(outcome.after, outcome.before);
  });
});

describe("time and cancel", () => {
  it("a summarizer that never answers has timed out after 60 seconds, and was told to stop", async () => {
    const world = new LadderWorld(workDay());
    let stopped = false;
    const model = new ScriptedModel((_request, signal) => {
      signal.addEventListener("abort", () => {
        stopped = true;
      });
      return { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) };
    });
    const running = world.run({ isStored: () => false, model });
    await until(() => world.clock.isAwaited);
    world.clock.pass(59_999);
    await until(() => world.clock.isAwaited);
    world.clock.pass(1);
    const outcome = await running;
    assert.deepEqual([outcome.state, outcome.reason], ["timed_out", "no_chunk_in_time"]);
    assert.equal(stopped, true);
  });

  it("one that trickles without end has timed out after 300 seconds in all", async () => {
    const world = new LadderWorld(workDay());
    const model = new ScriptedModel(async function* () {
      for (;;) {
        world.clock.pass(50_000);
        yield { type: "text" as const, text: "." };
      }
    });
    const outcome = await world.run({ isStored: () => false, model });
    assert.deepEqual([outcome.state, outcome.reason], ["timed_out", "too_long_in_all"]);
  });

  it("cancel ends at once, even where the model never answers, and a late answer is dropped", async () => {
    const messages = workDay();
    const world = new LadderWorld(messages);
    const abort = new AbortController();
    let answer: (chunk: IteratorResult<ModelChunk>) => void = () => {};
    const model = new ScriptedModel(() => ({
      [Symbol.asyncIterator]: () => ({
        next: () =>
          new Promise<IteratorResult<ModelChunk>>((resolve) => {
            answer = resolve;
          }),
      }),
    }));
    const running = world.run({ isStored: () => false, model, signal: abort.signal });
    await until(() => world.clock.isAwaited);
    abort.abort();
    const outcome = await running;
    answer({ done: false, value: { type: "text", text: draftText() } });
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(outcome.state, "cancelled");
    assert.deepEqual(world.state.messages, messages);
    assert.deepEqual(
      world.written.map((item) => item.type),
      ["attempt"],
    );
  });

  it("a model that ends its stream normally after a cancel is cancelled all the same", async () => {
    const world = new LadderWorld(workDay());
    const abort = new AbortController();
    const model = new ScriptedModel(async function* () {
      abort.abort();
      yield { type: "text" as const, text: draftText() };
    });
    const outcome = await world.run({ isStored: () => false, model, signal: abort.signal });
    assert.equal(outcome.state, "cancelled");
  });

  it("messages typed while it runs are kept, in order, behind the boundary", async () => {
    for (const keepRecentTokens of [200, 0]) {
      const world = new LadderWorld(workDay());
      const typed = user("typed", "One more thing.");
      const model = new ScriptedModel(async function* () {
        await Promise.resolve();
        world.branch.push({ type: "message", message: typed });
        yield { type: "text" as const, text: draftText() };
      });
      const policy = { ...defaultPolicy, keepRecentTokens, keepRecentTurns: keepRecentTokens === 0 ? 0 : 1 };
      const outcome = await world.run({ isStored: () => false, model, policy });
      assert.equal(outcome.state, "summarized");
      assert.deepEqual(world.state.messages, [...outcome.messages, typed]);
      assert.deepEqual(world.state.brokenBoundaries, []);
    }
  });
});

describe("window pressure", () => {
  const window = 8000;
  const policy = { ...defaultPolicy, keepRecentTokens: 1000, keepRecentTurns: 1 };
  const line = 6000;

  it("below the line nothing happens, on it the run begins", async () => {
    for (const [tokens, state] of [
      [line - 1, "nothing_to_do"],
      [line, "evicted"],
    ] as const) {
      const world = new LadderWorld(workDay(900));
      const used = { tokens, basis: "reported" as const };
      const outcome = await world.run({
        trigger: "window",
        window,
        policy,
        used,
        model: new ScriptedModel(draftText()),
      });
      assert.equal(outcome.state, state);
      assert.equal(world.written.length, state === "evicted" ? 1 : 0);
    }
  });

  it("no number, no automatic run", async () => {
    const world = new LadderWorld(workDay(900));
    const outcome = await world.run({
      trigger: "window",
      window,
      policy,
      model: new ScriptedModel(draftText()),
    });
    assert.deepEqual([outcome.state, outcome.reason], ["nothing_to_do", "no_provider_number"]);
  });

  it("unknown window, no automatic run; a manual one assumes 128000", async () => {
    const used = { tokens: 1_000_000, basis: "reported" as const };
    const world = new LadderWorld(workDay());
    const outcome = await world.run({ trigger: "window", window: undefined, policy, used });
    assert.deepEqual([outcome.state, outcome.reason], ["nothing_to_do", "window_unknown"]);
    const manual = await world.run({ window: undefined, model: new ScriptedModel(draftText()) });
    assert.equal(manual.state, "summarized");
  });

  it("eviction is free and no attempt, and the trigger is tested again after it", async () => {
    const world = new LadderWorld(workDay(900));
    const model = new ScriptedModel(draftText());
    const used = { tokens: line + 200, basis: "reported" as const };
    const outcome = await world.run({ trigger: "window", window, policy, used, model });
    assert.deepEqual([outcome.state, outcome.reason], ["evicted", "evicted_enough"]);
    assert.equal(model.requests.length, 0);
    const high = new LadderWorld(workDay(900));
    const more = { tokens: line * 3, basis: "reported" as const };
    const summarized = await high.run({
      trigger: "window",
      window: window * 3,
      policy: { ...policy, budget: window },
      used: more,
      model,
    });
    assert.equal(model.requests.length > 0, summarized.state === "summarized");
  });

  it("a floor at the ceiling stops before any call and lists its parts by size", async () => {
    const world = new LadderWorld([
      user("u0", "x".repeat(40_000)),
      assistant("a0", "Yes."),
      user("u1", "x".repeat(160_000)),
    ]);
    const model = new ScriptedModel(draftText());
    const used = { tokens: 50_000, basis: "reported" as const };
    const outcome = await world.run({ trigger: "window", window: 33_000, policy, used, model });
    assert.deepEqual([outcome.state, outcome.reason], ["stopped", "floor_at_ceiling"]);
    assert.equal(model.requests.length, 0);
    const sizes = outcome.floorParts.map((part) => part.tokens);
    assert.deepEqual(
      sizes,
      [...sizes].sort((a, b) => b - a),
    );
    assert.equal(outcome.floorParts[0]?.what, "tail");
    assert.deepEqual(
      world.written.map((item) => item.type),
      ["attempt"],
    );
  });

  it("pays once for the same content, by hand again", async () => {
    const world = new LadderWorld(workDay(900));
    const seen = new Set<string>();
    const options = {
      window,
      policy,
      used: { tokens: line, basis: "reported" as const },
      isStored: () => false,
      wasAttempted: (hash: string) => seen.has(hash),
      model: new ScriptedModel("no JSON"),
    };
    const first = await world.run({ ...options, trigger: "window" });
    assert.equal(first.state, "rejected");
    for (const item of world.branch) {
      if (item.type === "attempt" && item.record.contentHash !== undefined) seen.add(item.record.contentHash);
    }
    assert.equal(seen.size, 1);
    const second = await world.run({ ...options, trigger: "window" });
    assert.deepEqual([second.state, second.reason], ["declined", "already_attempted"]);
    assert.equal(options.model.requests.length, 1);
    await world.run({ ...options, trigger: "manual" });
    assert.equal(options.model.requests.length, 2);
  });

  it("declines before paying where the gain is under a tenth of the ceiling", async () => {
    const world = new LadderWorld(workDay(20, 3));
    const model = new ScriptedModel(draftText());
    const used = { tokens: line, basis: "reported" as const };
    const outcome = await world.run({
      trigger: "window",
      window,
      policy: { ...policy, keepRecentTokens: 1 },
      used,
      model,
      isStored: () => false,
    });
    assert.deepEqual([outcome.state, outcome.reason], ["declined", "gain_too_small"]);
    assert.equal(model.requests.length, 0);
  });
});

describe("a change said in a turn that a cut divides", () => {
  const CHANGE = "From now on push to main, reviews are off.";
  /** One turn of many rounds: a cut by tokens falls inside it, and its request stands before the capsule. */
  const longTurn = (prefix: string, request: string): Message[] => [
    user(`${prefix}u`, request),
    ...Array.from({ length: 12 }, (_, at) => [
      calls(`${prefix}c${at}`, `${prefix}call_${at}`),
      result(`${prefix}r${at}`, `${prefix}call_${at}`, `line ${at} `.repeat(300)),
    ]).flat(),
  ];
  const anchor = (text: string, source: string, supersedes: readonly string[] = []) =>
    draftText({
      anchors: [{ kind: "constraint", text, critical: true, source_segment_id: source, supersedes }],
    });

  it("retires the commitment once it leaves, though it stood before the capsule", async () => {
    const world = new LadderWorld([...workDay(600, 4), ...longTurn("x", CHANGE)]);
    await world.run({ model: new ScriptedModel(anchor(RULE, "u1")) });
    const { messages, summary } = world.state;
    const at = (isIt: (message: Message) => boolean) => messages.findIndex(isIt);
    assert.ok(at(({ id }) => id === "xu") < at(({ kind }) => kind === "capsule"));
    const key = summary?.anchors.find(({ critical }) => critical)?.key ?? "";
    for (const message of [...longTurn("y", "Go on."), ...longTurn("z", "And on.")])
      world.branch.push({ type: "message", message });
    const outcome = await world.run({ model: new ScriptedModel(anchor(CHANGE, "xu", [key])) });
    assert.equal(outcome.state, "summarized");
    assert.deepEqual(
      outcome.retired.map(({ text, sentence }) => [text, sentence]),
      [[RULE, CHANGE]],
    );
  });

  it("an older request that stood before the capsule retires nothing", async () => {
    const world = new LadderWorld([...workDay(600, 4), ...longTurn("x", RULE)]);
    world.branch.splice(4, 0, { type: "message", message: user("early", CHANGE) });
    world.branch.push({ type: "commitment", record: { id: "p", action: "pin", messageId: "early" } });
    world.branch.push(...longTurn("y", "Go on.").map((message) => ({ type: "message" as const, message })));
    await world.run({ model: new ScriptedModel(anchor(RULE, "xu")) });
    const key = world.state.summary?.anchors.find(({ critical }) => critical)?.key ?? "";
    assert.notEqual(key, "");
    world.branch.push({ type: "commitment", record: { id: "q", action: "unpin", messageId: "early" } });
    world.branch.push(...longTurn("z", "And on.").map((message) => ({ type: "message" as const, message })));
    const outcome = await world.run({ model: new ScriptedModel(anchor(CHANGE, "early", [key])) });
    assert.equal(outcome.state, "summarized");
    assert.deepEqual(outcome.retired, []);
    assert.ok(world.state.summary?.anchors.some(({ text, critical }) => critical && text === RULE));
  });
});

describe("the request for a summary fits the model that gets it", () => {
  it("a window of 8000 with a result of 9000 tokens in the middle", async () => {
    const messages = workDay(100, 6);
    messages.splice(6, 2, result("r1", "call_1", "wide ".repeat(7200)), assistant("a1", "Read."));
    const world = new LadderWorld(messages);
    const model = new ScriptedModel(draftText(), 8000);
    const outcome = await world.run({ window: 8000, model, isStored: () => false });
    assert.equal(outcome.state, "summarized");
    for (let at = 0; at < model.requests.length; at += 1) assert.ok(utf8Length(model.sent(at)) + 16 <= 8000);
  });

  it("several generations, oldest first, each accepted on its own, at most four paid calls", async () => {
    const world = new LadderWorld(workDay(400, 60));
    const model = new ScriptedModel(draftText(), 16_000);
    const outcome = await world.run({ model, isStored: () => false });
    assert.equal(outcome.state, "summarized");
    assert.equal(model.requests.length, 4);
    const records = world.branch.filter((item) => item.type === "compaction").map((item) => item.record);
    assert.deepEqual(
      records.map((record) => record.summary.generation),
      [1, 2, 3, 4],
    );
    const ordinals = records.map((record: CompactionRecord) => record.firstKeptOrdinal);
    assert.deepEqual(
      ordinals,
      [...ordinals].sort((a, b) => a - b),
    );
    assert.deepEqual(world.state.messages, outcome.messages);
  });

  it("the model's own count decides where it gives one", async () => {
    const world = new LadderWorld(workDay(400, 60));
    const model = new ScriptedModel(draftText(), 16_000);
    model.countTokens = (text) => Promise.resolve(Math.ceil(utf8Length(text) / 4));
    await world.run({ model, isStored: () => false });
    for (let at = 0; at < model.requests.length; at += 1) {
      assert.ok(Math.ceil(utf8Length(model.sent(at)) / 4) + 16 <= 16_000);
    }
    assert.ok(utf8Length(model.sent(0)) > 16_000);
  });

  it("a count under a sixteenth of the bytes is not believed", async () => {
    const world = new LadderWorld(workDay(400, 60));
    const model = new ScriptedModel(draftText(), 16_000);
    model.countTokens = () => Promise.resolve(3);
    await world.run({ model, isStored: () => false });
    for (let at = 0; at < model.requests.length; at += 1)
      assert.ok(utf8Length(model.sent(at)) + 16 <= 16_000);
  });

  it("one message of the user that is larger than the window is cut in the middle for the summarizer alone", async () => {
    const long = `Start. ${"word ".repeat(10_000)}The end.`;
    const world = new LadderWorld([
      user("u", "Hello"),
      assistant("a", "Hello."),
      user("long", long),
      ...workDay(100, 3),
    ]);
    const model = new ScriptedModel(draftText(), 12_000);
    const outcome = await world.run({ model, isStored: () => false });
    assert.equal(outcome.state, "summarized");
    for (let at = 0; at < model.requests.length; at += 1)
      assert.ok(utf8Length(model.sent(at)) + 16 <= 12_000);
    assert.match(model.requests.map((_, at) => model.sent(at)).join(), /bytes of .* left out/);
    const quotes = outcome.summary?.anchors.filter((anchor) => anchor.sourceSegmentId === "long");
    assert.deepEqual(quotes?.length, 2);
  });

  it("a model too small for the instruction itself stops the run and says so", async () => {
    const world = new LadderWorld(workDay());
    const model = new ScriptedModel(draftText(), 500);
    const outcome = await world.run({ model, isStored: () => false });
    assert.deepEqual([outcome.state, outcome.reason], ["stopped", "summary_request_too_big"]);
    assert.equal(model.requests.length, 0);
  });
});

describe("an estimate of the same measure", () => {
  it("before and after are the sums that the projection has", async () => {
    const world = new LadderWorld(workDay());
    const before = estimateContext(world.state.messages);
    const outcome = await world.run({ model: new ScriptedModel(draftText()) });
    assert.equal(outcome.before, before);
    assert.equal(outcome.after, estimateContext(projectContext(world.branch).messages));
  });
});

function renamed(message: Message, prefix: string): Message {
  return {
    ...message,
    id: `${prefix}${message.id}`,
    content: message.content.map((part) =>
      "toolCallId" in part ? { ...part, toolCallId: `${prefix}${part.toolCallId}` } : part,
    ),
  };
}

async function* chunks(...parts: ModelChunk[]): AsyncGenerator<ModelChunk> {
  await Promise.resolve();
  yield* parts;
}
