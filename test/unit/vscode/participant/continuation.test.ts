import assert from "node:assert/strict";
import fc from "fast-check";
import { describe, it } from "mocha";
import type { Message } from "../../../../src/core/messages.ts";
import type { HistoryTurn } from "../../../../src/vscode/participant/boundChat.ts";
import { boundChat } from "../../../../src/vscode/participant/boundChat.ts";
import type { ContinuedSession } from "../../../../src/vscode/participant/continuation.ts";
import { continuation } from "../../../../src/vscode/participant/continuation.ts";
import { assistant, user } from "../../core/messageBuilders.ts";

const OURS = "context-capsule.capsule";

function asked(prompt: string, command?: string): HistoryTurn {
  return { participant: OURS, prompt, command };
}

function replied(metadata?: unknown): HistoryTurn {
  return { participant: OURS, result: metadata === undefined ? {} : { metadata } };
}

const at = (lastMessageId: string | null, unfinishedMessages = 0) => ({
  sessionId: "s",
  lastMessageId,
  unfinishedMessages,
});

describe("the session of a chat", () => {
  it("is the newest one that a turn of ours names", () => {
    const history = [
      asked("a"),
      replied({ sessionId: "old", lastMessageId: "m1" }),
      asked("b"),
      replied({ sessionId: "s", lastMessageId: "m2", offer: "compact" }),
    ];
    assert.deepEqual(boundChat(history), { ...at("m2"), offer: "compact" });
  });

  it("is none in a new chat, nor by the turns of others, nor by metadata of another shape", () => {
    assert.equal(boundChat([]), undefined);
    assert.equal(
      boundChat([{ participant: "other", result: { metadata: { sessionId: "s", lastMessageId: null } } }]),
      undefined,
    );
    for (const metadata of [
      null,
      "s",
      {},
      { sessionId: "" },
      { sessionId: "s" },
      { sessionId: 1, lastMessageId: null },
    ]) {
      assert.equal(boundChat([asked("a"), replied(metadata)]), undefined);
    }
  });

  it("counts the messages after it whose turns left nothing, and no commands", () => {
    const history = [
      asked("a"),
      replied({ sessionId: "s", lastMessageId: "m2" }),
      asked("killed"),
      replied(),
      asked("", "compact"),
      replied(),
      asked("killed too"),
    ];
    assert.equal(boundChat(history)?.unfinishedMessages, 2);
  });
});

/** Two turns: u1 a1, then an attachment with u2 a2; a compaction and a pin between them. */
const transcript: readonly Message[] = [
  user("u1", "one"),
  assistant("a1", "ONE"),
  user("f2", "file", "attachment"),
  user("u2", "two"),
  assistant("a2", "TWO"),
];

function session(changes: Partial<ContinuedSession> = {}): ContinuedSession {
  return {
    transcript,
    statementIds: new Set(),
    branch: [
      { type: "message", id: "u1" },
      { type: "message", id: "a1" },
      { type: "usage", id: "x1" },
      { type: "compaction", id: "x2" },
      { type: "commitment", id: "x3" },
      { type: "message", id: "f2" },
      { type: "message", id: "u2" },
      { type: "message", id: "a2" },
    ],
    isOnRecord: (id) => id === "elsewhere" || transcript.some((message) => message.id === id),
    ...changes,
  };
}

describe("where a chat goes on", () => {
  it("is the head where history and session end alike", () => {
    assert.deepEqual(continuation(session(), at("a2")), { at: "head" });
  });

  it("is earlier where the history ends earlier; what was written before the next message stays", () => {
    assert.deepEqual(continuation(session(), at("a1")), {
      at: "earlier",
      entryId: "x3",
      messageNumber: 2,
      laterMessages: 3,
    });
  });

  it("is the beginning for a history that ends before the first message", () => {
    assert.deepEqual(continuation(session(), at(null)), {
      at: "earlier",
      entryId: null,
      messageNumber: 0,
      laterMessages: 5,
    });
  });

  it("is the head of an empty session", () => {
    assert.deepEqual(continuation(session({ transcript: [], branch: [] }), at(null)), { at: "head" });
  });

  it("is the head where only the person's statements came after", () => {
    const withStatement = session({
      transcript: [...transcript, user("x9", "Retire it")],
      statementIds: new Set(["x9"]),
    });
    assert.deepEqual(continuation(withStatement, at("a2")), { at: "head" });
  });

  it("takes a turn that left nothing for seen", () => {
    assert.deepEqual(continuation(session(), at("a1", 1)), { at: "head" });
    assert.deepEqual(continuation(session(), at(null, 1)), {
      at: "earlier",
      entryId: "x3",
      messageNumber: 2,
      laterMessages: 3,
    });
    assert.deepEqual(continuation(session(), at(null, 5)), { at: "head" });
  });

  it("is another branch where that has the message, and the head where nobody has it", () => {
    assert.deepEqual(continuation(session(), at("elsewhere")), { at: "other_branch", entryId: "elsewhere" });
    assert.deepEqual(continuation(session(), at("nowhere")), { at: "not_on_record" });
  });

  it("law: what stays and what is later is the whole session, and the branch never keeps a later message", () => {
    const roles = fc.array(fc.constantFrom("user", "assistant", "attachment"), {
      minLength: 1,
      maxLength: 12,
    });
    fc.assert(
      fc.property(roles, fc.nat(), fc.nat({ max: 3 }), (kinds, end, unfinished) => {
        const messages = kinds.map((kind, index) =>
          kind === "assistant"
            ? assistant(`m${index}`, "x")
            : user(`m${index}`, "x", kind === "attachment" ? "attachment" : undefined),
        );
        const last = messages[end % messages.length];
        const branch = messages.map(({ id }) => ({ type: "message", id }));
        const where = continuation(
          session({ transcript: messages, branch }),
          at(last?.id ?? null, unfinished),
        );
        if (where.at !== "earlier") return where.at === "head";
        const kept = messages.findIndex(({ id }) => id === where.entryId) + 1;
        return (
          kept === where.messageNumber &&
          kept + where.laterMessages === messages.length &&
          kept > end % messages.length
        );
      }),
    );
  });
});
