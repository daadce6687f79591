import assert from "node:assert/strict";
import fc from "fast-check";
import { describe, it } from "mocha";
import { estimateContext } from "../../../src/core/estimate.ts";
import { defaultPolicy, projectContext, safeCut } from "../../../src/core/index.ts";
import type { Message } from "../../../src/core/messages.ts";
import { answerOpenCalls } from "../../../src/core/openCalls.ts";
import type { LiveSession } from "../../../src/engine/liveSession.ts";
import { draftText, ScriptedModel } from "../core/ladderWorld.ts";
import { assistant, calls, result, user } from "../core/messageBuilders.ts";
import { EngineWorld } from "./engineWorld.ts";

const RUNS = Number(process.env["PROPERTY_RUNS"] ?? 60);

/** What a person, a model or another window may do to a session, in any order. */
type Step =
  | { readonly do: "talk"; readonly calls: number; readonly open: boolean; readonly bytes: number }
  | { readonly do: "compact"; readonly keep: number; readonly critical: boolean }
  | { readonly do: "undo" }
  | { readonly do: "branch"; readonly at: number }
  | { readonly do: "pin" | "unpin"; readonly at: number }
  | { readonly do: "add" | "retire" | "reword"; readonly at: number }
  | { readonly do: "reload" };

const stepArbitrary: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("talk" as const),
      calls: fc.nat(2),
      open: fc.boolean(),
      bytes: fc.nat(4000),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("compact" as const), keep: fc.nat(600), critical: fc.boolean() }),
  },
  { weight: 2, arbitrary: fc.constant({ do: "undo" as const }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("branch" as const), at: fc.nat(30) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom("pin" as const, "unpin" as const), at: fc.nat(30) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom("add" as const, "retire" as const, "reword" as const),
      at: fc.nat(9),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ do: "reload" as const }) },
);

function turn(number: number, { calls: count, open, bytes }: Extract<Step, { do: "talk" }>): Message[] {
  const ids = Array.from({ length: count }, (_, at) => `call-${at}`);
  const messages = [user(`u${number}`, `Request ${number}: go on with part ${number}.`)];
  if (count > 0) messages.push(calls(`c${number}`, ...ids));
  for (const [at, id] of ids.entries()) {
    if (open && at === 0) continue;
    messages.push(result(`r${number}-${at}`, id, `${number} `.padEnd(bytes, "output ")));
  }
  messages.push(assistant(`a${number}`, `Part ${number} is done. `.repeat(8)));
  return messages;
}

async function append(live: LiveSession, messages: readonly Message[]): Promise<void> {
  await live.file.append(
    messages.map((message) => ({ type: "message", id: message.id, at: 2, message })),
    "turn",
  );
  const last = messages.at(-1)?.id;
  while (live.context.transcript.at(-1)?.id !== last) await new Promise((resolve) => setImmediate(resolve));
}

/** What must hold of a session after whatever was done to it. */
function assertSound(live: LiveSession, told: string): void {
  const { context } = live;
  const fresh = projectContext(live.file.state.branch);
  assert.deepEqual(context.messages, fresh.messages, told);
  assert.deepEqual(context.transcript, fresh.transcript, told);
  assert.deepEqual(context.summary, fresh.summary, told);
  assert.equal(context.tailFrom, fresh.tailFrom, told);
  assert.equal(context.rootId, fresh.rootId, told);
  assert.deepEqual(context.receipts, fresh.receipts, told);
  assert.deepEqual(context.brokenBoundaries, [], told);
  assert.equal(live.meter.usedTokens, estimateContext(context.messages), `the meter's own count: ${told}`);
  const capsules = context.messages.filter(({ kind }) => kind === "capsule");
  assert.equal(capsules.length, context.summary === undefined ? 0 : 1, told);
  const originals = new Map(context.transcript.map((message) => [message.id, message]));
  for (const id of [context.rootId, ...context.pinnedIds]) {
    if (id === undefined || !originals.has(id)) continue;
    const sent = context.messages.filter((message) => message.id === id);
    assert.deepEqual(sent, [originals.get(id)], `${id} stands word for word: ${told}`);
  }
  assert.equal(new Set(context.messages.map(({ id }) => id)).size, context.messages.length, told);
  const answered = answerOpenCalls(context.messages);
  const start = answered.findIndex(({ kind }) => kind === "capsule") + 1;
  assert.equal(safeCut(answered, start), start, `the tail is self-contained: ${told}`);
}

describe("laws of a session", () => {
  it("whatever is done to it in whatever order, a new fold of the file says the same, and it is sound", async function () {
    this.timeout(60_000);
    await fc.assert(
      fc.asyncProperty(fc.array(stepArbitrary, { minLength: 3, maxLength: 14 }), async (steps) => {
        const world = new EngineWorld();
        try {
          let live = await world.start(turn(0, { do: "talk", calls: 1, open: false, bytes: 3000 }));
          for (const [number, step] of steps.entries()) {
            live = await take(world, live, step, number + 1);
            assertSound(live, `after step ${number + 1}, ${JSON.stringify(step)}`);
          }
          const { messages } = live.context;
          live = await world.reload(live);
          assert.deepEqual(live.context.messages, messages);
        } finally {
          await world.end();
        }
      }),
      { numRuns: RUNS, endOnFailure: false },
    );
  });
});

async function take(world: EngineWorld, live: LiveSession, step: Step, number: number): Promise<LiveSession> {
  const { transcript, messages, summary } = live.context;
  switch (step.do) {
    case "talk":
      await append(live, turn(number, step));
      break;
    case "compact": {
      world.settings = {
        ...world.settings,
        policy: { ...defaultPolicy, keepRecentTokens: step.keep, keepRecentTurns: step.keep % 2 },
      };
      const wanted = messages.find(({ id }) => id.startsWith("u"));
      const anchors = step.critical
        ? [
            {
              kind: "constraint",
              text: `part ${wanted?.id.slice(1)}`,
              critical: true,
              source_segment_id: wanted?.id,
            },
          ]
        : [];
      const outcome = await live.compact({
        trigger: "manual",
        model: new ScriptedModel(draftText({ anchors })),
        signal: new AbortController().signal,
      });
      assert.ok(
        outcome.failures.every((code) => code === "not_smaller"),
        outcome.failures.join(),
      );
      break;
    }
    case "undo": {
      const had = live.context.runs.length;
      const undone = await live.undo();
      assert.equal(undone.ok, had > 0, JSON.stringify(undone));
      assert.equal(live.context.runs.length, Math.max(0, had - 1));
      break;
    }
    case "branch": {
      const own = transcript.filter(({ id }) => /^[ucra]\d/.test(id));
      await live.branchFrom(own[step.at % own.length]?.id ?? null);
      break;
    }
    case "pin":
    case "unpin":
      await live.changeCommitment({
        action: step.do,
        messageId: transcript[step.at % Math.max(1, transcript.length)]?.id ?? "",
      });
      break;
    case "add":
      await live.changeCommitment({ action: "add", text: `Rule ${number} of the person.` });
      break;
    case "retire":
    case "reword": {
      const commitments = summary?.anchors.filter(({ critical }) => critical) ?? [];
      const key = commitments[step.at % Math.max(1, commitments.length)]?.key ?? "none";
      await live.changeCommitment({ action: step.do, key, text: `New words ${number}.` });
      break;
    }
    case "reload":
      return world.reload(live);
  }
  return live;
}
