import assert from "node:assert/strict";
import fc from "fast-check";
import { isFinishedRequest } from "../../../../src/core/capsule/finishedRequest.ts";
import { collapse, QuoteFinder } from "../../../../src/core/capsule/quote.ts";
import { nastyText, RUNS } from "./capsuleArbitraries.ts";

describe("QuoteFinder", () => {
  it("compares runs of white space as one and gives the exact slice", () => {
    const finder = new QuoteFinder("  Use\tNode\n\n 20, please. ");
    const table: [quote: string, slice: string | undefined][] = [
      ["Use Node 20", "Use\tNode\n\n 20"],
      [" Node\u00a020, ", "Node\n\n 20,"],
      ["UseNode", undefined],
      ["use node", undefined],
      [" \n ", undefined],
      ["please.", "please."],
    ];
    for (const [quote, slice] of table) {
      assert.equal(finder.find(quote), slice, quote);
      assert.equal(finder.holds(quote), slice !== undefined, quote);
    }
  });

  it("what it finds is a slice of the text that says the same, and it finds what is there", () => {
    fc.assert(
      fc.property(nastyText(80), nastyText(10), fc.nat(80), fc.nat(80), (text, other, start, length) => {
        const finder = new QuoteFinder(text);
        for (const quote of [
          text.slice(start, start + length),
          collapse(text.slice(start, start + length)),
          other,
        ]) {
          const slice = finder.find(quote);
          assert.equal(slice !== undefined, finder.holds(quote));
          if (slice === undefined) continue;
          assert.ok(text.includes(slice));
          assert.equal(collapse(slice), collapse(quote));
          assert.equal(slice.trim(), slice);
        }
        const part = text.slice(start, start + length);
        if (part.trim() !== "") assert.ok(finder.holds(part));
      }),
      { numRuns: RUNS },
    );
  });
});

describe("isFinishedRequest", () => {
  const table: [text: string, completed: string, finished: boolean][] = [
    ["Add a login page.", "add a  login page", true],
    ["Add a login page", "Add a login page (src/login.ts)", true],
    ["Add a login page.", "Login page: add a login page!", true],
    ["use pnpm", "Switched all scripts of the build to use pnpm instead of npm", false],
    ["Never push to main", "Pushed to a branch", false],
    ["Fix the login; never touch the migrations again", "Fix the login", false],
    ["Add tests", "", false],
    ["。", "。", false],
  ];
  for (const [text, completed, finished] of table) {
    it(`${JSON.stringify(text)} ${finished ? "is" : "is not"} ${JSON.stringify(completed)}`, () => {
      assert.equal(isFinishedRequest(text, ["something else", completed]), finished);
    });
  }
});
