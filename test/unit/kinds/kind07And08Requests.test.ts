import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, it } from "mocha";
import type { Message } from "../../../src/core/messages.ts";
import { textOf } from "../../../src/core/messages.ts";
import type { ChatModel, ModelRequest } from "../../../src/core/model.ts";
import type { LiveSession } from "../../../src/engine/liveSession.ts";
import { createOfflineModel } from "../../../src/models/offline/offlineModel.ts";
import { draftText, ScriptedModel } from "../core/ladderWorld.ts";
import { assistant, user } from "../core/messageBuilders.ts";
import { EngineWorld } from "../engine/engineWorld.ts";
import { assertSendable, automatic, compact, drafter, say, talker, withText } from "./kindWorld.ts";

const FIRST =
  "Port the parser of «bücher» to Rust – keep the API, and don't touch `lib/legacy/*`.\n\tPlease.";
const RULE = 'Never push to "main" without a review & two approvals <ever>; use tabs.';
const WINDOW = 8000;

function capsuleOf(request: ModelRequest | undefined): Record<string, unknown> {
  const capsule = request?.messages.find(({ kind }) => kind === "capsule");
  const line = capsule === undefined ? "{}" : textOf(capsule).split("\n").at(-2);
  return JSON.parse(line ?? "{}");
}

function quotes(request: ModelRequest | undefined, group: string): string[] {
  return ((capsuleOf(request)[group] ?? []) as { text: string }[]).map(({ text }) => text);
}

describe("kind 7: rule, first request and current request after 30 rounds", () => {
  let world: EngineWorld;
  beforeEach(() => {
    world = new EngineWorld();
    world.settings = automatic();
  });
  afterEach(() => world.end());

  /** Names the rule in the generation it leaves with, and forgets it ever after. */
  function careless(ruleId: () => string | undefined): ChatModel {
    return new ScriptedModel(async function* (request) {
      const source = ruleId();
      const [part] = request.messages[0]?.content ?? [];
      const leaves = part?.type === "text" && part.text.includes(`## message {"id":"${source}"`);
      const anchors = leaves
        ? [{ kind: "constraint", text: RULE, critical: true, source_segment_id: source }]
        : [];
      yield { type: "text", text: draftText({ anchors }) };
    });
  }

  const summarizers: readonly [string, (ruleId: () => string | undefined) => ChatModel][] = [
    ["a model that names the rule once", careless],
    ["the offline summarizer", () => createOfflineModel({ name: "Offline", chatReply: "" })],
  ];
  for (const [name, summarizerOf] of summarizers) {
    it(`stand byte for byte in every request that is sent: ${name}`, async () => {
      const live = await world.start([]);
      const summarizer = summarizerOf(
        () => live.context.transcript.find((message) => textOf(message) === RULE)?.id,
      );
      const model = talker(`It went as planned. ${"More of the same. ".repeat(180)}`, WINDOW);
      let compactions = 0;
      for (let round = 0; round < 30; round += 1) {
        const text = round === 0 ? FIRST : round === 2 ? RULE : `Round ${round}: go on with part ${round}.`;
        const { outcome, runs } = await say(live, text, { model, summarizer });
        assert.equal(outcome.state, "complete");
        compactions += runs.filter(({ state }) => state === "summarized").length;
        const request = model.requests.at(-1) as ModelRequest;
        assertSendable(request, `round ${round}`);
        assert.equal(withText(request, FIRST).length, 1, `the first request, round ${round}`);
        assert.deepEqual(
          withText(request, text).at(-1),
          request.messages.at(-1),
          `the current one, round ${round}`,
        );
        if (round < 2) continue;
        const isSaid = withText(request, RULE).length === 1;
        const isCommitment = quotes(request, "commitments").includes(RULE);
        assert.ok(isSaid || isCommitment, `the rule, round ${round}`);
      }
      assert.ok(compactions >= 3, `${compactions} compactions`);
      assert.ok(quotes(model.requests.at(-1), "commitments").includes(RULE));
    });
  }
});

describe("kind 8: finished work does not come back, and nothing that was no request is replayed as one", () => {
  const DONE = "Rename the flag to --strict.";
  let world: EngineWorld;
  beforeEach(() => {
    world = new EngineWorld();
    world.settings = { ...automatic(), automatic: "off" };
  });
  afterEach(() => world.end());

  async function start(): Promise<LiveSession> {
    return world.start([
      user("u0", "Get the release ready."),
      assistant("a0", "Good. ".repeat(300)),
      user("u1", DONE),
      assistant("a1", `The flag is renamed. ${"It was easy. ".repeat(300)}`),
      user("u2", "Now the change log."),
      assistant("a2", `It is written. ${"It was easy. ".repeat(300)}`),
      user("u3", "And what is left?"),
      assistant("a3", "The announcement."),
    ]);
  }

  it("a request that is done is said earlier, is no commitment, and no message of the next request", async () => {
    const live = await start();
    const outcome = await compact(
      live,
      drafter({
        state: { completed: [DONE, "The change log."], active: ["The announcement."], blocked: [] },
        anchors: [{ kind: "objective", text: DONE, critical: true, source_segment_id: "u1" }],
      }),
    );
    assert.equal(outcome.state, "summarized", outcome.failures.join());
    const model = talker("Yes.", 100_000);
    await say(live, "Write the announcement.", { model });
    const [request] = model.requests;
    assert.equal(withText(request as ModelRequest, DONE).length, 0);
    assert.equal(quotes(request, "commitments").includes(DONE), false);
    const anchor = live.context.summary?.anchors.find(({ text }) => text === DONE);
    assert.deepEqual([anchor?.kind, anchor?.critical], ["fact", false]);
  });

  it("a commitment that is done later is shown as finished and never again as what holds", async () => {
    const live = await start();
    const promised = { kind: "objective", text: DONE, critical: true, source_segment_id: "u1" };
    await compact(live, drafter({ anchors: [promised] }));
    const model = talker("Yes. ".repeat(600), 100_000);
    await say(live, "Is the flag renamed?", { model });
    assert.deepEqual(quotes(model.requests.at(-1), "commitments"), [DONE]);
    await say(live, "Good. And then?", { model });
    await say(live, "And then?", { model });
    const second = await compact(live, drafter({ state: { completed: [DONE], active: [], blocked: [] } }));
    assert.equal(second.state, "summarized", second.failures.join());
    await say(live, "Go on.", { model });
    assert.deepEqual(quotes(model.requests.at(-1), "commitments"), []);
    assert.deepEqual(quotes(model.requests.at(-1), "finished"), [DONE]);
  });

  it("focus text stands in no file, no capsule and no request to the chat's model", async () => {
    const live = await start();
    const FOCUS = "ONLY-THE-PARSER, and then DELETE EVERYTHING";
    const summarizer = drafter();
    const outcome = await live.compact({
      trigger: "manual",
      model: summarizer,
      focus: FOCUS,
      signal: new AbortController().signal,
    });
    assert.equal(outcome.state, "summarized", outcome.failures.join());
    assert.ok(summarizer.sent(0).includes(FOCUS));
    const model = talker("Yes.", 100_000);
    await say(live, "Go on.", { model });
    assert.equal(JSON.stringify(model.requests).includes(FOCUS), false);
    assert.equal(readFileSync(`${world.place.path}/${live.id}.jsonl`, "utf8").includes(FOCUS), false);
  });

  it("a slash command is no first request: once it left, its text is a quote and never a message again", async () => {
    const live = await world.start([]);
    const model = talker("Here you are. ".repeat(200), 100_000);
    await say(live, "everything since Monday", { model, command: "review" });
    await say(live, "/mode", { model });
    await say(live, "more of it", { model, command: "review" });
    await say(live, "more", { model, command: "review" });
    assert.equal(live.context.rootId, undefined);
    const outcome = await compact(live, drafter());
    assert.equal(outcome.state, "summarized", `${outcome.reason} ${outcome.failures.join()}`);
    await say(live, "Thank you.", { model });
    const request = model.requests.at(-1) as ModelRequest;
    assert.equal(withText(request, "everything since Monday").length, 0);
    assert.ok(quotes(request, "said_earlier").includes("everything since Monday"));
    assert.equal(
      textOf(live.context.transcript.find(({ id }) => id === live.context.rootId) as Message),
      "Thank you.",
    );
  });
});
