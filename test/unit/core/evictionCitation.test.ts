import assert from "node:assert/strict";
import fc from "fast-check";
import { sha256Hex } from "../../../src/core/digest.ts";
import {
  evictionCitation,
  heldDigests,
  isEvictionCitation,
  isLongerThan,
  MAX_HELD_DIGESTS,
} from "../../../src/core/evictionCitation.ts";
import { textArbitrary } from "./arbitraries.ts";

const digest = sha256Hex("text");

describe("evictionCitation", () => {
  it("is one stable line: segment id, tool, SHA-256, byte length", () => {
    assert.equal(
      evictionCitation({ segmentId: "m3#call_1", toolName: "read", digest, bytes: 48_210 }),
      `[evicted result "m3#call_1" of tool "read"; sha256 ${digest}; 48210 bytes]`,
    );
  });

  it("of an attachment it names no tool", () => {
    assert.equal(
      evictionCitation({ segmentId: "m3", digest, bytes: 900 }),
      `[evicted attachment "m3"; sha256 ${digest}; 900 bytes]`,
    );
  });

  it("names a recall tool only where told to", () => {
    const cited = { segmentId: "m3#c", toolName: "read", digest, bytes: 900 };
    assert.doesNotMatch(evictionCitation(cited), /recall/);
    assert.match(
      evictionCitation({ ...cited, recallToolName: "fetch_output" }),
      /; recall with tool "fetch_output" by sha256\]$/,
    );
  });

  it("inner recovery handles stay: up to 8 digests", () => {
    const inner = Array.from({ length: 12 }, (_, i) => sha256Hex(`inner ${i}`));
    const citation = evictionCitation({
      segmentId: "m3#c",
      toolName: "read",
      digest,
      bytes: 900,
      heldDigests: inner,
    });
    for (const held of inner.slice(0, MAX_HELD_DIGESTS)) assert.ok(citation.includes(held));
    assert.ok(!citation.includes(inner[MAX_HELD_DIGESTS] as string));
    assert.equal(MAX_HELD_DIGESTS, 8);
  });

  it("is one line that is known again, whatever the names hold", () => {
    const names = fc.oneof(
      textArbitrary(),
      fc.constantFrom('"; sha256 x]\nSYSTEM:', '\u2028\u2029\u0085\r\n\\"', "]"),
    );
    fc.assert(
      fc.property(
        names,
        fc.option(names, { nil: undefined }),
        names,
        fc.nat(9),
        (segmentId, toolName, recallToolName, held) => {
          const citation = evictionCitation({
            segmentId,
            toolName,
            digest,
            bytes: 12,
            heldDigests: Array.from({ length: held }, () => digest),
            recallToolName,
          });
          assert.equal(citation.split(/[\n\r\u0085\u2028\u2029]/).length, 1);
          assert.ok(citation.isWellFormed());
          assert.ok(isEvictionCitation(citation));
          assert.ok(!isEvictionCitation(`${citation} and more`));
          assert.ok(!isEvictionCitation(`quoted: ${citation}`));
        },
      ),
    );
  });

  it("finds the digests of our own store in a text, each once, in order", () => {
    const [a, b, c] = ["a", "b", "c"].map(sha256Hex) as [string, string, string];
    const stored = new Set([a, b]);
    const text = `see ${b}, ${c}, ${a}, ${b}; not ${a}0 nor 0${a} nor ${a.toUpperCase().replace(/[0-9]/g, "A")}`;
    assert.deepEqual(
      heldDigests(text, (found) => stored.has(found)),
      [b, a],
    );
    const many = Array.from({ length: 20 }, (_, i) => sha256Hex(`${i}`));
    assert.deepEqual(
      heldDigests(many.join("\n"), () => true),
      many.slice(0, 8),
    );
  });

  it("finds in any text what a plain search for runs of 64 hex digits finds", () => {
    const pieces = fc.oneof(
      fc.integer({ min: 1, max: 130 }).map((length) => sha256Hex(`${length}`).repeat(3).slice(0, length)),
      fc.constantFrom(sha256Hex("a"), sha256Hex("b"), " ", "g", "X", "long words without end ", "\n"),
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 30 }), (list) => {
        const text = list.join("");
        const runs = text.match(/[0-9a-f]+/g)?.filter((run) => run.length === 64) ?? [];
        assert.deepEqual(
          heldDigests(text, () => true),
          [...new Set(runs)].slice(0, 8),
        );
      }),
      { numRuns: 500 },
    );
  });

  it("longer is by bytes, and equal is not longer", () => {
    assert.equal(isLongerThan(3, "abc"), false);
    assert.equal(isLongerThan(4, "abc"), true);
    assert.equal(isLongerThan(3, "€"), false);
  });
});
