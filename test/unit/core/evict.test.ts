import assert from "node:assert/strict";
import fc from "fast-check";
import { evict } from "../../../src/core/evict.ts";
import { evictionCandidates } from "../../../src/core/evictionCandidates.ts";
import type { Message, Part } from "../../../src/core/messages.ts";
import { textOf } from "../../../src/core/messages.ts";
import { planCompaction } from "../../../src/core/planCompaction.ts";
import { defaultPolicy } from "../../../src/core/policy.ts";
import { recover } from "../../../src/core/recover.ts";
import { deepFreeze, PNG_1000_BY_800, transcriptArbitrary } from "./arbitraries.ts";
import { calls, result, user } from "./messageBuilders.ts";
import { callOfEachResult } from "./safeCutOracle.ts";

const stored = { isStored: () => true };
const all = { cut: 99, pinnedIds: [], rootId: undefined };
const image: Part = { type: "image", mediaType: "image/png", data: PNG_1000_BY_800 };

describe("evict", () => {
  it("pair and non-text parts intact", () => {
    const big = "x".repeat(1000);
    const mixed: Message = {
      id: "r1",
      role: "tool",
      usage: { inputTokens: 1, outputTokens: 2 },
      content: [
        { type: "text", text: "beside" },
        { type: "tool-result", toolCallId: "a", toolName: "read", output: big, isError: true },
        image,
        { type: "tool-result", toolCallId: "b", toolName: "bash", output: big },
      ],
    };
    const messages = [
      calls("c1", "a", "b"),
      mixed,
      calls("c2", "a"),
      result("r2", "a"),
      result("r3", "b", "ok", "bash"),
    ];
    const candidates = evictionCandidates(messages, all, stored);
    assert.deepEqual(
      candidates.map(({ segmentId }) => segmentId),
      ["r1#a", "r1#b"],
    );
    const evicted = evict(messages, candidates);
    assert.deepEqual(evicted[1], {
      ...mixed,
      content: [
        { type: "text", text: "beside" },
        {
          type: "tool-result",
          toolCallId: "a",
          toolName: "read",
          output: candidates[0]?.citation,
          isError: true,
        },
        image,
        { type: "tool-result", toolCallId: "b", toolName: "bash", output: candidates[1]?.citation },
      ],
    });
    assert.deepEqual(callOfEachResult(evicted), callOfEachResult(messages));
  });

  it("an attachment keeps its image; its texts give way to one citation", () => {
    const content: Part[] = [image, { type: "text", text: "x".repeat(500) }, { type: "text", text: "more" }];
    const messages: Message[] = [{ id: "f", role: "user", kind: "attachment", content }, user("u", "look")];
    const candidates = evictionCandidates(messages, all, stored);
    assert.deepEqual(evict(messages, candidates), [
      {
        id: "f",
        role: "user",
        kind: "attachment",
        content: [{ type: "text", text: candidates[0]?.citation }, image],
      },
      messages[1],
    ]);
  });

  it("messages without an evicted text are the very same; nothing to evict gives the very list", () => {
    const messages = [
      calls("c1", "a"),
      result("r1", "a", "x".repeat(900)),
      calls("c2", "a"),
      result("r2", "a"),
    ];
    const evicted = evict(messages, evictionCandidates(messages, all, stored));
    assert.notEqual(evicted[1], messages[1]);
    for (const at of [0, 2, 3]) assert.equal(evicted[at], messages[at]);
    assert.equal(evict(messages, []), messages);
  });

  it("candidates of another context are refused", () => {
    const messages = [
      calls("c1", "a"),
      result("r1", "a", "x".repeat(900)),
      calls("c2", "a"),
      result("r2", "a"),
    ];
    const candidates = evictionCandidates(messages, all, stored);
    assert.throws(() => evict(messages.slice(1), candidates), { code: "invalid_options" });
    assert.throws(() => evict([], candidates), { code: "invalid_options" });
  });

  const evictable = fc.tuple(transcriptArbitrary(), fc.nat(2)).map(([messages, keepRecentTurns]) => {
    const policy = { ...defaultPolicy, keepRecentTokens: 100, keepRecentTurns };
    const plan = planCompaction(messages, { policy, trigger: "manual", window: 8000 });
    return { messages, plan, candidates: evictionCandidates(messages, plan, stored) };
  });

  it("evicted texts come back byte for byte, and their context with them", async () => {
    await fc.assert(
      fc.asyncProperty(evictable, async ({ messages, candidates }) => {
        deepFreeze(messages);
        const store = new Map<string, string>();
        for (const { messageIndex, toolCallId, digest } of candidates) {
          const message = messages[messageIndex] as Message;
          const part = message.content.find(
            (each) => each.type === "tool-result" && each.toolCallId === toolCallId,
          );
          store.set(digest, part?.type === "tool-result" ? part.output : textOf(message));
        }
        const evicted = evict(messages, candidates);
        const restored = [...evicted];
        for (const { messageIndex, toolCallId, digest } of candidates) {
          const text = await recover(digest, (asked) => store.get(asked));
          const message = restored[messageIndex] as Message;
          restored[messageIndex] = {
            ...message,
            content: message.content.map((part): Part => {
              if (part.type === "text" && toolCallId === undefined) return { ...part, text };
              return part.type === "tool-result" && part.toolCallId === toolCallId
                ? { ...part, output: text }
                : part;
            }),
          };
        }
        assert.deepEqual(restored, messages);
      }),
    );
  });

  it("ids, roles, pairs, flags and parts stay; what was evicted is never evicted again", () => {
    fc.assert(
      fc.property(evictable, ({ messages, plan, candidates }) => {
        deepFreeze(messages);
        const evicted = evict(messages, candidates);
        const bare = (list: readonly Message[]) =>
          list.map(({ content, ...message }) => ({
            ...message,
            content: content.map((part) => {
              if (part.type === "tool-result") return { ...part, output: "" };
              return part.type === "text" && message.kind === "attachment" ? { ...part, text: "" } : part;
            }),
          }));
        assert.deepEqual(bare(evicted), bare(messages));
        assert.deepEqual(callOfEachResult(evicted), callOfEachResult(messages));
        assert.deepEqual(evictionCandidates(evicted, plan, stored), []);
      }),
    );
  });
});
