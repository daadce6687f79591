import assert from "node:assert/strict";
import fc from "fast-check";
import { commands } from "../../../src/vscode/contributions.ts";
import type { HoverFacts } from "../../../src/vscode/meterHover.ts";
import { hoverCommands, hoverStaleInMs, meterHover } from "../../../src/vscode/meterHover.ts";
import { calm, NOW, numberUnknown, receipt, windowUnknown } from "./meterReadings.ts";

const generation = { generation: 2, before: receipt.before, receipt };
const declined = { ...receipt, state: "declined", reason: "gain_too_small" } as const;

function linked(hover: string): string[] {
  return [...hover.matchAll(/(?<!\\)\]\(command:([A-Za-z.]+)/g)].map(([, id]) => id ?? "");
}

const facts = (canUndo: boolean): HoverFacts => ({ now: NOW, canUndo });

const plain = (hover: string): string => hover.replaceAll("&nbsp;", "");

describe("meterHover", () => {
  it("shows used with basis and age, ceiling, line and reserve", () => {
    const hover = plain(meterHover(calm, facts(false)));
    assert.match(hover, /\*\*Migration\*\* — Demo Model/);
    assert.match(hover, /\| Used \| \*\*81,234\*\* \| 63% · reported · 2 min\. ago \|/);
    assert.match(hover, /\| Ceiling \| 128,000 \| window of the model \|/);
    assert.match(hover, /\| Trigger line \| 111,616 \| 87% \|/);
    assert.match(hover, /\| Reserve \| 16,384 \| 12% \|/);
  });

  it("breaks the context down by kind, leaving out what is not there", () => {
    const hover = plain(meterHover(calm, facts(false)));
    assert.match(hover, /\| Tool results \| 50,000 \| ■{6}□{4} 62% \|/);
    assert.match(hover, /\| System \| 1,000 \| ■□{9} 1% \|/);
    assert.doesNotMatch(hover, /\| Images \|/);
  });

  it("says what could be evicted, the last generation and how the last run ended", () => {
    const hover = meterHover(
      { ...calm, generation, lastRun: { state: "declined", receipt: declined } },
      facts(true),
    );
    assert.match(hover, /Evictable: 12 parts, about 34k tokens/);
    assert.match(hover, /Generation 2: 120k → 31k tokens · demo\/good · 12 s · 1 hr\. ago/);
    const whole = meterHover({ ...calm, generation: { ...generation, before: 150_000 } }, facts(true));
    assert.match(whole, /Generation 2: 150k → 31k tokens/, "what the run evicted is part of it");
    assert.match(hover, /Last run: Declined · 1 hr\. ago · Too little would be gained/);
  });

  it("says that a long session is still counted through", () => {
    const hover = meterHover({ ...calm, evictable: undefined }, facts(true));
    assert.match(hover, /What could be evicted is being counted\./);
    assert.doesNotMatch(hover, /Evictable:/);
  });

  it("says unknown as unknown and offers the setting", () => {
    assert.match(plain(meterHover(numberUnknown, facts(false))), /\| Used \| unknown \| {2}\|/);
    const hover = plain(meterHover(windowUnknown, facts(false)));
    assert.match(hover, /\| Ceiling \| unknown \|/);
    assert.doesNotMatch(hover, /Trigger line/);
    assert.match(hover, /From the imported file/);
    assert.match(hover, /no percent and no automatic run.*contextCapsule\.window/);
  });

  it("offers only what can run", () => {
    const all = linked(meterHover(calm, facts(true)));
    assert.ok(all.includes(commands.compactNow) && all.includes(commands.undo));
    assert.ok(!linked(meterHover(calm, facts(false))).includes(commands.undo));
    const readOnly = linked(meterHover({ ...calm, readOnly: true }, facts(true)));
    assert.ok(!readOnly.includes(commands.compactNow) && readOnly.includes(commands.takeOverSession));
  });

  it("links only to commands that the status bar enables", () => {
    const readings = [
      calm,
      numberUnknown,
      windowUnknown,
      { ...calm, readOnly: true },
      { ...calm, automatic: "on" as const, automaticPaused: true },
      { ...calm, automatic: "off" as const },
      ...(["stopped", "over_line"] as const).map((level) => ({
        ...calm,
        level,
        generation,
        lastRun: { state: "stopped" as const, receipt: { ...receipt, state: "stopped" as const } },
      })),
    ];
    for (const reading of readings) {
      for (const id of linked(meterHover(reading, facts(true)))) {
        assert.ok((hoverCommands as readonly string[]).includes(id), id);
      }
    }
  });

  it("cannot be broken by a title", () => {
    const hover = meterHover({ ...calm, title: "a|b [x](command:evil) $(zap)\n# h" }, facts(false));
    assert.deepEqual(linked(hover).includes("evil"), false);
    assert.match(hover, /a\\\|b \\\[x\\\]\\\(command:evil\\\) \\\$\\\(zap\\\) \\# h/);
  });
});

describe("hoverStaleInMs", () => {
  it("is undefined where no time is shown: no timer then", () => {
    assert.equal(hoverStaleInMs(numberUnknown, NOW), undefined);
  });

  it("is the moment from which the hover reads differently, and not before", () => {
    fc.assert(
      fc.property(fc.integer({ min: -60_000, max: 40 * 86_400_000 }), (elapsed) => {
        const reading = { ...calm, measuredAt: NOW - elapsed };
        const staleIn = hoverStaleInMs(reading, NOW);
        assert.ok(staleIn !== undefined && staleIn > 0);
        const at = (now: number): string => meterHover(reading, { ...facts(false), now });
        assert.equal(at(NOW + staleIn - 1), at(NOW));
        assert.notEqual(at(NOW + staleIn), at(NOW));
      }),
    );
  });
});
