import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, it } from "mocha";
import type { CompactOutcome } from "../../../src/core/compactionOutcome.ts";
import type { Message } from "../../../src/core/messages.ts";
import type { ModelChunk } from "../../../src/core/model.ts";
import { ModelError } from "../../../src/core/model.ts";
import type { LiveSession } from "../../../src/engine/liveSession.ts";
import { draftText, ScriptedModel } from "../core/ladderWorld.ts";
import { assistant, user } from "../core/messageBuilders.ts";
import { EngineWorld } from "../engine/engineWorld.ts";
import { automatic, compact, say, talker, until } from "./kindWorld.ts";

const WINDOW = 8000;

function longDay(): Message[] {
  return Array.from({ length: 8 }, (_, turn) => [
    user(`u${turn}`, `Look at part ${turn}.`),
    assistant(`a${turn}`, `Part ${turn} was looked at. ${"It is well made. ".repeat(180)}`),
  ]).flat();
}

function logOf(world: EngineWorld, live: LiveSession): string {
  return readFileSync(`${world.place.path}/${live.id}.jsonl`, "utf8");
}

function failing(error: () => unknown): ScriptedModel {
  // biome-ignore lint/correctness/useYield: it fails before its first chunk.
  return new ScriptedModel(async function* (): AsyncGenerator<ModelChunk> {
    throw error();
  }, 1_000_000);
}

describe("kinds 3, 4 and 5: what did not make the context smaller never says so", () => {
  let world: EngineWorld;
  beforeEach(() => {
    world = new EngineWorld();
  });
  afterEach(() => world.end());

  it("kind 3: three short turns and a summary of 900 tokens: bytes unchanged, nothing worth compacting", async () => {
    const messages = Array.from({ length: 3 }, (_, turn) => [
      user(`u${turn}`, `What is ${turn} times two?`),
      assistant(`a${turn}`, `It is ${turn * 2}.`),
    ]).flat();
    const live = await world.start(messages);
    const before = logOf(world, live);
    const facts = Array.from({ length: 18 }, (_, at) => `fact ${at} `.padEnd(200, "x"));
    for (const keepRecentTurns of [0, 1, 2]) {
      world.settings = {
        ...world.settings,
        policy: { ...world.settings.policy, keepRecentTokens: 1, keepRecentTurns },
      };
      const outcome = await compact(live, new ScriptedModel(draftText({ facts })));
      assert.ok(!["evicted", "summarized"].includes(outcome.state), outcome.state);
      assert.ok(["gain_too_small", "nothing_leaves"].includes(outcome.reason), outcome.reason);
      assert.equal(outcome.after, outcome.before);
      assert.equal(outcome.nextAction, "continue");
      assert.deepEqual(live.context.messages, messages);
      assert.ok(logOf(world, live).startsWith(before));
    }
  });

  it("kind 4: 401, 429, a time-out and a cancel are four end states, and the chat goes on after each", async () => {
    const ends = new Map<string, CompactOutcome>();
    const model = talker("Here it is.", WINDOW);
    const silent = new ScriptedModel(
      () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) }),
      1_000_000,
    );
    world.settings = automatic();

    const refused = await world.start(longDay());
    const signIn = failing(() => new ModelError("authentication", "401 Unauthorized"));
    const first = await say(refused, "Go on.", { model, summarizer: signIn });
    ends.set("401", first.runs[0] as CompactOutcome);
    const rate = failing(() => new ModelError("rate", "429 Too Many Requests"));
    const limited = await world.start(longDay());
    ends.set("429", (await say(limited, "Go on.", { model, summarizer: rate })).runs[0] as CompactOutcome);

    const late = await world.start(longDay());
    const waiting = say(late, "Go on.", { model, summarizer: silent });
    await until(() => late.meter.running?.phase === "summarizing" && world.clock.isAwaited);
    world.clock.pass(60_000);
    ends.set("time", (await waiting).runs[0] as CompactOutcome);

    const cancelled = await world.start(longDay());
    const abort = new AbortController();
    const run = compact(cancelled, silent, abort.signal);
    await until(() => cancelled.meter.running?.phase === "summarizing");
    abort.abort();
    ends.set("cancel", await run);

    assert.deepEqual(
      [...ends].map(([name, { state, error, nextAction }]) => [name, state, error?.code, nextAction]),
      [
        ["401", "provider_error", "authentication", "check_sign_in"],
        ["429", "provider_error", "rate", "wait_and_retry"],
        ["time", "timed_out", undefined, "choose_other_model"],
        ["cancel", "cancelled", undefined, "compact_again"],
      ],
    );
    for (const { before, after, evictedCount } of ends.values())
      assert.deepEqual([after, evictedCount], [before, 0]);
    assert.equal(first.outcome.state, "complete");
    for (const live of [refused, limited, late, cancelled]) {
      assert.deepEqual(live.context.messages.slice(0, 16), longDay());
      assert.equal(live.context.runs.length, 0);
      assert.equal(
        (await say(live, "More.", { model, summarizer: silentOf("Not JSON.") })).outcome.state,
        "complete",
      );
      const attempts = live.file.state.entries.filter(({ type }) => type === "attempt");
      assert.ok(attempts.length >= 1);
    }
  });

  const replies: readonly [string, string, (() => AsyncIterable<ModelChunk>) | string][] = [
    ["empty", "reply_empty", ""],
    ["blank", "reply_empty", " \n\t "],
    ["reasoning only", "reply_reasoning_only", () => chunks({ type: "reasoning", text: "Hm." })],
    [
      "cut off",
      "reply_cut_off",
      () => chunks({ type: "text", text: draftText().slice(0, 80) }, { type: "finish", reason: "length" }),
    ],
    [
      "a refusal",
      "reply_refused",
      () => chunks({ type: "text", text: "I cannot." }, { type: "finish", reason: "content-filter" }),
    ],
    [
      "a tool call",
      "reply_tool_call",
      () => chunks({ type: "tool-call", toolCallId: "c", toolName: "read", input: {} }),
    ],
    ["two objects", "reply_two_objects", `${draftText()}\n${draftText()}`],
    ["prose around it", "reply_prose", `Here is the summary you asked for:\n${draftText()}\nShall I go on?`],
    ["another shape", "schema", '{"summary": "All is well."}'],
  ];
  it("kind 5: empty, blank, reasoning only, cut off, refusal, tool call, two objects, prose: each has its code", async () => {
    const live = await world.start(longDay());
    for (const [name, code, reply] of replies) {
      const outcome = await compact(
        live,
        new ScriptedModel(typeof reply === "string" ? reply : () => reply()),
      );
      assert.deepEqual([outcome.state, outcome.failures], ["rejected", [code]], name);
      assert.deepEqual(live.context.messages, longDay(), name);
      assert.equal(live.context.receipts.at(-1)?.failures[0], code);
    }
    assert.equal(new Set(replies.map(([, code]) => code)).size, replies.length - 1);
    const again = await world.reload(live);
    assert.deepEqual(again.context.messages, longDay());
    assert.equal(again.context.receipts.length, replies.length);
  });
});

function silentOf(text: string): ScriptedModel {
  return new ScriptedModel(text);
}

async function* chunks(...parts: ModelChunk[]): AsyncGenerator<ModelChunk> {
  await Promise.resolve();
  yield* parts;
}
