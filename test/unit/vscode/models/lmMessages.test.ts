import assert from "node:assert/strict";
import { describe, it } from "mocha";
import type { Message, Part } from "../../../../src/core/messages.ts";
import { toLmMessages } from "../../../../src/vscode/models/lmMessages.ts";
import { assistant, result, system, user } from "../../core/messageBuilders.ts";
import * as lm from "../languageModelShim.ts";

const { User, Assistant } = lm.LanguageModelChatMessageRole;

interface Plain {
  readonly role: number;
  readonly parts: readonly unknown[];
}

/** Text parts as their text, other parts as they are. */
function converted(messages: readonly Message[], withTools = false): Plain[] {
  return toLmMessages(messages, { withTools }).map(({ role, content }) => ({
    role,
    parts: (content as unknown[]).map((part) =>
      part instanceof lm.LanguageModelTextPart ? part.value : part,
    ),
  }));
}

function calling(id: string, input: unknown): Message {
  return {
    id,
    role: "assistant",
    content: [{ type: "tool-call", toolCallId: "1", toolName: "read", input }],
  };
}

describe("toLmMessages", () => {
  it("puts the system text into the first user message, whatever stands before it", () => {
    const messages = [
      system("s", "Be brief."),
      system("t", "Be kind."),
      assistant("a", "Hello"),
      user("u", "Hi"),
    ];
    assert.deepEqual(converted(messages), [
      { role: Assistant, parts: ["Hello"] },
      { role: User, parts: ["Be brief.\n\nBe kind.\n\n", "Hi"] },
    ]);
  });

  it("makes a user message for the system text where there is none", () => {
    assert.deepEqual(converted([system("s", "Be brief."), assistant("a", "Hello")]), [
      { role: User, parts: ["Be brief.\n\n"] },
      { role: Assistant, parts: ["Hello"] },
    ]);
  });

  it("gives calls and results as text where no tools are offered", () => {
    const messages = [user("u", "Hi"), calling("c", { path: "a.ts" }), result("r", "1", "bytes")];
    assert.deepEqual(converted(messages), [
      { role: User, parts: ["Hi"] },
      { role: Assistant, parts: ['[called read: {"path":"a.ts"}]'] },
      { role: User, parts: ["[result of read]\nbytes"] },
    ]);
  });

  it("gives them as parts where tools are offered, and an input that is no object as one", () => {
    const [, called, answered] = converted(
      [user("u", "Hi"), calling("c", "a.ts"), result("r", "1", "bytes")],
      true,
    );
    assert.deepEqual(called?.parts, [new lm.LanguageModelToolCallPart("1", "read", { value: "a.ts" })]);
    assert.deepEqual(answered?.parts, [
      new lm.LanguageModelToolResultPart("1", [new lm.LanguageModelTextPart("bytes")]),
    ]);
  });

  it("says which result is an error", () => {
    const part: Part = {
      type: "tool-result",
      toolCallId: "1",
      toolName: "read",
      output: "gone",
      isError: true,
    };
    assert.deepEqual(converted([{ id: "r", role: "tool", content: [part] }]), [
      { role: User, parts: ["[error of read]\ngone"] },
    ]);
  });

  it("sends images as their bytes", () => {
    const image: Part = {
      type: "image",
      mediaType: "image/png",
      data: Buffer.from([1, 2]).toString("base64"),
    };
    const [only] = converted([{ id: "u", role: "user", content: [image] }]);
    const [part] = only?.parts ?? [];
    assert.ok(part instanceof lm.LanguageModelDataPart);
    assert.equal(part.mimeType, "image/png");
    assert.deepEqual([...part.data], [1, 2]);
  });

  it("leaves out reasoning, empty texts, and messages that hold nothing else", () => {
    const thinking: Message = { id: "a", role: "assistant", content: [{ type: "reasoning", text: "Hm" }] };
    assert.deepEqual(converted([user("u", ""), thinking, user("v", "Hi")]), [{ role: User, parts: ["Hi"] }]);
  });
});
