import assert from "node:assert/strict";
import fc from "fast-check";
import { indexContext } from "../../../src/core/contextIndex.ts";
import { sha256Hex } from "../../../src/core/digest.ts";
import { estimateContext } from "../../../src/core/estimate.ts";
import { evict } from "../../../src/core/evict.ts";
import { evictionCandidates } from "../../../src/core/evictionCandidates.ts";
import { isEvictionCitation } from "../../../src/core/evictionCitation.ts";
import type { Message } from "../../../src/core/messages.ts";
import { resultSegmentId, textOf } from "../../../src/core/messages.ts";
import { planCompaction } from "../../../src/core/planCompaction.ts";
import { defaultPolicy } from "../../../src/core/policy.ts";
import { deepFreeze, transcriptArbitrary } from "./arbitraries.ts";
import { assistant, calls, result, user } from "./messageBuilders.ts";

const stored = { isStored: () => true };
const beforeTail = (cut: number, pinnedIds: string[] = [], rootId?: string) => ({ cut, pinnedIds, rootId });
const long = (what: string): string => `${what} `.repeat(100);

/** Two results of `read` and two of `bash`, then a tail. */
const messages: Message[] = [
  user("u1", "go"),
  calls("c1", "a", "b"),
  result("r1", "a", long("first")),
  result("r2", "b", long("listing"), "bash"),
  calls("c2", "a", "b"),
  result("r3", "a", long("second")),
  result("r4", "b", long("tests"), "bash"),
  user("u2", "on"),
  assistant("a2", "ok"),
];
const segments = (...given: Parameters<typeof evictionCandidates>): string[] =>
  evictionCandidates(...given).map((candidate) => candidate.segmentId);

describe("evictionCandidates", () => {
  it("the newest result per tool stays", () => {
    assert.deepEqual(segments(messages, beforeTail(7), stored), ["r1#a", "r2#b"]);
  });

  it("the newest is the newest of the whole list, the tail included", () => {
    const more = [...messages, calls("c3", "a"), result("r5", "a", long("third"))];
    assert.deepEqual(segments(more, beforeTail(7), stored), ["r1#a", "r2#b", "r3#a"]);
  });

  it("the tail stays", () => assert.deepEqual(segments(messages, beforeTail(3), stored), ["r1#a"]));

  it("root and pins stay", () => {
    assert.deepEqual(segments(messages, beforeTail(7, ["c1", "r1"]), stored), ["r2#b"]);
    const files = [
      user("f1", long("file"), "attachment"),
      user("f2", long("file"), "attachment"),
      user("u", "go"),
    ];
    assert.deepEqual(segments(files, beforeTail(2, [], "f1"), stored), ["f2"]);
  });

  it("attachments are evictable, other messages of a user are not", () => {
    const files = [
      user("f1", long("file"), "attachment"),
      user("n1", long("reminder"), "notice"),
      user("c1", long("capsule"), "capsule"),
      user("u1", long("request")),
      assistant("a1", long("answer")),
    ];
    const [candidate, ...others] = evictionCandidates(files, beforeTail(5), stored);
    assert.deepEqual(others, []);
    assert.equal(candidate?.segmentId, "f1");
    assert.equal(candidate?.toolCallId, undefined);
    assert.equal(candidate?.digest, sha256Hex(textOf(files[0] as Message)));
    assert.match(candidate?.citation ?? "", /^\[evicted attachment "f1"; /);
  });

  it("shorter than its citation stays, and as long as it too", () => {
    const of = (output: string) =>
      segments([calls("c1", "a"), result("r1", "a", output), ...messages], beforeTail(2), stored);
    const { citation } = evictionCandidates(
      [calls("c1", "a"), result("r1", "a", "x".repeat(500)), ...messages],
      beforeTail(2),
      stored,
    )[0] ?? { citation: "" };
    assert.deepEqual(of("x".repeat(citation.length)), []);
    assert.deepEqual(of("x".repeat(citation.length + 1)), ["r1#a"]);
    assert.deepEqual(of("€".repeat(Math.ceil((citation.length + 1) / 3))), ["r1#a"]);
  });

  it("what is not stored, or not known to be, stays", () => {
    const digest = sha256Hex(long("first"));
    assert.deepEqual(segments(messages, beforeTail(7), { isStored: (asked) => asked === digest }), ["r1#a"]);
    assert.deepEqual(segments(messages, beforeTail(7), {}), []);
  });

  it("a text that would not come back from UTF-8 stays", () => {
    const broken = [calls("c1", "a"), result("r1", "a", `${long("x")}\ud800`), ...messages];
    assert.deepEqual(segments(broken, beforeTail(2), stored), []);
  });

  it("a citation is never evicted again, however many digests it holds", () => {
    const digests = Array.from({ length: 9 }, (_, i) => sha256Hex(`${i}`));
    const citation = `[evicted result "${"m".repeat(300)}#a" of tool "read"; sha256 ${digests[0]}; 9 bytes; held sha256 ${digests.slice(1).join(" ")}]`;
    const evicted = [calls("c1", "a"), result("r1", "a", citation), ...messages];
    assert.deepEqual(
      segments(evicted, beforeTail(2), { isStored: (digest) => digest === sha256Hex(citation) }),
      [],
    );
    assert.deepEqual(
      segments(evicted.with(1, result("r1", "a", ` ${citation}`)), beforeTail(2), stored).length,
      1,
    );
  });

  it("results of one message that share a call id cannot be told apart and stay", () => {
    const [first, second] = [result("r", "a", long("one")), result("r", "a", long("two"))] as [
      Message,
      Message,
    ];
    const shared: Message = { id: "r", role: "tool", content: [...first.content, ...second.content] };
    assert.deepEqual(segments([calls("c1", "a", "a"), shared, ...messages], beforeTail(2), stored), []);
  });

  it("inner recovery handles stay", () => {
    const inner = sha256Hex("evicted before");
    const foreign = sha256Hex("of somebody else");
    const text = `${long("log")} see ${inner} and ${foreign}`;
    const given = [calls("c1", "a"), result("r1", "a", text), ...messages];
    const own = new Set([inner, sha256Hex(text)]);
    const [candidate] = evictionCandidates(given, beforeTail(2), { isStored: (digest) => own.has(digest) });
    assert.ok(candidate?.citation.includes(`held sha256 ${inner}]`));
    assert.ok(!candidate?.citation.includes(foreign));
  });

  it("what is shorter than its citation with those handles stays", () => {
    const text = `see ${sha256Hex("evicted before")} ${"x".repeat(120)}`;
    const given = [calls("c1", "a"), result("r1", "a", text), ...messages];
    assert.deepEqual(segments(given, beforeTail(2), stored), []);
    assert.deepEqual(segments(given, beforeTail(2), { isStored: (digest) => digest === sha256Hex(text) }), [
      "r1#a",
    ]);
  });

  it("digests that the caller keeps are not computed again", () => {
    const asked: (string | undefined)[][] = [];
    const known = "f".repeat(64);
    const [first] = evictionCandidates(messages, beforeTail(7), {
      ...stored,
      digestOf: (...segment) => {
        asked.push(segment);
        return segment[0] === "r1" ? known : undefined;
      },
    });
    assert.equal(first?.digest, known);
    assert.deepEqual(asked, [
      ["r1", "a"],
      ["r2", "b"],
    ]);
  });

  it("stops looking once there is enough", () => {
    assert.deepEqual(segments(messages, beforeTail(7), { ...stored, enoughTokens: 1 }), ["r1#a"]);
  });

  it("the recall tool of the session is in the citation", () => {
    const [first] = evictionCandidates(messages, beforeTail(7), { ...stored, recallToolName: "recall" });
    assert.match(first?.citation ?? "", /recall with tool "recall"/);
  });

  const planned = fc
    .tuple(transcriptArbitrary(), fc.integer({ min: 0, max: 2 }), fc.array(fc.nat(40), { maxLength: 3 }))
    .map(([transcript, keepRecentTurns, pins]) => {
      const policy = { ...defaultPolicy, keepRecentTokens: 200, keepRecentTurns };
      const pinnedIds = new Set(pins.map((at) => `m${at}`));
      const plan = planCompaction(transcript, { policy, trigger: "manual", window: 8000, pinnedIds });
      return { transcript, plan };
    });

  it("names exactly what the rules allow, with an index or without, and changes nothing", () => {
    fc.assert(
      fc.property(planned, ({ transcript, plan }) => {
        deepFreeze(transcript);
        const candidates = evictionCandidates(transcript, plan, stored);
        assert.deepEqual(
          evictionCandidates(transcript, plan, { ...stored, index: indexContext(transcript) }),
          candidates,
        );
        const found = new Map(candidates.map((candidate) => [candidate.segmentId, candidate]));
        const newest = new Map<string, object>();
        for (const { content } of transcript) {
          for (const part of content) if (part.type === "tool-result") newest.set(part.toolName, part);
        }
        transcript.forEach((message, at) => {
          const held = at >= plan.cut || message.id === plan.rootId || plan.pinnedIds.includes(message.id);
          for (const part of message.content) {
            if (part.type !== "tool-result") continue;
            const twins = message.content.filter(
              (other) => other.type === "tool-result" && other.toolCallId === part.toolCallId,
            );
            const candidate = found.get(resultSegmentId(message.id, part.toolCallId));
            const stays =
              held || newest.get(part.toolName) === part || twins.length > 1 || !part.output.isWellFormed();
            if (stays) assert.equal(candidate, undefined);
            else if (part.output.length > 400) assert.equal(candidate?.digest, sha256Hex(part.output));
          }
        });
        for (const candidate of candidates)
          assert.ok(candidate.messageIndex < plan.cut && isEvictionCitation(candidate.citation));
        assert.deepEqual(
          [...candidates].sort((a, b) => a.messageIndex - b.messageIndex),
          candidates,
        );
      }),
      { numRuns: 200 },
    );
  });

  it("each gain is what the estimate of the context falls by, to the rounding of a token", () => {
    fc.assert(
      fc.property(planned, ({ transcript, plan }) => {
        const before = estimateContext(transcript);
        for (const candidate of evictionCandidates(transcript, plan, stored)) {
          // An attachment of several texts loses no more than its joined text.
          const won = before - estimateContext(evict(transcript, [candidate]));
          assert.ok(Math.abs(won - candidate.gainTokens) <= 1, `${won} of ${candidate.gainTokens}`);
        }
      }),
    );
  });
});
