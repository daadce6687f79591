import assert from "node:assert/strict";
import {
  commitmentFailureSentence,
  commitmentTextProblem,
  LONGEST_COMMITMENT,
} from "../../../../src/vscode/capsules/commitmentWords.ts";

describe("commitmentWords", () => {
  const codes = [
    ...["read_only", "blank", "unknown_commitment", "unknown_message", "not_pinnable", "already_pinned"],
    ...["not_pinned", "too_many_commitments", "critical_anchor_lost:u1", "something_new"],
  ];
  for (const code of codes) {
    it(`says what ${code} means, and that nothing was changed`, () => {
      const sentence = commitmentFailureSentence([code]);
      assert.match(sentence, /^Nothing was changed\. \S.*[.)”]$/);
      if (code !== "something_new") assert.ok(!sentence.includes("_"), sentence);
    });
  }

  it("says how many more there are", () => {
    assert.match(commitmentFailureSentence(["blank", "schema", "tail"]), /\(2 more\)$/);
  });

  const texts: readonly [string, string | undefined, boolean][] = [
    ["Never push.", undefined, true],
    ["Never push.", "Always push.", true],
    [" \n", undefined, false],
    ["Never push. ", "Never push.", false],
    ["x".repeat(LONGEST_COMMITMENT), undefined, true],
    ["x".repeat(LONGEST_COMMITMENT + 1), undefined, false],
  ];
  for (const [text, before, fits] of texts) {
    it(`${fits ? "takes" : "refuses"} ${JSON.stringify(text.slice(0, 20))} in place of ${before ?? "nothing"}`, () =>
      assert.equal(commitmentTextProblem(text, before) === undefined, fits));
  }
});
