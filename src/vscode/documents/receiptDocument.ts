import type { LogEntry } from "../../sessions/entries.ts";

/** The receipt of a run as JSON: every line that was written for it, in order. Undefined for an unknown run. */
export function receiptText(entries: readonly LogEntry[], runId: string): string | undefined {
  const receipts: unknown[] = [];
  let undone = false;
  for (const entry of entries) {
    switch (entry.type) {
      case "eviction":
      case "compaction":
      case "attempt":
        if (entry.record.runId === runId) receipts.push(entry.record.receipt);
        break;
      case "undo":
        if (entry.runId === runId) undone = true;
        break;
      default:
        break;
    }
  }
  if (receipts.length === 0) return undefined;
  return `${JSON.stringify({ runId, undone, receipts }, null, 2)}\n`;
}
