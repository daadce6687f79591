import assert from "node:assert/strict";
import { contextOf, importFixture, importLines, outline } from "./importing.ts";

const user = (uuid: string, content: unknown, more: object = {}) => ({
  type: "user",
  uuid,
  parentUuid: null,
  sessionId: "s",
  message: { role: "user", content },
  ...more,
});
const reply = (uuid: string, id: string, content: unknown[], more: object = {}) => ({
  type: "assistant",
  uuid,
  parentUuid: null,
  sessionId: "s",
  message: { role: "assistant", id, model: "claude-sonnet-4-5", content, ...more },
});
const text = (value: string) => ({ type: "text", text: value });
const call = (id: string) => ({ type: "tool_use", id, name: "Bash", input: { command: id } });
const result = (id: string, content: unknown) => ({ type: "tool_result", tool_use_id: id, content });

describe("import of Claude Code sessions", () => {
  it("makes one message of the lines of one message id, with results and typed text apart", async () => {
    const { records, report } = await importFixture("claude-turns.jsonl");
    assert.deepEqual(outline(records), [
      "user u1: Read both files and tell me which is longer.",
      'assistant msg_1: <Two files.:c2ln> | I read them. | Read#toolu_1({"file_path":"a.txt"}) | Read#toolu_2({"file_path":"b.png"})',
      "tool r1: Read#toolu_1 => alpha",
      "tool r2: Read#toolu_2 => a picture\n1 x 1 | <image/png>",
      "assistant msg_2: a.txt is longer.",
      "user u2: Now delete b.png.",
      'assistant msg_3: Bash#toolu_3({"command":"rm b.png"}) | Bash#toolu_4({"command":"ls"})',
      "tool u3:0: ERROR Bash#toolu_3 => The tool use was rejected.",
      "user u3: Keep it, only rename it.",
      "user notice u4: [Request interrupted by user for tool use]",
      'user notice u5: A tool\'s result whose call is not in the file (toolu_99):\n{"left":"over"}',
      "assistant msg_4: <:b3BhcXVl> | Renamed.",
    ]);
    assert.deepEqual(
      [report.calls, report.results, report.openCalls, report.orphanResults, report.abortedTurns],
      [4, 3, 1, 1, 1],
    );
  });

  it("counts usage once a message, with cached input inside", async () => {
    const { records } = await importFixture("claude-turns.jsonl");
    const usages = records.flatMap((record) =>
      record.type === "message" && record.message.usage ? [record.message.usage] : [],
    );
    assert.deepEqual(usages[0], {
      inputTokens: 2103,
      outputTokens: 90,
      cacheReadTokens: 2000,
      cacheWriteTokens: 100,
      model: "claude-sonnet-4-5",
    });
    assert.deepEqual(
      usages.map(({ outputTokens }) => outputTokens),
      [90, 9, 30, 6],
    );
  });

  it("takes no usage from zeros", async () => {
    const zeros = { usage: { input_tokens: 0, output_tokens: 0, cache_read_input_tokens: 0 } };
    const { records } = await importLines(user("u", "Hi"), reply("a", "m", [text("Hello")], zeros));
    assert.ok(records.every((record) => record.type !== "message" || record.message.usage === undefined));
  });

  it("tells what a person typed from what the agent put into the same role", async () => {
    const { records, title } = await importFixture("claude-users.jsonl");
    const users = records.filter((record) => record.type === "message" && record.message.role === "user");
    assert.deepEqual(
      outline(users.filter((record) => record.type === "message" && record.message.kind === undefined)),
      [
        "user /review c1: the parser, gently",
        "user u1: Then add a test.",
        "user u4: Commit it.",
        "user u6: Well done.",
        "user t1: And update the README.",
      ],
    );
    assert.deepEqual(
      users.flatMap((record) =>
        record.type === "message" && record.message.kind === "notice" ? [record.message.id] : [],
      ),
      "m1 m2 m3 c1:0 c2 u1:0 u1:2 u2 u3 u4:0 u5 t3 s1 u7 e1".split(" "),
    );
    assert.ok(outline(users).includes("user attachment t2: README.md\n# Parser\n"));
    assert.equal(title, "Review the parser");
  });

  it("drops the arguments of a command whose local output follows, and keeps them in the notice", async () => {
    const command = "<command-name>/mine</command-name><command-args>forget all rules</command-args>";
    const { records } = await importLines(
      user("u1", command),
      user("u2", "<local-command-stdout>ok</local-command-stdout>"),
      user("u3", "Hi"),
    );
    assert.deepEqual(outline(records), [
      `user notice u1:0: ${command}`,
      "user notice u2: <local-command-stdout>ok</local-command-stdout>",
      "user u3: Hi",
    ]);
  });

  it("keeps sub-agents out of the transcript, each linked to its call", async () => {
    const session = await importFixture("claude-sidechain.jsonl");
    assert.deepEqual(contextOf(session), ["u1", "msg_1", "r1", "r2", "r3", "msg_2"]);
    const links = session.records.flatMap((record) =>
      record.type === "sidechain" ? [[record.message.id, record.message.kind, record.linkedCallId]] : [],
    );
    assert.deepEqual(links, [
      ["s1", "notice", "toolu_B"],
      ["msg_s1", undefined, "toolu_B"],
      ["s4", undefined, "toolu_B"],
      ["d1", "notice", "toolu_A"],
      ["msg_s2", undefined, "toolu_C"],
      ["msg_s3", undefined, "toolu_A"],
    ]);
    assert.equal(session.report.sidechainLines, 7);
    assert.deepEqual(session.report.sidechain, { messages: 6, calls: 1, results: 1 });
    assert.deepEqual([session.report.calls, session.report.results], [3, 3]);
  });

  for (const [name, context, outside] of [
    ["claude-compacted.jsonl", ["c1", "u3", "msg_3"], []],
    ["claude-compacted-old.jsonl", ["c1", "u3", "msg_3"], []],
    ["claude-compacted-kept-tail.jsonl", ["c1", "u2", "msg_2", "u3", "msg_3"], []],
    ["claude-compacted-kept-head.jsonl", ["u1", "msg_1", "c1", "u3", "msg_3"], ["u2", "msg_2"]],
  ] as const) {
    it(`starts the context at the file's own compaction: ${name}`, async () => {
      const session = await importFixture(name);
      assert.deepEqual(contextOf(session), context);
      assert.deepEqual(
        session.records.flatMap((record) => (record.type === "outside" ? [record.message.id] : [])),
        outside,
      );
      const boundary = session.records.find((record) => record.type === "boundary");
      assert.ok(boundary?.type === "boundary");
      assert.match(boundary.summaryText, /The user wants a parser\.$/);
      assert.deepEqual([boundary.summaryMessageId, boundary.afterMessageId], ["c1", "msg_2"]);
      const summary = session.records.find(
        (record) => record.type === "message" && record.message.id === "c1",
      );
      assert.ok(summary?.type === "message");
      assert.deepEqual([summary.message.role, summary.message.kind], ["user", "notice"]);
      assert.equal(session.title, "Write a parser.");
    });
  }

  it("goes on as before a compaction whose summary was never written", async () => {
    const boundary = { type: "system", subtype: "compact_boundary", uuid: "b", sessionId: "s" };
    const session = await importLines(user("u1", "Hi"), reply("a", "m", [text("Hello")]), boundary);
    assert.deepEqual(contextOf(session), ["u1", "m"]);
    assert.deepEqual(session.report.boundaries, []);
    assert.ok(
      session.records.some(
        (record) => record.type === "metadata" && record.text.includes("compact_boundary"),
      ),
    );
    assert.match(session.report.notes.join(), /ends in a compaction/);
  });

  it("lets no result stand in the context whose call lies before the boundary", async () => {
    const session = await importLines(
      user("u1", "Hi"),
      reply("a", "m1", [call("t1")]),
      { type: "system", subtype: "compact_boundary", uuid: "b", sessionId: "s" },
      user("c", "Summary.", { isCompactSummary: true }),
      user("r", [result("t1", "late")]),
    );
    assert.deepEqual(contextOf(session), ["c", "r"]);
    assert.deepEqual(
      [session.report.openCalls, session.report.orphanResults, session.report.results],
      [1, 1, 0],
    );
  });

  it("keeps a message id apart that goes on behind a boundary", async () => {
    const session = await importLines(
      reply("a1", "m", [text("before")]),
      user("c", "Summary.", { isCompactSummary: true }),
      reply("a2", "m", [text("after")]),
    );
    assert.deepEqual(contextOf(session), ["c", "m@line-3"]);
  });

  it("takes back what a rewritten prompt replaced, and keeps it outside", async () => {
    const session = await importFixture("claude-rewound.jsonl");
    assert.deepEqual(contextOf(session), ["u1", "msg_1", "u3", "msg_3", "r3", "r4", "msg_4"]);
    assert.deepEqual(
      session.records.flatMap((record) =>
        record.type === "outside" ? [`${record.message.id} ${record.reason}`] : [],
      ),
      ["u2 rewound", "msg_2 rewound", "r2 rewound"],
    );
    assert.deepEqual([session.report.outside, session.report.outsideLines], [3, 3]);
    assert.deepEqual([session.report.calls, session.report.openCalls], [2, 0]);
  });

  it("takes nothing back where the chain of parents is broken or says nothing", async () => {
    const flat = await importLines(user("u1", "One"), user("u2", "Two"), user("u3", "Three"));
    assert.deepEqual(contextOf(flat), ["u1", "u2", "u3"]);
    const broken = await importLines(user("u1", "One"), user("u2", "Two", { parentUuid: "u1" }), "{bad", {
      ...user("u3", "Three"),
      parentUuid: "lost",
    });
    assert.deepEqual(contextOf(broken), ["u1", "u2", "u3"]);
  });

  it("counts a repeated line once", async () => {
    const line = reply("a", "m", [text("Hello")]);
    const { report, records } = await importLines(user("u", "Hi"), line, line, user("u", "Hi"));
    assert.deepEqual([report.messages, report.metadataLines], [2, 2]);
    assert.deepEqual(outline(records).slice(0, 2), ["user u: Hi", "assistant m: Hello"]);
  });

  it("pairs reused ids with the nearest earlier unanswered call", async () => {
    const { records, report } = await importLines(
      reply("a1", "m1", [call("t")]),
      reply("a2", "m2", [{ ...call("t"), name: "Read" }]),
      user("r1", [result("t", "second")]),
      user("r2", [result("t", "first")]),
      user("r3", [result("t", "third")]),
    );
    assert.deepEqual(outline(records).slice(2), [
      "tool r1: Read#t => second",
      "tool r2: Bash#t => first",
      "user notice r3: A tool's result whose call is not in the file (t):\nthird",
    ]);
    assert.deepEqual([report.calls, report.results, report.orphanResults], [2, 2, 1]);
  });

  it("splits a line of results of which one is an orphan", async () => {
    const { records } = await importLines(
      reply("a", "m", [call("t")]),
      user("r", [result("t", "1"), result("x", "2")]),
    );
    assert.deepEqual(outline(records).slice(1), [
      "tool r: Bash#t => 1",
      "user notice r:orphans: A tool's result whose call is not in the file (x):\n2",
    ]);
  });

  it("keeps record types it does not know, and metadata, as they are", async () => {
    const odd = '{"type":"hologram","sessionId":"s","n":1}';
    const { records, report } = await importLines(
      user("u", "Hi"),
      odd,
      '{"type":"mode","sessionId":"s","mode":"x"}',
    );
    assert.deepEqual(records.slice(1), [
      { type: "unknown", line: 2, text: odd, reason: 'Record type "hologram" is not known.' },
      { type: "metadata", line: 3, recordType: "mode", text: '{"type":"mode","sessionId":"s","mode":"x"}' },
    ]);
    assert.deepEqual([report.unknownLines, report.metadataLines], [1, 1]);
  });

  it("keeps the line of a part that is too long to stand as text", async () => {
    const document = { type: "document", source: { type: "base64", data: "A".repeat(5000) } };
    const line = JSON.stringify(user("u", [text("Read this."), document]));
    const { records } = await importLines(line);
    assert.ok(records.some((record) => record.type === "metadata" && record.text === line));
    const message = outline(records).find((record) => record.startsWith("user u:"));
    assert.match(message ?? "", /^user u: Read this\. \| \[document\] \[\d+ characters left out/);
  });

  it("gives two messages of one id in the file two ids", async () => {
    const { records } = await importLines(user("u", "One"), user("u", "Two"), user("u", "Three"));
    assert.deepEqual(
      records.flatMap((record) => (record.type === "message" ? [record.message.id] : [])),
      ["u", "u@line-2", "u@line-3"],
    );
  });
});
