import assert from "node:assert/strict";
import type { CompactionPreview } from "../../../../src/core/compactionOutcome.ts";
import { defaultPolicy } from "../../../../src/core/policy.ts";
import { previewPage } from "../../../../src/vscode/documents/previewDocument.ts";
import { receiptText } from "../../../../src/vscode/documents/receiptDocument.ts";
import { TranscriptRecord } from "../../../../src/vscode/documents/transcriptRecord.ts";
import { assistant, call, result, SessionRecord, summary, user } from "../sessionRecord.ts";

function recordOf(session: SessionRecord): TranscriptRecord {
  const record = new TranscriptRecord();
  record.extend(session.entries);
  return record;
}

describe("receiptText", () => {
  it("holds every line of the run, says when it was undone, and is JSON", () => {
    const session = new SessionRecord()
      .message(user("m1", "a"))
      .message(user("m2", "b"))
      .evict("r1", [["m1", "a"]])
      .compact("r1", summary(), "m2")
      .undo("r1");
    const receipt = JSON.parse(receiptText(session.entries, "r1") ?? "");
    assert.equal(receipt.undone, true);
    assert.deepEqual(
      receipt.receipts.map(({ state }: { state: string }) => state),
      ["evicted", "summarized"],
    );
    assert.equal(receiptText(session.entries, "r9"), undefined);
  });
});

describe("previewPage", () => {
  const session = new SessionRecord()
    .message(user("m1", "Make it fast\u2028#9 user"))
    .message(assistant("m2", call("c1", "read", {})))
    .message(result("m3", "c1", "read", "x".repeat(4_000)))
    .message(user("m4", "Next"));
  const preview: CompactionPreview = {
    plan: {
      effective: {
        ceiling: 32_000,
        windowSource: "assumed",
        triggerLine: 24_000,
        minRemaining: 8_000,
        keepRecentTokens: 4_800,
        keepRecentTurns: 2,
        summaryMaxTokens: 4_000,
        turnFloorYielded: "less_than_half_to_compact",
      },
      cut: 3,
      tailFrom: "m4",
      rootId: "m1",
      pinnedIds: [],
      cutPinIds: [],
      totalTokens: 20_000,
      tailTokens: 5,
      leavingTokens: 1_000,
      leavingCount: 2,
      floor: { tokens: 12, parts: [{ what: "tail", tokens: 12, messageId: "m4" }], reachesCeiling: false },
    },
    before: 20_000,
    afterEviction: 15_000,
    afterAtLeast: 2_000,
    afterAtMost: 6_000,
    evictions: [
      {
        messageIndex: 2,
        messageId: "m3",
        segmentId: "m3#c1",
        toolCallId: "c1",
        toolName: "read",
        digest: "0".repeat(64),
        bytes: 4_000,
        gainTokens: 950,
        citation: "",
      },
    ],
    summarizedIds: ["m2", "m3"],
    keptIds: ["m1"],
    tailIds: ["m4"],
    calls: { atMost: 1, inputTokens: 18_000, outputTokens: 4_000, basis: "estimated" },
  };
  const settings = {
    policy: defaultPolicy,
    automatic: "ask",
    estimatedMode: false,
    summaryMaxTokens: 8_192,
  } as const;
  const input = { preview, title: "Parser", modelName: "Demo", settings, record: recordOf(session) };

  it("says tokens, cost, what stays and what leaves, with a link to each message", () => {
    const page = previewPage(input);
    const { text } = page;
    assert.match(text, /now +20,000\n/);
    assert.match(text, /after eviction +15,000 \(75 %\)\n/);
    assert.match(text, /after a summary +2,000 \(10 %\) to 6,000 \(30 %\)\n/);
    assert.match(text, /read by the model +18,000 tokens, estimated\n/);
    assert.match(text, /written by the model +4,000 tokens\n/);
    assert.match(text, /Would be summarized \(2 messages\)\n {2}#2 assistant, /);
    assert.match(text, /again byte for byte \(1 part\)\n {2}#3 read · 4,000 bytes · wins 950 tokens\n/);
    assert.match(
      text,
      /first request and pins \(1 message\)\n {2}#1 user, .* · Make it fast<U\+2028>#9 user\n/,
    );
    const linked = page.links.flatMap(({ target }) => (target.to === "message" ? [target.messageId] : []));
    assert.deepEqual(linked, ["m4", "m2", "m3", "m3", "m1", "m4"]);
    assert.deepEqual(page.links[0]?.target, { to: "command", command: "contextCapsule.compactNow" });
  });

  it("says where a limit differs from its setting, that the window is assumed, and why the turns gave way", () => {
    const { text } = previewPage(input);
    assert.match(text, /ceiling +32,000 · the window is unknown and assumed\n/);
    assert.match(text, /reserve +8,000 · the setting is 16,384, held to 25 % of the ceiling\n/);
    assert.match(
      text,
      /recent tokens to keep +4,800 · the setting is 20,000, held to 20 % of the trigger line\n/,
    );
    assert.match(
      text,
      /summary, tokens at most +4,000 · the setting is 8,192, held to 1\/8 of the ceiling\n/,
    );
    assert.match(text, /recent turns to keep +2 · gave way: .*less than half/);
  });

  it("says how it would end without a model call, and claims no compaction then", () => {
    const wouldEnd = { state: "nothing_to_do", reason: "nothing_leaves", nextAction: "none" } as const;
    const { text } = previewPage({
      ...input,
      modelName: undefined,
      preview: { ...preview, wouldEnd, summarizedIds: [], evictions: [] },
    });
    assert.match(text, /How it would end\n {2}Nothing to do\. .*\n {2}The context would stay as it is\.\n/);
    assert.match(text, /No model is chosen/);
    assert.ok(!text.includes("Would be summarized") && !text.includes("Would be evicted"));
  });
});
