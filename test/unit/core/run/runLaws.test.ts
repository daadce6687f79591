import assert from "node:assert/strict";
import fc from "fast-check";
import { describe, it } from "mocha";
import { createBudgetMeter, replayBudgetMeter } from "../../../../src/core/budget/budgetMeter.ts";
import type { RunBudget } from "../../../../src/core/budget/runBudget.ts";
import type { Usage } from "../../../../src/core/messages.ts";
import { ModelError } from "../../../../src/core/model.ts";
import type { AgentTool, ToolOutcome } from "../../../../src/core/run/agent.ts";
import { parseRunReceipt } from "../../../../src/core/run/parseRunReceipt.ts";
import { draftText } from "../ladderWorld.ts";
import type { Reply } from "./runWorld.ts";
import { openCalls, ReplyingModel, RunWorld, Summarizer } from "./runWorld.ts";

const RUNS = Number(process.env["PROPERTY_RUNS"] ?? 2000);
const FAILURE = new ModelError("network", "gone");
const PRICES = {
  "test/worker": { inputUsdPerMillion: 3, outputUsdPerMillion: 15, cacheReadUsdPerMillion: 0.3 },
  "test/summarizer": { inputUsdPerMillion: 1.37, outputUsdPerMillion: 5.11 },
};

const oddNumber = fc.oneof(
  { weight: 40, arbitrary: fc.nat(200) },
  { weight: 1, arbitrary: fc.nat(6000) },
  { weight: 1, arbitrary: fc.constantFrom(Number.NaN, -1, 0.5, Number.POSITIVE_INFINITY, 1e15, 200_000) },
);

const usageArbitrary: fc.Arbitrary<Usage | null> = fc.oneof(
  { weight: 1, arbitrary: fc.constant(null) },
  {
    weight: 6,
    arbitrary: fc.record(
      { inputTokens: oddNumber, outputTokens: oddNumber, cacheReadTokens: oddNumber },
      { requiredKeys: ["inputTokens", "outputTokens"] },
    ),
  },
);

/** What a model may do: work, loop, break off, never begin, report nonsense, call what does not exist. */
const stepArbitrary = fc.record({
  textBytes: fc.option(fc.nat(12_000), { nil: undefined }),
  calls: fc.option(
    fc.array(
      fc.tuple(
        fc.constantFrom("read", "slow", "fails", "nothing"),
        fc.oneof({ weight: 6, arbitrary: fc.nat(99) }, { weight: 1, arbitrary: fc.constant({ path: "a" }) }),
      ),
      { minLength: 1, maxLength: 3 },
    ),
    { nil: undefined, freq: 12 },
  ),
  usage: usageArbitrary,
  finish: fc.constantFrom("stop" as const, "length" as const, "tool-calls" as const, undefined),
  fault: fc.oneof(
    { weight: 30, arbitrary: fc.constant("none") },
    { weight: 1, arbitrary: fc.constantFrom("at_once", "breaks") },
  ),
});

type Step = typeof stepArbitrary extends fc.Arbitrary<infer S> ? S : never;

function replyOf({ textBytes, calls, usage, finish, fault }: Step): Reply {
  return {
    usage,
    ...(textBytes === undefined ? {} : { text: "thought ".repeat(textBytes / 8) }),
    ...(calls === undefined ? {} : { calls }),
    ...(finish === undefined ? {} : { finish }),
    ...(fault === "at_once" ? { failsAtOnce: FAILURE } : {}),
    ...(fault === "breaks" ? { breaks: FAILURE } : {}),
  };
}

const budgetArbitrary: fc.Arbitrary<RunBudget> = fc
  .record({
    size: fc.oneof(
      fc.integer({ min: 1, max: 5000 }),
      fc.integer({ min: 5000, max: 400_000 }),
      fc.integer({ min: 50_000, max: 400_000 }),
    ),
    inUsd: fc.boolean(),
    onExhausted: fc.constantFrom("compact" as const, "compact" as const, "stop" as const),
    outputFloorTokens: fc.integer({ min: 1, max: 500 }),
    maxToolCalls: fc.integer({ min: 0, max: 30 }),
    compaction: fc.record({
      keepRecentTokens: fc.integer({ min: 1, max: 3000 }),
      summaryMaxTokens: fc.integer({ min: 100, max: 2048 }),
      maxCompactions: fc.nat(3),
      minYieldTokens: fc.integer({ min: 1, max: 3000 }),
      headroomCalls: fc.nat(3),
      pinnedUserTokens: fc.integer({ min: 1, max: 2000 }),
    }),
  })
  .map(({ size, inUsd, compaction, ...rest }) => {
    const shared = { ...rest, compaction: { ...compaction } };
    return inUsd ? { maxUsd: size / 300_000, ...shared } : { maxTokens: size, ...shared };
  });

const sceneArbitrary = fc.record({
  budget: budgetArbitrary,
  replies: fc.array(stepArbitrary, { minLength: 1, maxLength: 14 }),
  summary: fc.record({
    text: fc.oneof({ weight: 4, arbitrary: fc.constant(draftText()) }, { weight: 1, arbitrary: fc.string() }),
    usage: usageArbitrary,
    fault: fc.constantFrom("none", "none", "none", "at_once", "breaks"),
  }),
  window: fc.constantFrom(undefined, 8000, 50_000),
  /** After so many events the run is cancelled. */
  cancelAfter: fc.oneof(
    { weight: 4, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.nat(60) },
  ),
  outputBytes: fc.constantFrom(20, 3000, 9000),
});

type Scene = typeof sceneArbitrary extends fc.Arbitrary<infer S> ? S : never;

function tools(bytes: number): AgentTool[] {
  const tool = (name: string, execute: () => ToolOutcome | Promise<ToolOutcome>): AgentTool => ({
    name,
    description: name,
    execute,
  });
  return [
    tool("read", () => "output ".repeat(bytes / 7)),
    tool("slow", () => new Promise((resolve) => setImmediate(() => resolve("slow")))),
    tool("fails", () => Promise.reject(new Error("failed"))),
  ];
}

async function play(scene: Scene) {
  const { budget, replies, summary, window, cancelAfter, outputBytes } = scene;
  const { text, usage, fault } = summary;
  const broken = fault === "none" ? {} : fault === "breaks" ? { breaks: FAILURE } : { failsAtOnce: FAILURE };
  const model = new ReplyingModel(
    replies.map(replyOf),
    window === undefined ? {} : { maxInputTokens: window },
  );
  const summarizer = new Summarizer({ text, usage, ...broken });
  const world = new RunWorld({ model, summarizer, tools: tools(outputBytes) });
  const meter = createBudgetMeter(budget, { prices: PRICES });
  const abort = new AbortController();
  let events = 0;
  const onEvent = () => {
    events += 1;
    if (events === cancelAfter) abort.abort();
  };
  const result = await world.run({ meter, signal: abort.signal, onEvent });
  return { world, model, summarizer, meter, result };
}

function law(title: string, check: (scene: Scene) => Promise<void>): void {
  it(title, async () => {
    await fc.assert(fc.asyncProperty(sceneArbitrary, check), { numRuns: RUNS, endOnFailure: true });
  });
}

describe("laws of a budgeted run", () => {
  law("not one token is spent past the maximum unflagged", async (scene) => {
    const { meter, model, summarizer, world, result } = await play(scene);
    const { spent, maximum = 0, breachedBy, reserved } = meter.reading;
    assert.equal(reserved, 0);
    assert.equal(breachedBy, Math.max(0, spent - maximum));
    assert.equal(result.receipt.budget?.breachedBy, breachedBy);
    // What was put by for a call never went past the remainder, and every call that was made was put by.
    let free = maximum;
    const holds = new Map<string, number>();
    const unit = meter.reading.unit;
    for (const record of world.session.meterRecords) {
      if (record.type === "reserved") {
        const { call, nanoUsd = 0 } = record;
        const hold = unit === "tokens" ? call.inputTokens + call.outputTokens : nanoUsd;
        assert.ok(hold <= free, `${hold} of ${free}`);
        holds.set(call.callId, hold);
        free -= hold;
      } else if (record.type !== "declared") {
        free += holds.get(record.callId) ?? 0;
        holds.delete(record.callId);
        if (record.type !== "settled") continue;
        const { usage, nanoUsd = 0 } = record;
        free -= unit === "tokens" ? usage.inputTokens + usage.outputTokens : nanoUsd;
      }
    }
    assert.equal(holds.size, 0);
    const made = world.session.meterRecords.filter(({ type }) => type === "reserved").length;
    assert.ok(model.requests.length + summarizer.requests.length <= made);
    if (breachedBy > 0)
      assert.ok(["budget_exhausted", "provider_error", "cancelled"].includes(result.stopReason));
  });

  law("receipts always reconcile, with the meter and with themselves", async (scene) => {
    const { meter, model, result } = await play(scene);
    const { receipt } = result;
    assert.deepEqual(parseRunReceipt(JSON.stringify(receipt)), receipt);
    assert.equal(receipt.budget?.spent, meter.reading.spent);
    assert.ok(receipt.calls.length >= model.requests.length);
    assert.equal(receipt.totals.working.calls, meter.state.workingCalls);
    assert.equal(receipt.totals.summarizing.calls, meter.state.summaryCalls);
    assert.ok(receipt.totals.toolCalls <= (meter.state.declared?.maxToolCalls ?? 0));
  });

  law("a run never leaves an open call, and never sends one", async (scene) => {
    const { world, model } = await play(scene);
    assert.deepEqual(openCalls(world.session.state.transcript), []);
    assert.deepEqual(openCalls(world.session.messages()), []);
    for (const { messages } of model.requests) assert.deepEqual(openCalls(messages), []);
  });

  law("a meter made again from the records is the same meter", async (scene) => {
    const { world, meter } = await play(scene);
    const stored = JSON.parse(JSON.stringify([meter.declaration, ...world.session.meterRecords]));
    const replayed = replayBudgetMeter(stored, { prices: PRICES });
    assert.equal(replayed.unreadable, 0);
    assert.deepEqual(replayed.meter.state, meter.state);
  });

  law("`stop` never summarizes, and nobody summarizes more often than allowed", async (scene) => {
    const { summarizer, meter, world } = await play(scene);
    const { onExhausted, compaction } = meter.state.declared ?? {};
    assert.ok(summarizer.requests.length <= (onExhausted === "stop" ? 0 : (compaction?.maxCompactions ?? 0)));
    const root = world.session.state.rootId;
    assert.ok(world.session.messages().some(({ id }) => id === root));
    assert.deepEqual(world.session.state.brokenBoundaries, []);
  });
});
