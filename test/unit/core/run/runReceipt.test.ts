import assert from "node:assert/strict";
import { describe, it } from "mocha";
import type { RunBudget } from "../../../../src/core/budget/runBudget.ts";
import type { Usage } from "../../../../src/core/messages.ts";
import { compactionReceipt } from "../../../../src/core/run/compactionReceipt.ts";
import { parseRunReceipt } from "../../../../src/core/run/parseRunReceipt.ts";
import { receiptFailure, receiptId, receiptKey } from "../../../../src/core/run/receiptText.ts";
import type { RunReceipt } from "../../../../src/core/run/runReceipt.ts";
import { modeledNetTokens } from "../../../../src/core/run/runReceipt.ts";
import { draftText } from "../ladderWorld.ts";
import type { Reply } from "./runWorld.ts";
import { ReplyingModel, RunWorld, readTool, Summarizer } from "./runWorld.ts";

const SECRET = "canary-7f3a";
const USAGE: Usage = { inputTokens: 4000, outputTokens: 500, cacheReadTokens: 3000 };
const PRICES = {
  "test/worker": { inputUsdPerMillion: 3, outputUsdPerMillion: 15, cacheReadUsdPerMillion: 0.3 },
  "test/summarizer": { inputUsdPerMillion: 1, outputUsdPerMillion: 5 },
};

/** A run with everything in it: evictions, a summary, clamp, failed, unknown and refused calls. */
async function fullReceipt(budget: RunBudget): Promise<RunReceipt> {
  const replies: Reply[] = Array.from({ length: 9 }, (_, at) => ({
    text: `${SECRET} thought ${at}. `.repeat(600),
    usage: USAGE,
    calls: [
      ["read", { path: `${SECRET}-${at}` }],
      ...(at === 2
        ? ([
            [SECRET, {}],
            ["fails", {}],
          ] as const)
        : []),
    ],
  }));
  const summary = {
    anchors: [
      { kind: "constraint", text: SECRET, critical: true, source_segment_id: "x", supersedes: [SECRET] },
    ],
    facts: [SECRET],
  };
  const fails = () => Promise.reject(new Error(SECRET));
  const world = new RunWorld({
    model: new ReplyingModel([...replies, { text: SECRET, usage: USAGE }]),
    summarizer: new Summarizer({ text: draftText(summary) }),
    tools: [readTool(6000), { name: "fails", description: SECRET, execute: fails }],
  });
  return (await world.run({ budget, prices: PRICES }, `${SECRET}: read it all.`)).receipt;
}

const compaction = { keepRecentTokens: 500, minYieldTokens: 1000 };
const TOKENS: RunBudget = { maxTokens: 400_000, onExhausted: "compact", compaction };
const DOLLARS: RunBudget = { maxUsd: 0.9, onExhausted: "compact", compaction };

function isDeepFrozen(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(isDeepFrozen);
}

describe("the receipt of a run", () => {
  for (const [unit, budget] of [
    ["tokens", TOKENS],
    ["USD", DOLLARS],
  ] as const) {
    it(`receipt without text, sums reconcile: ${unit}`, async () => {
      const receipt = await fullReceipt(budget);
      const rungs = receipt.compactions.map(({ rung, state }) => `${rung}:${state}`);
      assert.ok(rungs.includes("evict:evicted") && rungs.includes("summarize:summarized"), rungs.join());
      assert.deepEqual(receipt.tools, [
        { name: "read", calls: 9, errors: 0, refused: 0 },
        { name: "fails", calls: 1, errors: 1, refused: 0 },
      ]);
      assert.equal(receipt.unknownToolCalls, 1);
      const text = JSON.stringify(receipt);
      assert.ok(!text.includes(SECRET), text.slice(Math.max(0, text.indexOf(SECRET) - 200)));
      assert.deepEqual(parseRunReceipt(text), receipt);
      assert.ok(isDeepFrozen(receipt) && isDeepFrozen(parseRunReceipt(text)));
    });
  }

  it("summarizer calls are never counted as working calls, and cost what they cost", async () => {
    const receipt = await fullReceipt(TOKENS);
    const { working, summarizing } = receipt.totals;
    assert.deepEqual([working.calls, summarizing.calls], [receipt.calls.length, 1]);
    assert.ok(receipt.calls.every(({ model }) => model === "test/worker"));
    assert.deepEqual([summarizing.inputTokens, summarizing.outputTokens], [1000, 100]);
    assert.equal(summarizing.costNanoUsd, 1000 * 1000 + 100 * 5000);
    assert.equal(working.costNanoUsd, working.calls * (1000 * 3000 + 3000 * 300 + 500 * 15_000));
    assert.equal(receipt.budget?.spent, working.calls * 4500 + 1100);
  });

  it("the modeled net is what calls did not read, less one reading of the new context", () => {
    assert.equal(modeledNetTokens({ before: 100, after: 30 }, 3), 3 * 70 - 30);
    assert.equal(modeledNetTokens({ before: 100, after: 90 }, 1), 10 - 90);
    assert.equal(modeledNetTokens({ before: 100, after: 30 }, 0), 0);
    assert.equal(modeledNetTokens({ before: 100, after: 100 }, 3), 0);
  });
});

describe("the receipt of a compaction alone", () => {
  it("is a document of the same kind, with what its summarizer was paid", async () => {
    const world = new RunWorld({
      model: new ReplyingModel([
        ...Array.from({ length: 6 }, (_, at) => ({
          text: "thought ".repeat(2500),
          usage: USAGE,
          calls: [["read", { path: `${at}` }]] as const,
        })),
        { text: "Done.", usage: USAGE },
      ]),
      summarizer: new Summarizer(),
    });
    const { receipt: ofRun } = await world.run({
      budget: { maxTokens: 300_000, onExhausted: "compact", compaction },
      prices: PRICES,
    });
    const { receipts } = world.session.state;
    const parts = { runId: "compaction-1", receipts, meterRecords: world.session.meterRecords };
    const receipt = compactionReceipt(parts);
    assert.deepEqual([receipt.stopReason, receipt.calls, receipt.budget], [null, [], null]);
    assert.deepEqual(receipt.totals.summarizing, ofRun.totals.summarizing);
    assert.deepEqual(parseRunReceipt(JSON.stringify(receipt)), receipt);
    const unmetered = compactionReceipt({ runId: "compaction-1", receipts });
    assert.deepEqual(
      unmetered.compactions.map(({ call }) => call?.settlement),
      ["unmetered"],
    );
    assert.equal(unmetered.totals.summarizing.inputTokens, 1000);
    assert.deepEqual(parseRunReceipt(JSON.stringify(unmetered)), unmetered);
  });
});

type Json = Record<string, unknown>;
type Tamper = (receipt: Json & { [field: string]: Json & Json[] }) => void;

describe("parseRunReceipt", () => {
  const tampered: readonly (readonly [string, Tamper])[] = [
    ["a key too many", (receipt) => Object.assign(receipt, { note: "hello" })],
    ["a key too many inside a call", ({ calls }) => Object.assign(calls?.[0] ?? {}, { text: "hello" })],
    [
      "a key too many inside a compaction",
      ({ compactions }) => Object.assign(compactions?.[0] ?? {}, { text: "" }),
    ],
    ["a key too few", (receipt) => delete receipt["totals"]],
    ["another schema", (receipt) => Object.assign(receipt, { schema: "context-capsule.run-receipt.v2" })],
    ["another stop reason", (receipt) => Object.assign(receipt, { stopReason: "tired" })],
    ["working calls of no run", (receipt) => Object.assign(receipt, { stopReason: null })],
    ["an error without a provider error", (receipt) => Object.assign(receipt, { errorCode: "rate" })],
    ["text for an id", (receipt) => Object.assign(receipt, { runId: "push without review" })],
    [
      "text for a failure",
      ({ compactions }) => Object.assign(compactions?.[0] ?? {}, { failures: ["schema: I say"] }),
    ],
    ["a negative number", ({ calls }) => Object.assign(calls?.[0] ?? {}, { inputTokens: -1 })],
    ["a fraction of a token", ({ calls }) => Object.assign(calls?.[0] ?? {}, { inputTokens: 1.5 })],
    ["tokens that nobody sums", ({ calls }) => Object.assign(calls?.[0] ?? {}, { inputTokens: 4001 })],
    ["a cost that nobody sums", ({ calls }) => Object.assign(calls?.[0] ?? {}, { costNanoUsd: 1 })],
    [
      "more from the cache than was read",
      ({ calls }) => Object.assign(calls?.[0] ?? {}, { cacheReadTokens: 4001 }),
    ],
    ["calls out of order", ({ calls }) => Object.assign(calls?.[0] ?? {}, { index: 2 })],
    ["a clamp that is none", ({ calls }) => Object.assign(calls?.[0] ?? {}, { clampedToTokens: 1000 })],
    ["a working call that was free", ({ calls }) => Object.assign(calls?.[0] ?? {}, { settlement: "free" })],
    [
      "a number that the provider did not give",
      ({ calls }) => Object.assign(calls?.[0] ?? {}, { basis: "counted" }),
    ],
    [
      "an applied entry that is not smaller",
      ({ compactions }) => Object.assign(compactions?.[0] ?? {}, { after: compactions?.[0]?.["before"] }),
    ],
    [
      "a modeled net of its own",
      ({ compactions }) => Object.assign(compactions?.[0] ?? {}, { modeledNetTokens: 1 }),
    ],
    [
      "calls after a compaction that were not",
      ({ compactions }) => Object.assign(compactions?.[0] ?? {}, { workingCallsAfter: 99 }),
    ],
    [
      "a summary's cost left out of the sum",
      ({ totals }) => Object.assign(totals?.["summarizing"] ?? {}, { inputTokens: 0 }),
    ],
    [
      "a summarizer counted as a working call",
      ({ totals }) => Object.assign(totals?.["working"] ?? {}, { calls: 99 }),
    ],
    ["a tool call too many", ({ totals }) => Object.assign(totals ?? {}, { toolCalls: 99 })],
    ["more errors than calls", ({ tools }) => Object.assign(tools?.[0] ?? {}, { errors: 99 })],
    ["a tool twice", ({ tools }) => Object.assign(tools?.[1] ?? {}, { name: "read" })],
    ["a breach hidden", ({ budget }) => Object.assign(budget ?? {}, { maximum: 1 })],
    ["less spent than was", ({ budget }) => Object.assign(budget ?? {}, { spent: 0 })],
  ];
  let whole: RunReceipt;
  before(async () => {
    whole = await fullReceipt(TOKENS);
  });

  it("takes the receipt that it was", () => {
    assert.notEqual(parseRunReceipt(JSON.stringify(whole)), undefined);
  });

  for (const [what, tamper] of tampered) {
    it(`refuses ${what}`, () => {
      const copy = JSON.parse(JSON.stringify(whole));
      tamper(copy);
      assert.notDeepEqual(copy, JSON.parse(JSON.stringify(whole)));
      assert.equal(parseRunReceipt(JSON.stringify(copy)), undefined);
    });
  }

  for (const text of ["", "{}", "null", "[]", "not JSON", '{"schema":', `"${"x".repeat(10)}"`]) {
    it(`gives nothing, and never throws, for ${JSON.stringify(text)}`, () => {
      assert.equal(parseRunReceipt(text), undefined);
    });
  }
});

describe("what a receipt may say", () => {
  it("an id stays, and what is none becomes its digest", () => {
    assert.equal(receiptId("msg_01#call-2"), "msg_01#call-2");
    for (const id of ["", "push without review", "a\nb", "x".repeat(201)]) {
      assert.match(receiptId(id), /^sha256-[0-9a-f]{64}$/);
    }
  });

  it("keys that code made stay, the words of a model do not", () => {
    assert.equal(receiptKey("constraint.2.1"), "constraint.2.1");
    assert.match(receiptKey("push-to-main"), /^sha256-/);
    assert.equal(receiptFailure("not_smaller"), "not_smaller");
    assert.equal(receiptFailure("critical_anchor_lost:fact.1.2"), "critical_anchor_lost:fact.1.2");
    assert.match(
      receiptFailure("anchor_supersedes_unknown:fact.1.2:push-to-main"),
      /^anchor_supersedes_unknown:sha256-/,
    );
    assert.match(receiptFailure("I would rather chat"), /^other:sha256-/);
  });
});
