import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { BUNDLE, bundleText, collectSentences, surfaceFiles } from "../../tools/l10n.ts";

describe("sentences for translators", () => {
  it("are all in the bundle, and nothing else is (npm run l10n)", () => {
    const { sentences, unreadable } = collectSentences(surfaceFiles());
    assert.deepEqual(unreadable, []);
    assert.equal(readFileSync(BUNDLE, "utf8"), bundleText(sentences));
  });

  it("are found in both spellings, and what no translator could see is named", () => {
    const placeholder = "$" + "{x}";
    const text = `l10n.t("a {0}", x);\nvscode.l10n.t("b");\nl10n.t(\`c\`);\nl10n.t(word);\nl10n.t(\`d ${placeholder}\`);`;
    assert.deepEqual(collectSentences([{ name: "f.ts", text }]), {
      sentences: ["a {0}", "b", "c"],
      unreadable: ["f.ts:4", "f.ts:5"],
    });
  });

  it("number their places from 0 without a gap", () => {
    for (const sentence of collectSentences(surfaceFiles()).sentences) {
      const places = [
        ...new Set([...sentence.matchAll(/\{(\d+)\}/g)].map(([, place]) => Number(place))),
      ].sort((a, b) => a - b);
      assert.deepEqual(places, [...places.keys()], sentence);
    }
  });
});
