import assert from "node:assert/strict";
import { describe, it } from "mocha";
import { createBudgetMeter } from "../../../../src/core/budget/budgetMeter.ts";
import type { RunBudget, SpendCompactionOptions } from "../../../../src/core/budget/runBudget.ts";
import type { Message, Usage } from "../../../../src/core/messages.ts";
import { ModelError } from "../../../../src/core/model.ts";
import type { RunResult } from "../../../../src/core/run/runResult.ts";
import { draftText } from "../ladderWorld.ts";
import { assistant, user } from "../messageBuilders.ts";
import type { Reply } from "./runWorld.ts";
import { callOf, openCalls, ReplyingModel, RunWorld, readTool, Summarizer } from "./runWorld.ts";

const USAGE: Usage = { inputTokens: 4000, outputTokens: 500 };
const THOUGHT_BYTES = 20_000;
const COMPACTION: SpendCompactionOptions = { keepRecentTokens: 500, minYieldTokens: 1000 };

function compact(maxTokens: number, compaction: SpendCompactionOptions = {}): RunBudget {
  return { maxTokens, onExhausted: "compact", compaction: { ...COMPACTION, ...compaction } };
}

/** Rounds of a long thought and a call of a short file: nothing of it can be evicted. */
function thinks(rounds: number, name = "file"): Reply[] {
  const replies = Array.from({ length: rounds }, (_, at) => ({
    ...callOf(`${name}-${at}`),
    text: `Thought ${at}. `.repeat(THOUGHT_BYTES / 12),
    usage: USAGE,
  }));
  return [...replies, { text: "Done.", usage: USAGE }];
}

interface Ran {
  readonly world: RunWorld;
  readonly model: ReplyingModel;
  readonly summarizer: Summarizer;
  readonly result: RunResult;
}

async function ran(
  budget: RunBudget,
  options: {
    readonly replies?: readonly Reply[];
    readonly summary?: Reply;
    readonly toolBytes?: number;
    readonly prompt?: string;
    readonly messages?: readonly Message[];
  } = {},
): Promise<Ran> {
  const model = new ReplyingModel(options.replies ?? thinks(6));
  const summarizer = new Summarizer(options.summary);
  const tools = [readTool(options.toolBytes)];
  const { messages = [] } = options;
  const world = new RunWorld({ model, summarizer, tools }, { messages });
  const result = await world.run({ budget }, options.prompt ?? "Read the files.");
  return { world, model, summarizer, result };
}

const entries = ({ result }: Ran) =>
  result.receipt.compactions.map(({ rung, state, reason }) => `${rung} ${state} ${reason}`);

describe("the second trigger in a run", () => {
  it("summarizes once less is left than four cold calls, and the work goes on in the smaller context", async () => {
    const one = await ran(compact(300_000));
    const { world, model, summarizer, result } = one;
    assert.deepEqual(entries(one), ["summarize summarized summary_accepted"]);
    assert.deepEqual([result.stopReason, summarizer.requests.length], ["complete", 1]);
    const [entry] = result.receipt.compactions;
    assert.ok(entry !== undefined && entry.after < entry.before);
    assert.deepEqual([entry.trigger, entry.generation, entry.model], ["spend", 1, "test/summarizer"]);
    const capsules = model.requests.map(
      ({ messages }) => messages.filter(({ kind }) => kind === "capsule").length,
    );
    assert.deepEqual(capsules, [0, 0, 0, 0, 1, 1, 1]);
    assert.equal(world.session.state.brokenBoundaries.length, 0);
    assert.equal(world.session.meterRecords.filter(({ type }) => type === "settled").length, 8);
  });

  it("four ceilings exactly does not fire, one less does", async () => {
    // One round, then one more request: its cold cost is its upper count and the cap.
    const oneRound = [callOf("a"), { text: "Done." }].map((reply) => ({ ...reply, usage: null }));
    const probe = await ran(compact(900_000), { replies: oneRound });
    const [first, second] = probe.result.receipt.calls;
    assert.ok(first !== undefined && second !== undefined);
    const spent = first.inputTokens + first.outputTokens;
    const cold = second.inputTokens + second.outputTokens;
    const exactly = await ran(compact(spent + 4 * cold, { minYieldTokens: 1 }), { replies: oneRound });
    assert.deepEqual(exactly.world.eventsOf("compaction_phase"), []);
    const less = await ran(compact(spent + 4 * cold - 1, { minYieldTokens: 1 }), { replies: oneRound });
    assert.deepEqual(
      less.world.eventsOf("compaction_phase").map(({ phase }) => phase),
      ["planning"],
    );
  });

  it("`stop` never summarizes", async () => {
    const { world, summarizer, result } = await ran({ maxTokens: 100_000, onExhausted: "stop" });
    assert.equal(result.stopReason, "budget_exhausted");
    assert.deepEqual([summarizer.requests.length, result.receipt.compactions.length], [0, 0]);
    assert.deepEqual(
      world.session.branch.filter(({ type }) => type !== "message"),
      [],
    );
  });

  const phases = (one: Ran) => one.world.eventsOf("compaction_phase").length;

  it("no compaction after a round without tools", async () => {
    const long = { text: "x".repeat(80_000), usage: USAGE };
    const one = await ran(compact(40_000), { replies: [long] });
    assert.deepEqual([one.result.stopReason, phases(one)], ["complete", 0]);
  });

  it("no compaction after a loop stop", async () => {
    const same = ["read", { path: "a" }] as const;
    const replies = [{ text: "x".repeat(10_000), calls: [same, same, same], usage: USAGE }];
    const one = await ran(compact(30_000), { replies });
    assert.deepEqual([one.result.stopReason, phases(one)], ["loop_detected", 0]);
  });

  it("no compaction after the deadline", async () => {
    const model = new ReplyingModel(thinks(3));
    const world = new RunWorld({ model, summarizer: new Summarizer() });
    const execute = () => {
      world.clock.pass(100);
      return "text";
    };
    Object.assign(world.agent, { tools: [{ ...readTool(), execute }] });
    const result = await world.run({ budget: compact(50_000), deadline: 100 });
    assert.equal(result.stopReason, "deadline");
    assert.deepEqual([world.eventsOf("compaction_phase"), openCalls(result.messages)], [[], []]);
  });

  it("no compaction after the deadline, where nothing can wait either", async () => {
    const world = new RunWorld({
      model: new ReplyingModel(thinks(3)),
      summarizer: new Summarizer(),
      delay: undefined as never,
    });
    const execute = () => {
      world.clock.pass(100);
      return "text";
    };
    Object.assign(world.agent, { tools: [{ ...readTool(), execute }] });
    const result = await world.run({ budget: compact(50_000), deadline: 100 });
    assert.deepEqual([result.stopReason, world.eventsOf("compaction_phase").length], ["deadline", 0]);
  });

  it("is asked by the model's own count where it counts", async () => {
    const model = new ReplyingModel(thinks(6));
    model.countTokens = async (text) => Math.ceil(text.length / 4);
    const world = new RunWorld({ model, summarizer: new Summarizer() });
    const result = await world.run({ budget: compact(300_000) });
    assert.deepEqual([result.stopReason, result.receipt.compactions.length], ["complete", 0]);
  });
});

describe("eviction in a run", () => {
  const reads = (count: number): Reply[] => [
    ...Array.from({ length: count }, (_, at) => ({ ...callOf(`file-${at}`), usage: USAGE })),
    { text: "Done.", usage: USAGE },
  ];

  it("the trigger is tested again after eviction: where that is enough, nobody is paid", async () => {
    const one = await ran(compact(300_000), { replies: reads(5), toolBytes: 20_000 });
    assert.deepEqual(entries(one), ["evict evicted evicted_enough"]);
    assert.deepEqual([one.summarizer.requests.length, one.result.stopReason], [0, "complete"]);
    const [entry] = one.result.receipt.compactions;
    for (const digest of entry?.evictedDigests ?? [])
      assert.match(one.world.session.recover(digest), /^file-/);
  });

  it("eviction is free and no attempt: the one summary can still be made after it", async () => {
    const replies = [...reads(5).slice(0, -1), ...thinks(6, "later")];
    const one = await ran(compact(300_000), { replies, toolBytes: 20_000 });
    const states = one.result.receipt.compactions.map(({ state }) => state);
    assert.equal(states[0], "evicted");
    assert.ok(states.includes("summarized"), states.join());
    assert.equal(one.summarizer.requests.length, 1);
    assert.equal(one.result.receipt.compactions[0]?.call, null);
  });
});

describe("a paid summary in a run", () => {
  it("low yield declined before paying", async () => {
    const one = await ran(compact(300_000, { minYieldTokens: 100_000 }));
    assert.deepEqual(entries(one), ["summarize declined gain_too_small"]);
    assert.equal(one.summarizer.requests.length, 0);
    assert.equal(one.world.session.branch.filter(({ type }) => type === "attempt").length, 1);
  });

  it("headroom declined, attempt kept", async () => {
    const model = new ReplyingModel(thinks(8));
    const summarizer = new Summarizer();
    const meter = createBudgetMeter(compact(300_000, { headroomCalls: 30 }));
    let round = 0;
    const execute = () => {
      round += 1;
      if (round === 6) meter.redeclare(compact(300_000, { headroomCalls: 1 }));
      return "text";
    };
    const world = new RunWorld({ model, summarizer, tools: [{ ...readTool(), execute }] });
    const result = await world.run({ meter });
    assert.deepEqual(
      result.receipt.compactions.map(({ state, reason, workingCallsBefore }) => [
        state,
        reason,
        workingCallsBefore,
      ]),
      [
        ["declined", "budget_too_short", 4],
        ["summarized", "summary_accepted", 6],
      ],
    );
    assert.equal(summarizer.requests.length, 1);
  });

  it("paid and rejected is counted and the old context stands", async () => {
    const one = await ran(compact(300_000), { summary: { text: "I would rather chat." } });
    const { world, model, summarizer, result } = one;
    assert.deepEqual(entries(one), [
      "summarize rejected reply_rejected",
      "summarize declined compactions_used_up",
    ]);
    assert.equal(summarizer.requests.length, 1);
    assert.deepEqual(world.session.messages(), result.messages);
    assert.ok(model.requests.every(({ messages }) => messages.every(({ kind }) => kind === undefined)));
    const [rejected] = result.receipt.compactions;
    assert.deepEqual(
      [rejected?.call?.settlement, rejected?.call?.inputTokens, rejected?.after],
      ["measured", 1000, rejected?.before],
    );
    assert.equal(result.receipt.totals.summarizing.calls, 1);
  });

  it("a summarizer that never opens is unbilled, and not asked again and again", async () => {
    const one = await ran(compact(300_000), {
      summary: { failsAtOnce: new ModelError("authentication", "401") },
    });
    const [failed] = one.result.receipt.compactions;
    assert.deepEqual(
      [failed?.state, failed?.errorCode, failed?.call?.settlement],
      ["provider_error", "authentication", "unbilled"],
    );
    assert.deepEqual(
      [one.summarizer.requests.length, one.result.receipt.totals.summarizing.inputTokens],
      [1, 0],
    );
  });

  it("a summarizer that breaks off books its whole hold", async () => {
    const one = await ran(compact(300_000), { summary: { breaks: new ModelError("network", "gone") } });
    const [failed] = one.result.receipt.compactions;
    assert.deepEqual(
      [failed?.state, failed?.call?.settlement, failed?.call?.outputTokens],
      ["provider_error", "held", 2048],
    );
  });

  it("several generations in one go are several attempts", async () => {
    const model = new ReplyingModel(thinks(6));
    const summarizer = new Summarizer();
    Object.assign(summarizer.limits, { maxInputTokens: 50_000 });
    const world = new RunWorld({ model, summarizer });
    const budget = compact(300_000, { keepRecentTokens: 100, headroomCalls: 0 });
    const result = await world.run({ budget });
    assert.equal(summarizer.requests.length, 1);
    assert.equal(result.receipt.compactions[0]?.state, "summarized");
  });

  it("one paid attempt for the same content, remembered by the session", async () => {
    const summarizer = new Summarizer();
    const world = new RunWorld({ model: new ReplyingModel(thinks(6)), summarizer });
    world.session.wasAttempted = () => true;
    const result = await world.run({ budget: compact(300_000) });
    assert.deepEqual(
      result.receipt.compactions.map(({ reason }) => reason),
      ["already_attempted"],
    );
    assert.equal(summarizer.requests.length, 0);
  });

  it("a summarizer that costs nothing is counted too, and spends nothing", async () => {
    let drafts = 0;
    const summarizer = Object.assign(new Summarizer(), {
      writeDraft: () => {
        drafts += 1;
        return draftText();
      },
    });
    const world = new RunWorld({ model: new ReplyingModel(thinks(14)), summarizer });
    const { receipt } = await world.run({ budget: compact(260_000) });
    assert.deepEqual([drafts, summarizer.requests.length], [1, 0]);
    const [free] = receipt.compactions;
    assert.deepEqual(
      [free?.state, free?.call?.settlement, free?.call?.costNanoUsd],
      ["summarized", "free", 0],
    );
    assert.equal(
      receipt.budget?.spent,
      receipt.totals.working.inputTokens + receipt.totals.working.outputTokens,
    );
  });

  it("a budget of no compactions evicts and never pays", async () => {
    const one = await ran(compact(300_000, { maxCompactions: 0 }));
    assert.deepEqual(entries(one), ["summarize declined compactions_used_up"]);
    assert.equal(one.summarizer.requests.length, 0);
  });

  it("a cancel while the summarizer writes ends the run at once, with the old context", async () => {
    const abort = new AbortController();
    const summarizer = new Summarizer({ text: draftText(), hangs: true });
    const world = new RunWorld({ model: new ReplyingModel(thinks(6)), summarizer });
    const running = world.run({ budget: compact(300_000), signal: abort.signal });
    while (summarizer.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
    abort.abort();
    const result = await running;
    assert.equal(result.stopReason, "cancelled");
    assert.deepEqual(world.session.messages(), result.messages);
  });

  it("workingCallsAfter and modeled net exact", async () => {
    const { result } = await ran(compact(300_000));
    const [entry] = result.receipt.compactions;
    assert.ok(entry !== undefined);
    assert.deepEqual([entry.workingCallsBefore, entry.workingCallsAfter], [4, 3]);
    assert.equal(result.receipt.totals.working.calls, 7);
    assert.equal(entry.modeledNetTokens, 3 * (entry.before - entry.after) - entry.after);
  });
});

describe("what a spend compaction keeps word for word", () => {
  const FIRST = `Rule one: never push to main. ${"Read all of it. ".repeat(600)}`;

  it("first message survives over the pin budget and three compactions", async () => {
    const limits = { maxCompactions: 3, pinnedUserTokens: 50, headroomCalls: 0 };
    const one = await ran(compact(260_000, limits), { replies: thinks(14), prompt: FIRST });
    const summarized = one.result.receipt.compactions.filter(({ state }) => state === "summarized");
    assert.equal(summarized.length, 3, entries(one).join("; "));
    const [root] = one.world.session.messages();
    assert.deepEqual(root, one.result.messages[0]);
    assert.equal(one.world.session.messages().filter(({ kind }) => kind === "capsule").length, 1);
    assert.equal(one.world.session.state.summary?.generation, 3);
  });

  it("pins the oldest user messages beside it, up to the budget of tokens, and a summary covers the rest", async () => {
    const messages = [
      user("u0", "The very first request."),
      assistant("a0", "Yes."),
      user("u1", "Second: mind the tides."),
      assistant("a1", "Yes."),
      user("u2", "Third: keep it short."),
      assistant("a2", "Yes."),
    ];
    const one = await ran(compact(300_000, { pinnedUserTokens: 10 }), { messages });
    assert.equal(one.result.receipt.compactions.at(-1)?.state, "summarized");
    const ids = one.world.session.messages().map(({ id }) => id);
    assert.deepEqual(ids.slice(0, 2), ["u0", "u1"]);
    assert.ok(!ids.includes("u2"));
    assert.ok(
      one.world.session.state.summary?.anchors.some(({ sourceSegmentId }) => sourceSegmentId === "u2"),
    );
    assert.ok(one.result.receipt.compactions.at(-1)?.pinnedIds.includes("u1"));
  });
});
