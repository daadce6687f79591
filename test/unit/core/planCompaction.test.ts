import assert from "node:assert/strict";
import fc from "fast-check";
import { indexContext } from "../../../src/core/contextIndex.ts";
import { cutForPolicy } from "../../../src/core/cutForPolicy.ts";
import { estimateContext } from "../../../src/core/estimate.ts";
import type { Message } from "../../../src/core/messages.ts";
import { partitionContext } from "../../../src/core/partition.ts";
import type { PlanOptions } from "../../../src/core/plan.ts";
import { planCompaction } from "../../../src/core/planCompaction.ts";
import type { CompactionPolicy } from "../../../src/core/policy.ts";
import { defaultPolicy } from "../../../src/core/policy.ts";
import { safeCut } from "../../../src/core/safeCut.ts";
import { includeAttachments, startsTurn } from "../../../src/core/turns.ts";
import { deepFreeze, PNG_1000_BY_800, transcriptArbitrary } from "./arbitraries.ts";
import { assistant, calls, chatOf, result, system, textOfTokens, user } from "./messageBuilders.ts";
import { callOfEachResult, pendingAtEnd } from "./safeCutOracle.ts";

type Settings = Partial<CompactionPolicy> & Omit<Partial<PlanOptions>, "policy">;

function options({
  window,
  budget,
  minRemaining,
  keepRecentTokens,
  keepRecentTurns,
  ...rest
}: Settings = {}): PlanOptions {
  const policy: CompactionPolicy = {
    minRemaining: minRemaining ?? defaultPolicy.minRemaining,
    keepRecentTokens: keepRecentTokens ?? defaultPolicy.keepRecentTokens,
    keepRecentTurns: keepRecentTurns ?? defaultPolicy.keepRecentTurns,
    ...(budget === undefined ? {} : { budget }),
  };
  return { policy, trigger: "manual", window: window ?? 200_000, ...rest };
}

const ids = (messages: readonly Message[]): string[] => messages.map((message) => message.id);

/** One request, then rounds of a call and a result of 104 tokens or so each, and an answer. */
function longTurn(rounds: number, resultTokens = 100): Message[] {
  const messages = [system("sys", "You are careful."), user("ask", "Do the whole thing.")];
  for (let i = 0; i < rounds; i++) {
    messages.push(calls(`c${i}`, "call"), result(`r${i}`, "call", textOfTokens(resultTokens)));
  }
  return messages;
}

/** Three turns; the two newest hold nearly everything. */
const threeTurns = [
  user("u1", textOfTokens(20)),
  assistant("a1", textOfTokens(80)),
  user("u2", textOfTokens(20)),
  assistant("a2", textOfTokens(2000)),
  assistant("a3", textOfTokens(2000)),
  user("u3", textOfTokens(20)),
  assistant("a4", textOfTokens(2000)),
  assistant("a5", textOfTokens(100)),
];

describe("planCompaction", () => {
  it("keeps module A's cut where nothing makes the turn floor yield", () => {
    const messages = chatOf(3000, 3000, 3000, 3000, 10, 10, 10, 10);
    const plan = planCompaction(messages, options({ keepRecentTokens: 15 }));
    assert.equal(plan.cut, cutForPolicy(messages, options({ keepRecentTokens: 15 }).policy));
    assert.equal(plan.cut, 4);
    assert.equal(plan.effective.turnFloorYielded, "no");
    assert.equal(plan.tailFrom, "m4");
    assert.deepEqual(plan.pinnedIds, []);
    assert.equal(plan.tailTokens, 40);
    // The root, m0, stays.
    assert.equal(plan.rootId, "m0");
    assert.equal(plan.leavingTokens, 9000);
    assert.equal(plan.leavingCount, 3);
    assert.equal(plan.totalTokens, 12_040);
  });

  it("one turn of 200 tool calls still compacts", () => {
    const messages = longTurn(200);
    const plan = planCompaction(messages, options({ keepRecentTokens: 1000 }));
    assert.equal(plan.effective.turnFloorYielded, "less_than_half_to_compact");
    assert.equal(messages[plan.cut]?.role, "assistant");
    assert.ok(plan.leavingTokens > plan.totalTokens / 2);
    assert.ok(plan.tailTokens >= 1000 && plan.tailTokens < 1200);
    assert.equal(plan.rootId, "ask");
  });

  it("the user message of the turn that the cut divides is pinned when it is not the root", () => {
    const messages = [user("u0", "hello"), assistant("a0", "hi"), ...longTurn(200).slice(1)];
    const plan = planCompaction(messages, options({ keepRecentTokens: 1000 }));
    assert.deepEqual(plan.pinnedIds, ["ask"]);
    assert.deepEqual(plan.cutPinIds, ["ask"]);
    assert.ok(ids(partitionContext(messages, plan).held).includes("ask"));
  });

  it("the turn floor yields where it would keep the request at or above the trigger line", () => {
    // The line of a window of 6000 is 4500; the two newest turns hold 6140.
    const plan = planCompaction(
      threeTurns,
      options({ trigger: "window", window: 6000, keepRecentTokens: 90 }),
    );
    assert.equal(plan.effective.turnFloorYielded, "over_trigger_line");
    assert.equal(plan.tailFrom, "a5");
    assert.deepEqual(plan.pinnedIds, ["u3"]);
  });

  it("it yields exactly from the line on, with room for the capsule", () => {
    // The floor keeps u1, the root, with 20 tokens, and u2 … a5 with 6140; the capsule may take 1000.
    const kept = 20 + 6140 + 1000;
    const yielded = (line: number) =>
      planCompaction(
        threeTurns,
        options({
          trigger: "window",
          window: line + 1000,
          minRemaining: 1000,
          keepRecentTokens: 90,
          summaryMaxTokens: 1000,
        }),
      ).effective.turnFloorYielded;
    assert.equal(yielded(kept + 1), "no");
    assert.equal(yielded(kept), "over_trigger_line");
  });

  it("estimates are scaled to the model's tokens before they are held against the line", () => {
    const yielded = (tokensPerEstimate: number) =>
      planCompaction(
        threeTurns,
        options({ trigger: "window", window: 20_000, keepRecentTokens: 90, tokensPerEstimate }),
      ).effective.turnFloorYielded;
    assert.equal(yielded(1), "no");
    assert.equal(yielded(2), "over_trigger_line");
  });

  it("a manual run yields only where less than half would be left to compact", () => {
    const manual = (first: number) =>
      planCompaction(
        [user("u0", "x"), assistant("a0", textOfTokens(first)), ...threeTurns.slice(2)],
        options({ keepRecentTokens: 90 }),
      );
    // The two newest turns hold 6120 beside the message pinned by the latest cut.
    assert.equal(manual(3000).effective.turnFloorYielded, "less_than_half_to_compact");
    assert.equal(manual(9000).effective.turnFloorYielded, "no");
    assert.equal(
      planCompaction(threeTurns, options({ trigger: "window", keepRecentTokens: 90 })).effective
        .turnFloorYielded,
      "no",
    );
  });

  it("where the turn floor asks for no more than the tokens do, it did not yield", () => {
    const plan = planCompaction(
      threeTurns,
      options({ trigger: "window", window: 2000, keepRecentTokens: 300, keepRecentTurns: 0 }),
    );
    assert.equal(plan.floor.reachesCeiling, false);
    assert.equal(plan.effective.turnFloorYielded, "no");
  });

  it("a crossing round that alone keeps the request over the line leaves too, what no model has read does not", () => {
    const rounds = [
      ...longTurn(3),
      calls("big", "x"),
      result("huge", "x", textOfTokens(9000)),
      assistant("done", "done"),
    ];
    const read = planCompaction(rounds, options({ trigger: "window", window: 8000 }));
    assert.equal(read.tailFrom, "done");
    assert.equal(read.effective.turnFloorYielded, "over_trigger_line");
    assert.equal(read.floor.reachesCeiling, false);

    const unread = planCompaction(rounds.slice(0, -1), options({ trigger: "window", window: 8000 }));
    assert.equal(unread.tailFrom, "big");
    assert.equal(unread.floor.reachesCeiling, true);
    assert.deepEqual(unread.floor.parts[0], { what: "tail", messageId: "huge", tokens: unread.tailTokens });
  });

  it("a tail of one 40k message at a window of 33k is over the ceiling, and named", () => {
    const messages = [...chatOf(500, 500, 500, 500), user("paste", textOfTokens(40_000))];
    const plan = planCompaction(messages, options({ trigger: "window", window: 33_000 }));
    assert.equal(plan.floor.reachesCeiling, true);
    assert.deepEqual(plan.floor.parts[0], { what: "tail", messageId: "paste", tokens: 40_000 });
  });

  it("the last round stays, however large", () => {
    const messages = [...chatOf(500, 500), user("u", "say it all"), assistant("all", textOfTokens(40_000))];
    const plan = planCompaction(messages, options({ trigger: "window", window: 33_000 }));
    assert.equal(plan.tailFrom, "all");
    assert.deepEqual(plan.pinnedIds, ["u"]);
    assert.equal(plan.floor.reachesCeiling, true);
  });

  it("system and tools alone near the window are over the ceiling, by size", () => {
    const messages = [system("sys", textOfTokens(3000)), user("u", "hi"), assistant("a", "hello")];
    const plan = planCompaction(
      messages,
      options({ window: 8000, overheadTokens: 6000, keepRecentTokens: 0, keepRecentTurns: 0 }),
    );
    assert.equal(plan.floor.reachesCeiling, true);
    assert.deepEqual(plan.floor.parts.slice(0, 2), [
      { what: "tools", tokens: 6000 },
      { what: "system", tokens: 3000 },
    ]);
  });

  it("the ceiling is reached inclusively", () => {
    const floorAt = (overheadTokens: number) =>
      planCompaction(chatOf(100), options({ window: 1000, overheadTokens })).floor.reachesCeiling;
    assert.equal(floorAt(900), true);
    assert.equal(floorAt(899), false);
  });

  it("the newest request is never left out: unread it is tail, divided it is pinned, images attached to it too", () => {
    const attachment: Message = {
      ...user("shot", "a screenshot", "attachment"),
      content: [{ type: "image", mediaType: "image/png", data: PNG_1000_BY_800 }],
    };
    const file = user("file", textOfTokens(3000), "attachment");
    const history = chatOf(2000, 2000);
    const unread = planCompaction(
      [...history, file, attachment, user("ask", "why?")],
      options({ keepRecentTokens: 0, keepRecentTurns: 0 }),
    );
    assert.equal(unread.tailFrom, "file");

    const running = [...history, file, attachment, ...longTurn(200).slice(1)];
    const divided = planCompaction(running, options({ keepRecentTokens: 1000 }));
    assert.deepEqual(divided.pinnedIds, ["shot", "ask"]);
    // Of an older turn that the cut divides, the request alone is pinned.
    const older = planCompaction(
      [...running, assistant("end", "done"), user("next", "and?"), assistant("last", "yes")],
      options({ keepRecentTokens: 1000, keepRecentTurns: 1 }),
    );
    assert.deepEqual(older.pinnedIds, ["ask"]);
    assert.ok(ids(partitionContext(running, divided).leaving).includes("file"));
  });

  it("a kept request keeps its attachments", () => {
    const messages = [
      ...chatOf(3000, 3000),
      user("file", textOfTokens(50), "attachment"),
      user("u2", "first"),
      assistant("a2", "ok"),
      user("u3", "second"),
      assistant("a3", "ok"),
    ];
    assert.equal(planCompaction(messages, options({ keepRecentTokens: 10 })).tailFrom, "file");
  });

  it("nothing is left to compact where root, pins, capsule and tail are all there is", () => {
    const messages = [
      system("sys", "s"),
      user("root", "r"),
      user("pin", "p"),
      user("cap", textOfTokens(900), "capsule"),
      assistant("a", "x"),
    ];
    const plan = planCompaction(
      messages,
      options({ pinnedIds: new Set(["pin"]), keepRecentTokens: 1, keepRecentTurns: 0 }),
    );
    assert.equal(plan.leavingCount, 0);
    assert.equal(plan.leavingTokens, 0);
    assert.equal(plan.tailFrom, "a");
  });

  it("a capsule is never tail, wherever it stands", () => {
    const messages = [
      user("root", textOfTokens(500)),
      user("cap", textOfTokens(900), "capsule"),
      user("u", "x"),
      assistant("a", "y"),
    ];
    const plan = planCompaction(messages, options());
    const { capsules, tail } = partitionContext(messages, plan);
    assert.deepEqual(ids(capsules), ["cap"]);
    assert.ok(!ids(tail).includes("cap"));
    assert.equal(plan.tailTokens, estimateContext(tail));
    assert.notEqual(plan.tailFrom, "cap");
  });

  it("the root is the first user source, or the one that is named", () => {
    const messages = [
      user("cap", "c", "capsule"),
      user("command", "/go"),
      user("real", "do it"),
      assistant("a", "ok"),
    ];
    assert.equal(planCompaction(messages, options()).rootId, "command");
    assert.equal(planCompaction(messages, options({ rootId: "real" })).rootId, "real");
    assert.equal(planCompaction(messages, options({ rootId: "elsewhere" })).rootId, "command");
    assert.equal(planCompaction([assistant("a", "ok")], options()).rootId, undefined);
  });

  it("a pinned result keeps its whole round; pins of no message are passed over", () => {
    const messages = longTurn(200);
    const plan = planCompaction(
      messages,
      options({ keepRecentTokens: 1000, pinnedIds: new Set(["r7", "ask", "gone", "sys"]) }),
    );
    assert.deepEqual(plan.pinnedIds, ["c7", "r7"]);
    assert.deepEqual(plan.cutPinIds, []);
  });

  it("an index of another context is refused", () => {
    const messages = chatOf(10, 10);
    assert.throws(() => planCompaction(messages, options({ index: indexContext(chatOf(10)) })), {
      code: "invalid_options",
    });
    assert.throws(() => planCompaction(messages, options({ overheadTokens: -1 })), {
      code: "invalid_options",
    });
    assert.throws(() => planCompaction(messages, options({ tokensPerEstimate: Number.NaN })), {
      code: "invalid_options",
    });
  });

  const settings = fc.record({
    window: fc.constantFrom(600, 2000, 8000, 200_000),
    minRemaining: fc.nat(2000),
    keepRecentTokens: fc.nat(4000),
    keepRecentTurns: fc.nat(3),
    overheadTokens: fc.nat(500),
    trigger: fc.constantFrom("manual" as const, "window" as const),
    tokensPerEstimate: fc.constantFrom(0.7, 1, 1.6),
    pins: fc.array(fc.nat(60), { maxLength: 4 }),
  });
  const planned = fc.tuple(transcriptArbitrary(), settings).map(([messages, { pins, ...rest }]) => {
    const pinnedIds = new Set(pins.map((at) => `m${at}`));
    return { messages, options: options({ ...rest, pinnedIds }) };
  });

  it("same input, same output, with an index or without; the input is unchanged", () => {
    fc.assert(
      fc.property(planned, ({ messages, options: given }) => {
        deepFreeze(messages);
        const plan = planCompaction(messages, given);
        assert.deepEqual(planCompaction(messages, { ...given, index: indexContext(messages) }), plan);
        assert.deepEqual(planCompaction(messages, given), plan);
      }),
    );
  });

  it("its numbers are those of the parts it names", () => {
    fc.assert(
      fc.property(planned, ({ messages, options: given }) => {
        const plan = planCompaction(messages, given);
        const parts = partitionContext(messages, plan);
        const overhead = given.overheadTokens ?? 0;
        assert.equal(plan.totalTokens, estimateContext(messages) + overhead);
        assert.equal(plan.leavingCount, parts.leaving.length);
        assert.equal(plan.leavingTokens, estimateContext(parts.leaving));
        assert.equal(plan.tailTokens, estimateContext(parts.tail));
        assert.equal(plan.tailFrom, parts.tail[0]?.id);
        const floor = estimateContext([...parts.system, ...parts.held, ...parts.tail]) + overhead;
        assert.equal(plan.floor.tokens, floor);
        assert.equal(
          plan.floor.parts.reduce((sum, part) => sum + part.tokens, 0),
          floor,
        );
        const sizes = plan.floor.parts.map((part) => part.tokens);
        assert.deepEqual(
          sizes,
          [...sizes].sort((a, b) => b - a),
        );
        const scale = given.tokensPerEstimate ?? 1;
        assert.equal(plan.floor.reachesCeiling, floor * scale >= plan.effective.ceiling);
      }),
      { numRuns: 300 },
    );
  });

  it("what stays is self-contained, and holds root, pins, pending calls and the unread request", () => {
    fc.assert(
      fc.property(planned, ({ messages, options: given }) => {
        const plan = planCompaction(messages, given);
        const { system: systems, held, capsules, tail, leaving } = partitionContext(messages, plan);
        assert.equal(
          systems.length + held.length + capsules.length + tail.length + leaving.length,
          messages.length,
        );
        const orphansNow = callOfEachResult(messages).filter(({ call }) => call < 0).length;
        const stays = [...held, ...tail];
        const orphans = callOfEachResult(stays).filter(({ call }) => call < 0).length;
        assert.ok(orphans === 0 || orphans <= orphansNow);
        if (plan.cut > 0) assert.equal(callOfEachResult(tail).filter(({ call }) => call < 0).length, 0);
        const left = new Set(leaving);
        assert.ok(!left.has(messages.find((message) => message.id === plan.rootId) as Message));
        for (const id of given.pinnedIds ?? []) assert.ok(!ids(leaving).includes(id));
        const pending = messages[pendingAtEnd(messages)];
        if (pending !== undefined) assert.ok(tail.includes(pending));
        const newest = messages.findLast((message) => message.role === "user" && message.kind === undefined);
        if (newest !== undefined && tail.some((message) => message.kind === undefined))
          assert.ok(!left.has(newest));
      }),
      { numRuns: 300 },
    );
  });

  it("three compactions in a row: root, pins and the current request stay, no result is orphaned", () => {
    const chunk = transcriptArbitrary({ looseResults: false, injected: false, maxSteps: 12 });
    const chunks = fc.tuple(chunk, chunk, chunk, fc.integer({ min: 0, max: 2 }));
    fc.assert(
      fc.property(chunks, ([first, second, third, keepRecentTurns]) => {
        const root = user("root", "Never push without review.");
        let context: Message[] = [root];
        [first, second, third].forEach((more, round) => {
          const renamed = more
            .filter(({ role }) => role !== "system")
            .map((message) => ({ ...message, id: `${round}.${message.id}` }));
          context.push(...renamed, assistant(`${round}.end`, "done"));
          const plan = planCompaction(
            context,
            options({ keepRecentTokens: 150, keepRecentTurns, window: 4000, pinnedIds: new Set(["0.m2"]) }),
          );
          const orphansNow = callOfEachResult(context).filter(({ call }) => call < 0).length;
          assert.equal(orphansNow, 0);
          const { system: systems, held, tail } = partitionContext(context, plan);
          const after = [...systems, ...held, user(`capsule${round}`, "{}", "capsule"), ...tail];
          assert.deepEqual(
            callOfEachResult(after).filter(({ call }) => call < 0),
            [],
          );
          for (const kept of context.filter(({ id }) => id === "root" || id === "0.m2")) {
            assert.ok(after.includes(kept));
          }
          const request = context.findLast(startsTurn) as Message;
          if (tail.length > 0) assert.ok(after.includes(request));
          context = after;
        });
        assert.equal(context.filter(({ kind }) => kind === "capsule").length, 1);
      }),
      { numRuns: 200 },
    );
  });

  it("the tail has at least the effective tokens, except where a crossing round was too big", () => {
    fc.assert(
      fc.property(planned, ({ messages, options: given }) => {
        const plan = planCompaction(messages, given);
        const { keepRecentTokens, triggerLine, summaryMaxTokens } = plan.effective;
        const scale = given.tokensPerEstimate ?? 1;
        const kept = estimateContext(messages.slice(plan.cut));
        if (kept >= Math.min(keepRecentTokens, estimateContext(messages))) return;
        // One more round would keep the request at or above the line.
        const sizes = messages.map((_, at) => estimateContext(messages.slice(at)));
        const crossing = sizes.findLastIndex((size) => size >= keepRecentTokens);
        const fuller = includeAttachments(messages, safeCut(messages, Math.max(0, crossing)));
        const capsules = messages.filter((message) => message.kind === "capsule");
        const room = Math.max(summaryMaxTokens, estimateContext(capsules));
        // That cut may pin the request that it divides, with its images.
        const divided = messages.slice(0, fuller).findLast(startsTurn);
        const images = messages.slice(0, fuller).filter((message) => message.kind === "attachment");
        const pinned = divided === undefined ? [] : [divided, ...images];
        const more = estimateContext([...messages.slice(fuller, plan.cut), ...pinned]);
        assert.ok((plan.floor.tokens + more + room) * scale >= triggerLine);
      }),
      { numRuns: 300 },
    );
  });
});
