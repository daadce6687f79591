import type { ContextSummary } from "./contextSummary.ts";
import { jsonValue, withoutFence } from "./jsonReply.ts";
import { fromWire } from "./wireSchema.ts";

/**
 * The deep-frozen capsule of a reply that is one JSON object and nothing else, at most in one ```json fence.
 * Undefined for everything else (contract section 5); never throws.
 */
export function parseContextSummary(text: string): ContextSummary | undefined {
  return fromWire(jsonValue(withoutFence(text)));
}
