import type { ContextSummary } from "./contextSummary.ts";
import { toWire } from "./wireSchema.ts";

/** The capsule as wire JSON with a stable key order; `parseContextSummary` gives the same capsule back. */
export function renderContextSummary(summary: ContextSummary): string {
  return JSON.stringify(toWire(summary));
}
