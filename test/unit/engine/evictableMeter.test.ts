import assert from "node:assert/strict";
import { indexContext } from "../../../src/core/contextIndex.ts";
import { evictableTokens } from "../../../src/core/evictableTokens.ts";
import type { Message } from "../../../src/core/messages.ts";
import { planCompaction } from "../../../src/core/planCompaction.ts";
import type { LiveSession } from "../../../src/engine/liveSession.ts";
import { assistant, calls, result, user } from "../core/messageBuilders.ts";
import { EngineWorld } from "./engineWorld.ts";

function longSession(rounds: number): Message[] {
  const messages: Message[] = [user("u1", "go")];
  for (let round = 0; round < rounds; round += 1) {
    messages.push(calls(`c${round}`, "a"), result(`r${round}`, "a", `output ${round} `.repeat(30)));
  }
  return [...messages, assistant("end", "done")];
}

function isKnown({ meter }: LiveSession): boolean {
  return meter.evictable !== undefined;
}

function known(live: LiveSession): Promise<void> {
  return new Promise((resolve) => {
    const subscription = live.onDidChange(() => {
      if (!isKnown(live)) return;
      subscription.dispose();
      resolve();
    });
  });
}

describe("what could be evicted, on the meter", () => {
  let world: EngineWorld;
  beforeEach(() => {
    world = new EngineWorld();
  });
  afterEach(() => world.end());

  it("of a long session is summed up behind and told by a change; later messages are in it", async () => {
    const live = await world.start(longSession(5_000));
    assert.equal(isKnown(live), false);
    await known(live);
    assert.deepEqual(live.meter.evictable, anew(world, live));
    for (const message of [calls("more", "b"), result("late", "b", "late ".repeat(100))]) {
      await live.file.append([{ type: "message", id: message.id, at: 2, message }], "turn");
    }
    assert.deepEqual(live.meter.evictable, anew(world, live));
    await live.branchFrom("r4000");
    if (!isKnown(live)) await known(live);
    assert.deepEqual(live.meter.evictable, anew(world, live));
  });

  it("of a short session is known at once", async () => {
    const live = await world.start(longSession(20));
    assert.deepEqual(live.meter.evictable, anew(world, live));
  });
});

/** By a new plan and new sums over the whole context. */
function anew({ settings }: EngineWorld, { context }: LiveSession) {
  const { messages, pinnedIds, rootId = null } = context;
  const index = indexContext(messages);
  const { policy, summaryMaxTokens } = settings;
  const plan = planCompaction(messages, {
    policy,
    trigger: "manual",
    summaryMaxTokens,
    pinnedIds,
    rootId,
    index,
  });
  return evictableTokens(messages, plan, index);
}
