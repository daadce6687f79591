import assert from "node:assert/strict";
import fc from "fast-check";
import { indexContext } from "../../../src/core/contextIndex.ts";
import { EvictableSums, evictableTokens } from "../../../src/core/evictableTokens.ts";
import { evictionCandidates } from "../../../src/core/evictionCandidates.ts";
import { evictionCitation, evictionCitationBytes } from "../../../src/core/evictionCitation.ts";
import type { Message } from "../../../src/core/messages.ts";
import { planCompaction } from "../../../src/core/planCompaction.ts";
import { defaultPolicy } from "../../../src/core/policy.ts";
import { rememberTextBytes } from "../../../src/core/textBytes.ts";
import { transcriptArbitrary } from "./arbitraries.ts";
import { calls, result, user } from "./messageBuilders.ts";

const ZEROS = "0".repeat(64);

describe("evictableTokens", () => {
  it("is the sum of the candidates, without looking at them again", () => {
    const pins = fc.array(fc.nat({ max: 60 }), { maxLength: 4 });
    fc.assert(
      fc.property(
        transcriptArbitrary(),
        pins,
        fc.nat({ max: 3000 }),
        (messages, pinned, keepRecentTokens) => {
          const index = indexContext(messages);
          const pinnedIds = new Set(pinned.map((at) => `m${at}`));
          const policy = { ...defaultPolicy, keepRecentTokens, keepRecentTurns: 1 };
          const plan = planCompaction(messages, {
            policy,
            trigger: "manual",
            window: 50_000,
            pinnedIds,
            index,
          });
          const candidates = evictionCandidates(messages, plan, {
            isStored: () => true,
            digestOf: () => ZEROS,
          });
          let tokens = 0;
          for (const { gainTokens } of candidates) tokens += gainTokens;
          assert.deepEqual(evictableTokens(messages, plan, index), { count: candidates.length, tokens });
        },
      ),
    );
  });

  it("says the same of a context that grew meanwhile, with the sums that were kept", () => {
    fc.assert(
      fc.property(transcriptArbitrary(), fc.nat({ max: 5 }), (messages, most) => {
        const index = indexContext([]);
        const sums = new EvictableSums(index.evictables);
        for (const [at, message] of messages.entries()) {
          index.append(message);
          sums.sumUp(messages, most);
          if (at % 3 !== 0) continue;
          const plan = { cut: at, rootId: undefined, pinnedIds: [] };
          const seen = messages.slice(0, at + 1);
          assert.deepEqual(
            evictableTokens(seen, plan, index, sums),
            evictableTokens(seen, plan, indexContext(seen)),
          );
        }
      }),
    );
  });

  it("does not read a text whose size is known", () => {
    const output = {
      type: "tool-result" as const,
      toolCallId: "a",
      toolName: "read",
      get output(): string {
        throw new Error("It was read.");
      },
    };
    rememberTextBytes(output, 40_000);
    const inFile: Message = { id: "r1", role: "tool", content: [output] };
    const messages = [user("u1", "go"), calls("c1", "a"), inFile, calls("c2", "a"), result("r2", "a", "new")];
    const found = evictableTokens(messages, { cut: 4, rootId: "u1", pinnedIds: [] }, indexContext(messages));
    assert.equal(found.count, 1);
    assert.equal(found.tokens, Math.floor((40_000 - citationOf("r1#a", "read", 40_000)) / 4));
  });
});

describe("evictionCitationBytes", () => {
  it("is the length of the citation, plain names or not", () => {
    const name = fc.oneof(fc.string({ unit: "grapheme" }), fc.stringMatching(/^[\w.:#/-]*$/));
    fc.assert(
      fc.property(name, fc.option(name, { nil: undefined }), fc.nat(), (segmentId, toolName, bytes) => {
        assert.equal(
          evictionCitationBytes({ segmentId, toolName, bytes }),
          citationOf(segmentId, toolName, bytes),
        );
      }),
    );
  });
});

function citationOf(segmentId: string, toolName: string | undefined, bytes: number): number {
  return Buffer.byteLength(evictionCitation({ segmentId, toolName, bytes, digest: ZEROS }));
}
