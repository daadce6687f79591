import type { SettingName, SettingRule, SettingValues } from "./contributions.ts";
import { settingRules } from "./contributions.ts";

/** A setting whose value cannot work, and what is used instead. */
export interface SettingProblem {
  readonly name: SettingName;
  readonly given: unknown;
  readonly used: number | string | boolean | null;
}

export interface CheckedSettings {
  readonly values: SettingValues;
  readonly problems: readonly SettingProblem[];
}

/**
 * Values for every setting, whatever was given: VS Code's own checks only underline a wrong value in settings.json
 * and still hand it out. A number outside its bounds becomes the nearest bound; anything else of a wrong kind becomes
 * the default.
 */
export function checkSettings(given: (name: SettingName) => unknown): CheckedSettings {
  const problems: SettingProblem[] = [];
  const values: Record<string, unknown> = {};
  for (const [key, rule] of Object.entries<SettingRule>(settingRules)) {
    const name = key as SettingName;
    const value = given(name);
    const used = valueFor(rule, value);
    values[name] = used;
    if (value !== undefined && used !== value) problems.push({ name, given: value, used });
  }
  return { values: values as unknown as SettingValues, problems };
}

function valueFor(rule: SettingRule, value: unknown): number | string | boolean | null {
  switch (rule.type) {
    case "integer":
      if (value === null && rule.nullable) return null;
      if (typeof value !== "number" || !Number.isFinite(value)) return rule.default;
      return Math.min(rule.maximum, Math.max(rule.minimum, Math.trunc(value)));
    case "choice":
      return typeof value === "string" && rule.values.includes(value) ? value : rule.default;
    case "boolean":
      return typeof value === "boolean" ? value : rule.default;
    case "text":
      return typeof value === "string" ? value.trim() : rule.default;
  }
}
