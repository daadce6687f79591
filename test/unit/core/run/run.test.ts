import assert from "node:assert/strict";
import { describe, it } from "mocha";
import { createBudgetMeter } from "../../../../src/core/budget/budgetMeter.ts";
import type { Message } from "../../../../src/core/messages.ts";
import { ModelError } from "../../../../src/core/model.ts";
import type { Agent, AgentTool } from "../../../../src/core/run/agent.ts";
import { run } from "../../../../src/core/run/run.ts";
import { user } from "../messageBuilders.ts";
import { callOf, openCalls, ReplyingModel, RunWorld, readsFiles, readTool, resultsOf } from "./runWorld.ts";

const never = () => new Promise<string>(() => {});

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

function tool(name: string, execute: AgentTool["execute"]): AgentTool {
  return { name, description: name, execute };
}

describe("the agent loop", () => {
  it("answers a prompt and stops as complete", async () => {
    const model = new ReplyingModel([{ text: "Hello." }]);
    const world = new RunWorld({ model, tools: [] });
    const result = await world.run({}, "Hi");
    assert.deepEqual([result.stopReason, result.text, result.finishReason], ["complete", "Hello.", "stop"]);
    assert.deepEqual(
      result.messages.map(({ role }) => role),
      ["user", "assistant"],
    );
    assert.deepEqual(world.session.messages(), result.messages);
    assert.deepEqual(model.requests[0]?.messages, result.messages.slice(0, 1));
    assert.deepEqual(result.messages[1]?.usage, { inputTokens: 100, outputTokens: 10, model: "test/worker" });
  });

  it("carries out calls, shows their results to the model, and goes on", async () => {
    const model = new ReplyingModel(readsFiles(2));
    const world = new RunWorld({ model });
    const result = await world.run();
    assert.equal(result.stopReason, "complete");
    assert.equal(model.requests.length, 3);
    assert.deepEqual(
      resultsOf(model.requests[2]?.messages ?? []).map(({ output }) => output),
      ["file-0.ts...........", "file-1.ts..........."],
    );
    assert.deepEqual(model.requests[0]?.tools, [{ name: "read", description: "Reads a file." }]);
    assert.equal(model.requests[0]?.maxOutputTokens, 1000);
  });

  it("tells of everything as it happens", async () => {
    const world = new RunWorld({
      model: new ReplyingModel([{ text: "I read.", ...callOf("a") }, { text: "Done." }]),
    });
    await world.run();
    assert.deepEqual(
      world.events.map(({ type }) => type),
      ["call", "text", "tool_call", "settled", "tool_result", "call", "text", "settled"],
    );
  });

  it("runs the calls of one reply side by side, and keeps their results in the order of the calls", async () => {
    const gates: (() => void)[] = [];
    const started: unknown[] = [];
    const wait = tool("wait", (input) => {
      started.push(input);
      return new Promise((resolve) => gates.push(() => resolve(`after ${String(input)}`)));
    });
    const model = new ReplyingModel([
      {
        calls: [
          ["wait", 1],
          ["wait", 2],
          ["wait", 3],
        ],
      },
      { text: "ok" },
    ]);
    const world = new RunWorld({ model, tools: [wait] });
    const running = world.run();
    await until(() => gates.length === 3);
    assert.deepEqual(started, [1, 2, 3]);
    for (const gate of gates.reverse()) gate();
    await running;
    assert.deepEqual(
      resultsOf(world.session.messages()).map(({ output }) => output),
      ["after 1", "after 2", "after 3"],
    );
    assert.deepEqual(
      world.eventsOf("tool_result").map(({ result }) => result.output),
      ["after 3", "after 2", "after 1"],
    );
  });

  it("a tool that fails, gives back nothing, or does not exist is an error result that the model reads", async () => {
    const model = new ReplyingModel([
      {
        calls: [
          ["throws", 1],
          ["refuses", 1],
          ["empty", 1],
          ["nothing", 1],
        ],
      },
      { text: "I see." },
    ]);
    const tools = [
      tool("throws", () => Promise.reject(new Error("disk full"))),
      tool("refuses", () => ({ output: "not allowed", isError: true })),
      tool("empty", () => ({}) as unknown as string),
    ];
    const world = new RunWorld({ model, tools });
    const result = await world.run();
    assert.equal(result.stopReason, "complete");
    assert.deepEqual(
      resultsOf(result.messages).map(({ output, isError }) => [output, isError]),
      [
        ["The tool failed: disk full", true],
        ["not allowed", true],
        ["The tool failed: it gave back no text.", true],
        ['There is no tool "nothing".', true],
      ],
    );
  });

  it("takes messages as a prompt, and goes on in a session that has some", async () => {
    const attached: Message = {
      id: "at",
      role: "user",
      kind: "attachment",
      content: [{ type: "text", text: "A" }],
    };
    const model = new ReplyingModel([{ text: "ok" }]);
    const world = new RunWorld({ model }, { messages: [user("u0", "Earlier.")] });
    await world.run({}, [attached, user("u1", "Now.")]);
    assert.deepEqual(
      model.requests[0]?.messages.map(({ id }) => id),
      ["u0", "at", "u1"],
    );
    await world.run({}, []);
    assert.equal(model.requests[1]?.messages.length, 4);
  });

  it("begins its own session with the agent's instructions", async () => {
    const model = new ReplyingModel([{ text: "ok" }]);
    const world = new RunWorld({ model, instructions: "Be brief." });
    await run(world.agent, "Hi");
    assert.deepEqual(
      model.requests[0]?.messages.map(({ role }) => role),
      ["system", "user"],
    );
  });

  it("a later request never shares its list with the session", async () => {
    const model = new ReplyingModel(readsFiles(1));
    await new RunWorld({ model }).run();
    assert.deepEqual(
      model.requests.map(({ messages }) => messages.length),
      [1, 3],
    );
  });

  const refusals: readonly (readonly [string, Partial<Agent>, string | readonly Message[], RegExp])[] = [
    ["nothing to send", {}, [], /nothing to send/],
    ["two tools of one name", { tools: [readTool(), readTool()] }, "Hi", /Two tools are named "read"/],
    ["a reply cap of nothing", { maxOutputTokens: 0 }, "Hi", /reply cap of the agent is 0/],
  ];
  for (const [what, agent, prompt, sentence] of refusals) {
    it(`refuses ${what} before any call`, async () => {
      const model = new ReplyingModel([{ text: "ok" }]);
      const world = new RunWorld({ model, ...agent });
      await assert.rejects(world.run({}, prompt), (error: { code: string; message: string }) => {
        assert.equal(error.code, "invalid_options");
        assert.match(error.message, sentence);
        return true;
      });
      assert.equal(model.requests.length, 0);
    });
  }
});

describe("a run never leaves a call without its result", () => {
  it("on a reply that breaks off after its calls", async () => {
    const model = new ReplyingModel([{ ...callOf("a"), breaks: new ModelError("network", "gone") }]);
    const world = new RunWorld({ model });
    const result = await world.run();
    assert.deepEqual(
      [result.stopReason, result.error],
      ["provider_error", { code: "network", message: "gone" }],
    );
    assert.deepEqual(openCalls(result.messages), []);
    assert.match(resultsOf(result.messages)[0]?.output ?? "", /the reply that made this call broke off/);
    assert.equal(result.receipt.errorCode, "network");
  });

  it("on a cancel while tools are at work: it ends at once, and what comes later is dropped", async () => {
    const abort = new AbortController();
    const late: ((text: string) => void)[] = [];
    const slow = tool("slow", () => new Promise((resolve) => late.push(resolve)));
    const model = new ReplyingModel([
      {
        calls: [
          ["read", { path: "a" }],
          ["slow", {}],
        ],
      },
    ]);
    const world = new RunWorld({ model, tools: [readTool(), slow] });
    const running = world.run({ signal: abort.signal });
    await until(() => late.length === 1 && world.eventsOf("tool_result").length === 1);
    abort.abort();
    const result = await running;
    late[0]?.("too late");
    assert.equal(result.stopReason, "cancelled");
    assert.deepEqual(openCalls(result.messages), []);
    assert.deepEqual(
      resultsOf(world.session.messages()).map(({ output }) => output),
      ["a...................", "No result: the run was interrupted before the call was answered."],
    );
    assert.deepEqual(result.receipt.tools, [
      { name: "read", calls: 1, errors: 0, refused: 0 },
      { name: "slow", calls: 1, errors: 1, refused: 0 },
    ]);
  });

  it("on a cancel in the middle of a reply; the text so far stays", async () => {
    const abort = new AbortController();
    const model = new ReplyingModel([{ text: "So far", ...callOf("a"), hangs: true }]);
    const world = new RunWorld({ model });
    const running = world.run({ signal: abort.signal });
    await until(() => world.eventsOf("tool_call").length === 1);
    abort.abort();
    const result = await running;
    assert.deepEqual([result.stopReason, result.text], ["cancelled", "So far"]);
    assert.deepEqual(openCalls(result.messages), []);
  });

  it("a cancel before the first call sends nothing", async () => {
    const abort = new AbortController();
    abort.abort();
    const model = new ReplyingModel([{ text: "ok" }]);
    const result = await new RunWorld({ model }).run({ signal: abort.signal });
    assert.deepEqual([result.stopReason, model.requests.length], ["cancelled", 0]);
    assert.equal(result.messages.length, 1);
  });

  it("a provider that says it was cancelled is no failure", async () => {
    const model = new ReplyingModel([{ failsAtOnce: new ModelError("cancelled", "no consent") }]);
    const result = await new RunWorld({ model }).run();
    assert.deepEqual([result.stopReason, result.error], ["cancelled", undefined]);
  });

  it("a model that throws before it streams is a provider error of code unknown", async () => {
    const model = new ReplyingModel([{ failsAtOnce: new TypeError("broken adapter") }]);
    const result = await new RunWorld({ model }).run();
    assert.deepEqual(result.error, { code: "unknown", message: "broken adapter" });
    assert.equal(result.receipt.errorCode, "unknown");
  });
});

describe("a run ends at its deadline", () => {
  it("in the middle of a reply", async () => {
    const model = new ReplyingModel([{ text: "So far", ...callOf("a"), hangs: true }]);
    const world = new RunWorld({ model });
    const running = world.run({ deadline: 500 });
    await until(() => world.eventsOf("tool_call").length === 1);
    world.clock.pass(500);
    const result = await running;
    assert.deepEqual([result.stopReason, result.text], ["deadline", "So far"]);
    assert.deepEqual(openCalls(result.messages), []);
    assert.equal(world.clock.isAwaited, false);
  });

  it("in the middle of a tool's work", async () => {
    const world = new RunWorld({ model: new ReplyingModel([callOf("a")]), tools: [tool("read", never)] });
    const running = world.run({ deadline: 500 });
    await until(() => world.eventsOf("settled").length === 1);
    world.clock.pass(499);
    world.clock.pass(1);
    const result = await running;
    assert.equal(result.stopReason, "deadline");
    assert.deepEqual(openCalls(result.messages), []);
  });

  it("before a call, where nothing can wait", async () => {
    const model = new ReplyingModel(readsFiles(5));
    let now = 0;
    const world = new RunWorld({ model, now: () => (now += 10), delay: undefined as never });
    const result = await world.run({ deadline: 60 });
    assert.equal(result.stopReason, "deadline");
    assert.ok(model.requests.length < 5);
  });

  it("and lets go of its timer when it ends before", async () => {
    const world = new RunWorld({ model: new ReplyingModel([{ text: "ok" }]) });
    const result = await world.run({ deadline: 500 });
    assert.deepEqual([result.stopReason, world.clock.isAwaited], ["complete", false]);
  });
});

describe("a run that turns in circles", () => {
  it("the same call 3 times within 8 rounds stops as loop_detected; the third is not carried out", async () => {
    let carriedOut = 0;
    const read = tool("read", () => `text ${++carriedOut}`);
    const world = new RunWorld({ model: new ReplyingModel([callOf("a.ts")]), tools: [read] });
    const result = await world.run();
    assert.deepEqual([result.stopReason, carriedOut], ["loop_detected", 2]);
    assert.deepEqual(openCalls(result.messages), []);
    assert.match(resultsOf(result.messages).at(-1)?.output ?? "", /the same call was made again and again/);
  });

  it("whatever order the input's fields have", async () => {
    const inputs = [
      { a: 1, b: { c: 2, d: 3 } },
      { b: { d: 3, c: 2 }, a: 1 },
      { a: 1, b: { d: 3, c: 2 } },
    ];
    const model = new ReplyingModel(inputs.map((input) => ({ calls: [["read", input]] })));
    const result = await new RunWorld({ model }).run();
    assert.deepEqual([result.stopReason, model.requests.length], ["loop_detected", 3]);
  });

  it("three of them in one reply are three", async () => {
    const same = ["read", { path: "a" }] as const;
    const result = await new RunWorld({ model: new ReplyingModel([{ calls: [same, same, same] }]) }).run();
    assert.equal(result.stopReason, "loop_detected");
    assert.equal(result.receipt.totals.toolCalls, 0);
  });

  for (const [between, stopReason] of [
    [5, "loop_detected"],
    [6, "complete"],
  ] as const) {
    it(`with ${between} other rounds between the second and the third it ends as ${stopReason}`, async () => {
      const others = Array.from({ length: between }, (_, at) => callOf(`other-${at}`));
      const model = new ReplyingModel([callOf("a"), callOf("a"), ...others, callOf("a"), { text: "Done." }]);
      assert.equal((await new RunWorld({ model }).run()).stopReason, stopReason);
    });
  }

  it("another tool or another input is another call", async () => {
    const model = new ReplyingModel([
      {
        calls: [
          ["read", { path: "a" }],
          ["stat", { path: "a" }],
        ],
      },
      {
        calls: [
          ["read", { path: "a" }],
          ["stat", { path: "b" }],
        ],
      },
      {
        calls: [
          ["stat", { path: "a" }],
          ["read", ["a"]],
        ],
      },
      { text: "Done." },
    ]);
    const result = await new RunWorld({ model, tools: [readTool(), tool("stat", () => "ok")] }).run();
    assert.equal(result.stopReason, "complete");
  });
});

describe("the most tool calls of a run", () => {
  it("stops as max_tool_calls, with those carried out that were left", async () => {
    const model = new ReplyingModel([
      {
        calls: [
          ["read", { path: "a" }],
          ["read", { path: "b" }],
        ],
      },
      {
        calls: [
          ["read", { path: "c" }],
          ["read", { path: "d" }],
        ],
      },
    ]);
    const result = await new RunWorld({ model }).run({ maxToolCalls: 3 });
    assert.equal(result.stopReason, "max_tool_calls");
    assert.equal(result.receipt.totals.toolCalls, 3);
    assert.deepEqual(openCalls(result.messages), []);
    assert.match(resultsOf(result.messages).at(-1)?.output ?? "", /may make no more tool calls/);
  });

  it("exactly so many is no stop: the model may still answer", async () => {
    const result = await new RunWorld({ model: new ReplyingModel(readsFiles(3)) }).run({ maxToolCalls: 3 });
    assert.equal(result.stopReason, "complete");
  });

  it("is 100 where nobody says so, and the budget's where there is one", async () => {
    const many = await new RunWorld({ model: new ReplyingModel(readsFiles(101)) }).run();
    assert.deepEqual([many.stopReason, many.receipt.totals.toolCalls], ["max_tool_calls", 100]);
    const budget = { maxTokens: 1_000_000, onExhausted: "stop", maxToolCalls: 2 } as const;
    const few = await new RunWorld({ model: new ReplyingModel(readsFiles(5)) }).run({
      budget,
      maxToolCalls: 50,
    });
    assert.deepEqual([few.stopReason, few.receipt.totals.toolCalls], ["max_tool_calls", 2]);
  });
});

describe("the session of a run", () => {
  it("is written before anything goes on: reserve before the call, reply before its tools", async () => {
    const log: string[] = [];
    const model = new ReplyingModel(readsFiles(1));
    const world = new RunWorld({
      model,
      tools: [{ ...readTool(), execute: () => `line ${log.push("tool")}` }],
    });
    const append = world.session.append.bind(world.session);
    world.session.append = async (items) => {
      log.push(items.map((item) => (item.type === "meter" ? item.record.type : item.message.role)).join("+"));
      await append(items);
    };
    const stream = model.stream.bind(model);
    model.stream = (request, signal) => {
      log.push("stream");
      return stream(request, signal);
    };
    await world.run({ budget: { maxTokens: 100_000, onExhausted: "stop" } });
    assert.deepEqual(log, [
      "declared+user",
      "reserved",
      "stream",
      "settled+assistant",
      "tool",
      "tool",
      "reserved",
      "stream",
      "settled+assistant",
    ]);
  });

  it("that cannot be written rejects the run, and nothing stays reserved", async () => {
    const model = new ReplyingModel([{ text: "ok" }]);
    const world = new RunWorld({ model });
    const meter = createBudgetMeter({ maxTokens: 100_000, onExhausted: "stop" });
    const append = world.session.append.bind(world.session);
    world.session.append = (items) =>
      items.some(({ type }) => type === "meter") ? Promise.reject(new Error("disk full")) : append(items);
    await assert.rejects(world.run({ meter }), /disk full/);
    assert.deepEqual([model.requests.length, meter.reading.reserved], [0, 0]);
  });

  it("makes room before every call, and may refuse it", async () => {
    const model = new ReplyingModel(readsFiles(5));
    const world = new RunWorld({ model });
    let asked = 0;
    Object.assign(world.session, { makeRoom: async () => ({ mayPass: ++asked < 3 }) });
    const result = await world.run();
    assert.deepEqual([result.stopReason, model.requests.length], ["context_full", 2]);
    assert.deepEqual(openCalls(result.messages), []);
  });

  it("a listener that throws ends the run, which rejects with what it threw", async () => {
    const world = new RunWorld({ model: new ReplyingModel([{ ...callOf("a"), text: "Hm" }]) });
    const onEvent = () => {
      throw new Error("listener");
    };
    await assert.rejects(world.run({ onEvent }), /listener/);
    assert.deepEqual(openCalls(world.session.messages()), []);
  });
});
