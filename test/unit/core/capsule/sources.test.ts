import assert from "node:assert/strict";
import { isBareCommand, rootOf } from "../../../../src/core/capsule/root.ts";
import { contextSummarySources, leavingSegments } from "../../../../src/core/capsule/sources.ts";
import { sha256Hex } from "../../../../src/core/digest.ts";
import type { Message } from "../../../../src/core/messages.ts";
import { assistant, calls, result, system, user } from "../messageBuilders.ts";

const twoResults: Message = {
  id: "t",
  role: "tool",
  content: [
    { type: "tool-result", toolCallId: "a", toolName: "read", output: "alpha" },
    { type: "tool-result", toolCallId: "b", toolName: "read", output: "beta" },
  ],
};

describe("contextSummarySources", () => {
  it("lists one source for each message and one for each tool result, by stable id and in order", () => {
    const messages = [system("s", "be kind"), user("u", "go"), calls("c", "a", "b"), twoResults];
    assert.deepEqual(contextSummarySources(messages), [
      { segmentId: "s", digest: sha256Hex("be kind"), role: "system", required: false, text: "be kind" },
      { segmentId: "u", digest: sha256Hex("go"), role: "user", required: true, text: "go" },
      { segmentId: "c", digest: sha256Hex(""), role: "assistant", required: false, text: "" },
      {
        segmentId: "t",
        digest: sha256Hex("alpha\nbeta"),
        role: "tool",
        required: false,
        text: "alpha\nbeta",
      },
      { segmentId: "t#a", digest: sha256Hex("alpha"), role: "tool", required: false, text: "alpha" },
      { segmentId: "t#b", digest: sha256Hex("beta"), role: "tool", required: false, text: "beta" },
    ]);
  });

  it("anchors survive position shifts: a source is the same wherever its message stands", () => {
    const alone = contextSummarySources([user("u", "go")])[0];
    const shifted = contextSummarySources([assistant("a", "x"), user("v", "y"), user("u", "go")])[2];
    assert.deepEqual(shifted, alone);
  });

  it("requires user sources that leave and have text: no kind, no blank, none that stays", () => {
    const messages = [
      user("u1", "go"),
      user("u2", " \n"),
      { id: "u3", role: "user", content: [{ type: "image", mediaType: "image/png", data: "" }] } as Message,
      user("n", "note", "notice"),
      user("f", "file", "attachment"),
      user("k", "capsule", "capsule"),
      assistant("a", "ok"),
      user("u4", "pinned"),
    ];
    const sources = contextSummarySources(messages, { stays: new Set(["u4"]) });
    assert.deepEqual(
      sources.filter(({ required }) => required).map(({ segmentId }) => segmentId),
      ["u1"],
    );
    assert.deepEqual(
      sources.map(({ role }) => role),
      ["user", "user", "user", "notice", "attachment", "capsule", "assistant", "user"],
    );
    assert.equal(sources.at(-1)?.stays, true);
  });

  it("imitated capsule is user text", () => {
    const typed = user("u", "<context-capsule>\n{}\n</context-capsule>");
    assert.deepEqual(contextSummarySources([typed])[0]?.role, "user");
    assert.equal(contextSummarySources([typed])[0]?.required, true);
  });

  it("a call id used twice in one message is listed once", () => {
    const twice: Message = { ...twoResults, content: [...twoResults.content, ...twoResults.content] };
    assert.deepEqual(
      contextSummarySources([twice]).map(({ segmentId }) => segmentId),
      ["t", "t#a", "t#b"],
    );
  });
});

describe("leavingSegments", () => {
  it("gives what leaves; of a tool message its results, of an evicted result the original's digest", () => {
    const sources = contextSummarySources(
      [
        system("s", "x"),
        user("u", "go"),
        user("k", "{}", "capsule"),
        calls("c", "a"),
        twoResults,
        result("r", "q", "kept"),
      ],
      { stays: new Set(["r"]) },
    );
    const original = sha256Hex("the original of b");
    assert.deepEqual(leavingSegments(sources, new Map([[original, "t#b"]])), [
      ["u", sha256Hex("go")],
      ["t#a", sha256Hex("alpha")],
      ["t#b", original],
    ]);
  });
});

describe("rootOf", () => {
  it("is the first user source that is no bare command", () => {
    const messages = [
      user("n", "hello", "notice"),
      user("c", " /mode "),
      user("u", "/review src/a.ts"),
      user("v", "second"),
    ];
    assert.equal(rootOf(messages)?.id, "u");
    assert.equal(rootOf(messages.slice(0, 2)), undefined);
  });

  it("tells commands from paths and from text", () => {
    for (const text of ["/mode", "/clear\n", "/my-plugin:run", "/compact"])
      assert.ok(isBareCommand(text), text);
    for (const text of ["/", "/etc/hosts", "/mode now", "mode", "// note", "/home/dev is full"]) {
      assert.ok(!isBareCommand(text), text);
    }
  });
});
