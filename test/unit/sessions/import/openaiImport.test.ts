import assert from "node:assert/strict";
import { contextOf, fixtureBytes, imported, importFixture, importLines, outline } from "./importing.ts";

const document = (value: unknown, indent = 2) => imported(Buffer.from(JSON.stringify(value, null, indent)));

describe("import of OpenAI-style messages", () => {
  it("can be written again where a call's input is nested deeper than JSON can write", async () => {
    const deep = "[".repeat(50_000) + "]".repeat(50_000);
    const call = (id: string, input: string) =>
      `{"id":"${id}","function":{"name":"read","arguments":${input}}}`;
    const session = await imported(
      Buffer.from(
        `[{"role":"user","content":"go"},{"role":"assistant","tool_calls":[${call("a", deep)},${call("b", `"${deep}"`)}]}]`,
      ),
    );
    assert.ok(JSON.stringify(session.records).includes("nested too deep"));
    assert.ok(JSON.stringify(session.records).includes(deep), "a text stays a text");
  });

  it("reads calls, results, images, the older function calls and roles nobody knows", async () => {
    const session = await importFixture("openai-tools.json");
    assert.deepEqual(outline(session.records), [
      "system message-1: You are terse.",
      "system message-2: Use tools.",
      "user message-3: What is on this picture, and the weather in Bern? | <image/png>",
      'assistant message-4: <Two calls.:> | weather#call_1({"city":"Bern"}) | broken#call_2("{\\"city\\":") | slow#call_3({})',
      "tool message-5: broken#call_2 => no\n[image: https://example.invalid/x.png]",
      'tool message-6: weather#call_1 => {"degrees":7,"sky":["grey"]}',
      'assistant message-7: 7 degrees. | log#message-7:call-2({"n":1})',
      "tool message-8: log#message-7:call-2 => logged",
      "user notice message-9: A tool's result whose call is not in the file (log):\nlogged again",
      "user notice message-10: The person is away.",
      '(unknown) Role "narrator" is not known.',
      "user message-12: Thanks.",
    ]);
    assert.deepEqual(
      [session.title, session.model, session.sourceSessionId],
      ["Weather", "gpt-4.1", "thread_1"],
    );
    assert.equal(session.createdAt, 1772359200000);
    const { calls, results, openCalls, unknownLines, unit } = session.report;
    assert.deepEqual([calls, results, openCalls, unknownLines, unit], [4, 3, 1, 1, "message"]);
  });

  it("takes cached input as part of the input", async () => {
    const { records } = await importFixture("openai-tools.json");
    const usages = records.flatMap((record) => (record.type === "message" ? [record.message.usage] : []));
    assert.deepEqual(
      usages.find((usage) => usage !== undefined),
      { inputTokens: 120, outputTokens: 30, cacheReadTokens: 100 },
    );
  });

  it("keeps the bytes of a data URL without its prefix", async () => {
    const { records } = await importFixture("openai-tools.json");
    const images = records.flatMap((record) =>
      record.type === "message" ? record.message.content.filter((part) => part.type === "image") : [],
    );
    const source = Buffer.from(fixtureBytes("openai-tools.json")).toString();
    assert.deepEqual(images, [
      { type: "image", mediaType: "image/png", data: /base64,([^"]+)/.exec(source)?.[1] ?? "" },
    ]);
  });

  it("reads a SWE-agent trajectory: the task is the person's, demonstrations and observations are not", async () => {
    const { records } = await importFixture("swe-text.traj");
    assert.deepEqual(outline(records), [
      "system message-1: You are a programmer.",
      "user notice message-2: A demonstration.",
      "user message-3: Fix the issue.",
      "assistant message-4: Look.",
      "user notice message-5: README.md",
      'assistant message-6: Read. | bash#call_1({"command":"cat README.md"})',
      "tool message-7: bash#call_1 => # Readme",
    ]);
  });

  const talk = [
    { role: "user", content: "Hi" },
    { role: "assistant", content: "Hello" },
  ];
  it("reads a bare array, an object, one line or many, and one message a line alike", async () => {
    const expected = (unit: string) => [`user ${unit}-1: Hi`, `assistant ${unit}-2: Hello`];
    for (const value of [talk, { messages: talk }, { history: talk }]) {
      for (const indent of [0, 2]) {
        assert.deepEqual(outline((await document(value, indent)).records), expected("message"));
      }
    }
    assert.deepEqual(outline((await importLines(...talk)).records), expected("line"));
    const oneAnElement = `[\n${talk.map((message) => JSON.stringify(message)).join(",\n")}\n]`;
    assert.deepEqual(outline((await importLines(oneAnElement)).records), expected("message"));
  });

  it("reads records of the other formats that stand in an array", async () => {
    const session = await document([{ type: "user", uuid: "u", message: { role: "user", content: "Hi" } }]);
    assert.deepEqual([session.format, ...contextOf(session)], ["claude-code", "u"]);
  });

  it("takes blocks in Anthropic's style, files as attachments, and a system text beside the list", async () => {
    const { records } = await document({
      system_prompt: "Be kind.",
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "Read it." },
            { type: "file", path: "a.ts", content: "let a;" },
          ],
        },
        { role: "assistant", content: [{ type: "tool_use", id: "t", name: "read", input: {} }] },
        {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: "t", content: [{ query: "a", result: 1 }] }],
        },
      ],
    });
    assert.deepEqual(outline(records), [
      "system system: Be kind.",
      "user attachment message-1:0: a.ts\nlet a;",
      "user message-1: Read it.",
      "assistant message-2: read#t({})",
      'tool message-3: read#t => {"query":"a","result":1}',
    ]);
  });

  it("keeps every complete message of a document that is cut off, and the rest as it is", async () => {
    const whole = Buffer.from(fixtureBytes("openai-tools.json")).toString();
    const complete = await importFixture("openai-tools.json");
    for (const mark of ["call_2", "degrees", "logged again", "Meanwhile"]) {
      const cut = whole.slice(0, whole.indexOf(mark) + 3);
      const session = await imported(Buffer.from(cut));
      const messages = outline(session.records).filter((line) => !line.startsWith("(unknown)"));
      assert.deepEqual(messages, outline(complete.records).slice(0, messages.length));
      assert.equal(messages.length, cut.split('"role":').length - 2, mark);
      const rest = session.records.at(-1);
      assert.ok(rest?.type === "unknown" && cut.endsWith(rest.text) && rest.text.length > 0);
      assert.match(session.report.notes.join(), /cut off/);
    }
  });
});
