import assert from "node:assert/strict";
import { fullnessWords, meterText, shortFullness } from "../../../src/vscode/meterText.ts";
import { calm, NOW, numberUnknown, windowUnknown } from "./meterReadings.ts";

describe("meterText", () => {
  const running = { runId: "r1", startedAt: NOW, phase: "summarizing" } as const;
  const vectors = [
    { what: "calm", reading: calm, text: "$(archive) 63% · 81k", background: "none" },
    {
      what: "on the line",
      reading: { ...calm, usedTokens: 111_616, fraction: 111_616 / 128_000, level: "over_line" as const },
      text: "$(archive) 87% · 112k",
      background: "warning",
    },
    {
      what: "the ladder stopped",
      reading: { ...calm, usedTokens: 128_000, fraction: 1, level: "stopped" as const },
      text: "$(archive) 100% · 128k",
      background: "error",
    },
    {
      what: "above the window",
      reading: { ...calm, usedTokens: 140_000, fraction: 140_000 / 128_000, level: "over_line" as const },
      text: "$(archive) 100% · 140k",
      background: "warning",
    },
    {
      what: "a token short of full",
      reading: { ...calm, usedTokens: 127_999, fraction: 127_999 / 128_000, level: "over_line" as const },
      text: "$(archive) 99% · 128k",
      background: "warning",
    },
    {
      what: "estimated",
      reading: { ...calm, basis: "estimated" as const },
      text: "$(archive) ~63% · ~81k",
      background: "none",
    },
    { what: "no number", reading: numberUnknown, text: "$(archive) ?", background: "none" },
    { what: "no window", reading: windowUnknown, text: "$(archive) ? · 81k", background: "none" },
    { what: "running", reading: { ...calm, running }, text: "$(sync~spin) 63% · 81k", background: "none" },
  ];
  for (const { what, reading, text, background } of vectors) {
    it(what, () => {
      const meter = meterText(reading);
      assert.equal(meter.text, text);
      assert.equal(meter.background, background);
      assert.equal([...meter.text.matchAll(/\$\(/g)].length, 1, "one icon");
    });
  }

  it("reads out the value, where it comes from and the line, in words", () => {
    assert.equal(
      meterText(calm).spoken,
      "Context of Migration. 63 percent full, 81,234 of 128,000 tokens. Reported by the provider. Trigger line at 111,616 tokens.",
    );
    assert.match(meterText(numberUnknown).spoken, /How full it is is unknown/);
    assert.match(meterText(windowUnknown).spoken, /81,234 tokens; how many fit is unknown/);
    assert.match(meterText({ ...calm, level: "over_line" }).spoken, /The trigger line is reached/);
    assert.match(meterText({ ...calm, running, readOnly: true }).spoken, /running\. Read-only/);
  });
});

describe("fullnessWords", () => {
  it("says percent where the window is known, tokens and their basis where not, nothing where nothing is", () => {
    assert.equal(fullnessWords(calm), "63% full");
    assert.equal(fullnessWords(windowUnknown), "81k tokens (imported)");
    assert.equal(fullnessWords(numberUnknown), "");
    assert.deepEqual([calm, windowUnknown, numberUnknown].map(shortFullness), ["63%", "81k", ""]);
  });
});
