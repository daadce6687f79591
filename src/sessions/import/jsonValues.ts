/** Narrowing of values that came out of JSON.parse. */
export type JsonObject = { readonly [key: string]: unknown };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A string with at least one character, else undefined. */
export function nonEmptyString(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

export function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

const NESTED_TOO_DEEP = "[a value nested too deep to write]";
/** JSON.parse takes any depth; what walks a value later, JSON.stringify too, ends at the engine's stack. */
const MAX_DEPTH = 500;

/** Compact JSON, keys in file order. Nesting too deep for the engine's stack gives a short text instead. */
export function compactJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "null";
  } catch {
    return NESTED_TOO_DEEP;
  }
}

/** The value, or a short text in its place where it is nested too deep to be written again. */
export function writableJson(value: unknown): unknown {
  return isTooDeep(value, MAX_DEPTH) ? NESTED_TOO_DEEP : value;
}

function isTooDeep(value: unknown, levelsLeft: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levelsLeft === 0 || Object.values(value).some((inner) => isTooDeep(inner, levelsLeft - 1));
}

const FIRST_MILLISECOND_STAMP = 100_000_000_000;

/**
 * Milliseconds since 1970. Text must name its zone, so that the same file means the same time everywhere; numbers
 * below 1e11 are seconds.
 */
export function timeOf(value: unknown): number | undefined {
  if (typeof value === "number" && Number.isFinite(value) && value > 0) {
    return Math.round(value < FIRST_MILLISECOND_STAMP ? value * 1000 : value);
  }
  if (typeof value !== "string" || !/^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)$/.test(value))
    return undefined;
  const time = Date.parse(value);
  return Number.isNaN(time) ? undefined : time;
}
