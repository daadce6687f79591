import assert from "node:assert/strict";
import fc from "fast-check";
import { CallPairs } from "../../../src/core/callPairs.ts";
import type { Message } from "../../../src/core/messages.ts";
import { answerOpenCalls, OPEN_CALL_OUTPUT } from "../../../src/core/openCalls.ts";
import { deepFreeze, LONG_ID, transcriptArbitrary } from "./arbitraries.ts";
import { assistant, calls, result, user } from "./messageBuilders.ts";
import { callOfEachResult } from "./safeCutOracle.ts";

const ids = (messages: readonly Message[]): string[] => messages.map((message) => message.id);

function openCallsOf(messages: readonly Message[]): { at: number }[] {
  const pairs = new CallPairs();
  for (const message of messages) pairs.append(message);
  return pairs.openCalls();
}

describe("answerOpenCalls", () => {
  it("an open call gets a synthetic error result right behind it", () => {
    const answered = answerOpenCalls([user("m0", "go"), calls("m1", LONG_ID), user("m2", "stop")]);
    assert.deepEqual(ids(answered), ["m0", "m1", `m1#${LONG_ID}!open`, "m2"]);
    assert.deepEqual(answered[2], {
      id: `m1#${LONG_ID}!open`,
      role: "tool",
      content: [
        {
          type: "tool-result",
          toolCallId: LONG_ID,
          toolName: "read",
          output: OPEN_CALL_OUTPUT,
          isError: true,
        },
      ],
    });
  });

  it("a partly answered round gets its missing results behind those it has", () => {
    const messages = [calls("m0", "a", "b", "c"), result("m1", "b"), user("m2", "on")];
    assert.deepEqual(ids(answerOpenCalls(messages)), ["m0", "m1", "m0#a!open", "m0#c!open", "m2"]);
  });

  it("several open rounds each get their own", () => {
    const messages = [calls("m0", "a"), calls("m1", "a"), assistant("m2", "gave up")];
    assert.deepEqual(ids(answerOpenCalls(messages)), ["m0", "m0#a!open", "m1", "m1#a!open", "m2"]);
  });

  it("two open calls of one id in one message get two results", () => {
    const messages = [calls("m0", "a", "a"), user("m1", "on")];
    assert.deepEqual(ids(answerOpenCalls(messages)), ["m0", "m0#a!open", "m0#a!open2", "m1"]);
  });

  it("each result names the tool that was called", () => {
    const message: Message = {
      id: "m0",
      role: "assistant",
      content: ["grep", "bash"].map((toolName) => ({
        type: "tool-call",
        toolCallId: "a",
        toolName,
        input: {},
      })),
    };
    const names = answerOpenCalls([message, user("m1", "on")]).flatMap(({ content }) =>
      content.flatMap((part) => (part.type === "tool-result" ? [part.toolName] : [])),
    );
    assert.deepEqual(names, ["grep", "bash"]);
  });

  it("calls still pending at the very end are left to be answered", () => {
    const messages = [user("m0", "go"), calls("m1", "a", "b"), result("m2", "a")];
    assert.equal(answerOpenCalls(messages), messages);
  });

  it("the very list comes back when nothing is open", () => {
    const messages = [calls("m0", "a"), result("m1", "a")];
    assert.equal(answerOpenCalls(messages), messages);
  });

  it("leaves no open call but those pending at the end, keeps all messages in order, and is done when done", () => {
    fc.assert(
      fc.property(transcriptArbitrary(), (messages) => {
        deepFreeze(messages);
        const answered = answerOpenCalls(messages);
        const given = new Set(messages);
        assert.deepEqual(
          answered.filter((message) => given.has(message)),
          messages,
        );
        const pending = openCallsOf(messages).filter(({ at }) =>
          messages.slice(at + 1).every(({ role }) => role === "tool"),
        );
        assert.equal(openCallsOf(answered).length, pending.length);
        assert.equal(new Set(ids(answered)).size, answered.length);
        assert.equal(answerOpenCalls(answered), answered);
        assert.deepEqual(answerOpenCalls(messages), answered);
        const orphans = (list: readonly Message[]): number =>
          callOfEachResult(list).filter(({ call }) => call < 0).length;
        assert.equal(orphans(answered), orphans(messages));
      }),
      { numRuns: 300 },
    );
  });
});
