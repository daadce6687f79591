const FENCE_OPEN = /^```json\s/;
const FENCE_CLOSE = "```";

/** What stands in the one ```json fence, or the whole reply where there is none; white space around is allowed. */
export function withoutFence(reply: string): string {
  const text = reply.trim();
  const isFenced = FENCE_OPEN.test(text) && text.endsWith(FENCE_CLOSE) && text.length > "```json".length + 3;
  return isFenced ? text.slice("```json".length, -FENCE_CLOSE.length) : text;
}

/** The value of a JSON text; undefined where it is none. */
export function jsonValue(text: string): unknown {
  try {
    return JSON.parse(text.trim());
  } catch {
    return undefined;
  }
}

export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
