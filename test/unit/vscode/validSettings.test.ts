import assert from "node:assert/strict";
import fc from "fast-check";
import type { SettingName, SettingRule } from "../../../src/vscode/contributions.ts";
import { settingRules } from "../../../src/vscode/contributions.ts";
import { checkSettings } from "../../../src/vscode/validSettings.ts";

const rules: readonly (readonly [string, SettingRule])[] = Object.entries(settingRules);
const defaults = Object.fromEntries(rules.map(([name, rule]) => [name, rule.default]));

describe("checkSettings", () => {
  it("gives every default, without a word, where nothing is set", () => {
    assert.deepEqual(
      checkSettings(() => undefined),
      { values: defaults, problems: [] },
    );
  });

  const vectors: readonly [SettingName, unknown, unknown, boolean][] = [
    // name, given, used, told
    ["minRemaining", 0, 0, false],
    ["minRemaining", -1, 0, true],
    ["minRemaining", "16384", 16_384, true],
    ["minRemaining", Number.NaN, 16_384, true],
    ["minRemaining", 1.5, 1, true],
    ["minRemaining", null, 16_384, true],
    ["keepRecentTurns", 1001, 1000, true],
    ["window", null, null, false],
    ["window", 200_000, 200_000, false],
    ["window", 0, 1024, true],
    ["window", "big", null, true],
    ["automatic", "on", "on", false],
    ["automatic", "always", "ask", true],
    ["automatic", true, "ask", true],
    ["estimatedMode", "yes", false, true],
    ["summarizer", "offline", "offline", false],
    ["summarizer", 7, "", true],
  ];
  for (const [name, given, used, told] of vectors) {
    it(`${name} = ${String(JSON.stringify(given))} → ${String(used)}${told ? ", told" : ""}`, () => {
      const { values, problems } = checkSettings((asked) => (asked === name ? given : undefined));
      assert.equal(values[name], used);
      assert.deepEqual(problems, told ? [{ name, given, used }] : []);
    });
  }

  it("never hands out a value that its rule forbids", () => {
    fc.assert(
      fc.property(fc.anything(), (given) => {
        const { values } = checkSettings(() => given);
        for (const [name, rule] of rules) {
          const value: unknown = values[name as SettingName];
          if (rule.type === "integer" && !(rule.nullable && value === null)) {
            assert.ok(Number.isSafeInteger(value));
            assert.ok((value as number) >= rule.minimum && (value as number) <= rule.maximum);
          }
          if (rule.type === "choice") assert.ok(rule.values.includes(value as string));
          if (rule.type === "boolean") assert.equal(typeof value, "boolean");
          if (rule.type === "text") assert.equal(typeof value, "string");
        }
      }),
    );
  });
});
