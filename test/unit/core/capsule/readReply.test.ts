import assert from "node:assert/strict";
import fc from "fast-check";
import type { ReplyFailure, SummarizerReply } from "../../../../src/core/capsule/readReply.ts";
import { readReply } from "../../../../src/core/capsule/readReply.ts";
import { nastyText, PROPERTY_TIMEOUT_MS, RUNS } from "./capsuleArbitraries.ts";
import { wireAnchor, wireObject } from "./capsuleBuilders.ts";

const good = JSON.stringify(wireObject());

/** What code completes may be absent or wrong; the rest may not. */
function bareDraft(): Record<string, unknown> {
  const wire = wireObject({ citations: [{ segment_id: "m2", what: "log" }] });
  delete wire["schema_version"];
  delete wire["generation"];
  const { key: _key, source_digest: _digest, ...anchor } = wireAnchor("a");
  return { ...wire, anchors: [anchor] };
}

describe("readReply", function () {
  this.timeout(PROPERTY_TIMEOUT_MS);

  const drafts: [name: string, text: string][] = [
    ["a complete capsule", good],
    ["a fenced one", `\`\`\`json\n${good}\n\`\`\``],
    ["without what code completes", JSON.stringify(bareDraft())],
    [
      "with what code completes wrong",
      JSON.stringify({
        ...bareDraft(),
        schema_version: "1",
        generation: -4,
        citations: [{ segment_id: "m2", digest: "?", what: "log" }],
        anchors: [wireAnchor("not a key!", { source_digest: 12 }), wireAnchor("not a key!")],
      }),
    ],
    ["with braces and fences inside strings", JSON.stringify(wireObject({ facts: ["} {", "```json", '"'] }))],
  ];
  for (const [name, text] of drafts) {
    it(`a draft: ${name}`, () => {
      const reply = readReply({ text });
      assert.ok(reply.ok, JSON.stringify(reply));
      assert.ok(Object.isFrozen(reply.draft.anchors));
    });
  }

  const cutOff = good.slice(0, good.length - 30);
  const failures: [name: string, reply: SummarizerReply, code: ReplyFailure][] = [
    ["nothing", { text: "" }, "reply_empty"],
    ["blank", { text: " \n\t" }, "reply_empty"],
    ["reasoning only", { text: "", reasoningOnly: true }, "reply_reasoning_only"],
    [
      "reasoning up to the cap",
      { text: "", reasoningOnly: true, finishReason: "length" },
      "reply_reasoning_only",
    ],
    ["nothing up to the cap", { text: "", finishReason: "length" }, "reply_cut_off"],
    ["finish reason length", { text: cutOff, finishReason: "length" }, "reply_cut_off"],
    ["finish reason length, complete by luck", { text: good, finishReason: "length" }, "reply_cut_off"],
    ["ends early without a finish reason", { text: cutOff }, "reply_cut_off"],
    ["ends inside a string", { text: '{"objective":"Port the' }, "reply_cut_off"],
    ["ends inside a fence", { text: `\`\`\`json\n${cutOff}` }, "reply_cut_off"],
    ["the fence alone is missing", { text: `\`\`\`json\n${good}` }, "reply_cut_off"],
    ["ends after the first brace", { text: "{" }, "reply_cut_off"],
    ["prose and an early end", { text: `Sure!\n${cutOff}` }, "reply_cut_off"],
    ["content filter", { text: good, finishReason: "content-filter" }, "reply_refused"],
    ["a refusal", { text: "I'm sorry, but I can't help with that." }, "reply_refused"],
    [
      "a refusal with a typographic apostrophe",
      { text: "I can’t assist with this request." },
      "reply_refused",
    ],
    ["a German refusal", { text: "Es tut mir leid, dabei kann ich nicht helfen." }, "reply_refused"],
    ["a tool call instead of text", { text: "", toolCalls: 1 }, "reply_tool_call"],
    ["a tool call beside text", { text: good, toolCalls: 2, finishReason: "tool-calls" }, "reply_tool_call"],
    ["prose", { text: "The user wants to port the parser." }, "reply_prose"],
    ["prose with braces", { text: "Use {x} and {y: 1} there." }, "reply_prose"],
    ["prose before", { text: `Here is the summary:\n${good}` }, "reply_prose"],
    ["prose after", { text: `${good}\nLet me know!` }, "reply_prose"],
    ["prose after a fence", { text: `\`\`\`json\n${good}\n\`\`\`\nDone.` }, "reply_prose"],
    ["a fence without its language", { text: `\`\`\`\n${good}\n\`\`\`` }, "reply_prose"],
    ["two objects", { text: `${good}\n${good}` }, "reply_two_objects"],
    ["two fences", { text: `\`\`\`json\n${good}\n\`\`\`\n\`\`\`json\n${good}\n\`\`\`` }, "reply_two_objects"],
    ["two objects in prose", { text: `First ${good} then {"a":1}` }, "reply_two_objects"],
    ["an object of another shape", { text: '{"summary":"done"}' }, "schema"],
    ["an object that is no JSON", { text: "{objective: 'x'}" }, "schema"],
    ["an array", { text: `[${good}]` }, "schema"],
    ["a blank objective", { text: JSON.stringify(wireObject({ objective: " " })) }, "schema"],
    [
      "an unknown kind",
      { text: JSON.stringify(wireObject({ anchors: [wireAnchor("a", { kind: "x" })] })) },
      "schema",
    ],
    ["a limit passed", { text: JSON.stringify(wireObject({ next: Array(257).fill("x") })) }, "schema"],
  ];
  for (const [name, reply, code] of failures) {
    it(`${code}: ${name}`, () => {
      const read = readReply(reply);
      assert.equal(read.ok ? "draft" : read.code, code);
    });
  }

  it("schema names the field that breaks the shape, never its text", () => {
    const read = readReply({
      text: JSON.stringify(wireObject({ anchors: [wireAnchor("a", { kind: "secret" })] })),
    });
    assert.deepEqual(read, { ok: false, code: "schema", where: "anchors.0.kind" });
  });

  it("never throws, and is linear in a reply of nothing but braces", () => {
    fc.assert(
      fc.property(nastyText(200), fc.json(), (text, json) => {
        readReply({ text });
        readReply({ text: text + json });
        readReply({ text: `${json}${text}${json}` });
      }),
      { numRuns: RUNS },
    );
    assert.equal(readReply({ text: "{".repeat(1_000_000) }).ok, false);
    assert.equal(readReply({ text: "{}".repeat(100_000) }).ok, false);
  });
});
