import assert from "node:assert/strict";
import fc from "fast-check";
import { collapse } from "../../../../src/core/capsule/quote.ts";
import { sharedWords } from "../../../../src/core/capsule/sharedWords.ts";

describe("sharedWords", () => {
  const table: [text: string, other: string, shared: string][] = [
    ["The cap is $350 in total.", "The cap is $720 in total.", "The cap is"],
    ["We use npm here.", "Here we use pnpm.", "use"],
    ["  Alpha\n beta  gamma ", "beta  gamma delta", "beta  gamma"],
    ["Nothing in common", "at all", "Nothing"],
    ["word", "", "word"],
  ];
  for (const [text, other, shared] of table) {
    it(`${JSON.stringify(text)} and ${JSON.stringify(other)} share ${JSON.stringify(shared)}`, () => {
      assert.equal(sharedWords(text, other), shared);
    });
  }

  it("is a slice of the text that is not blank, and all of it for the text itself", () => {
    const texts = fc
      .string({ unit: fc.constantFrom("a", "b", " ", "\n", "€") })
      .filter((text) => text.trim() !== "");
    fc.assert(
      fc.property(texts, fc.string({ unit: fc.constantFrom("a", "b", " ") }), (text, other) => {
        const shared = sharedWords(text, other);
        assert.ok(text.includes(shared) && shared.trim() !== "");
        assert.equal(collapse(sharedWords(text, text)), collapse(text));
      }),
    );
  });
});
