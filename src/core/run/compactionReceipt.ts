import { createBudgetMeter } from "../budget/budgetMeter.ts";
import type { MeterRecord } from "../budget/meterRecord.ts";
import type { CompactionReceipt } from "../records.ts";
import { RunLedger } from "./runLedger.ts";
import type { RunReceipt } from "./runReceipt.ts";

export interface CompactionParts {
  /** Of the compaction. */
  readonly runId: string;
  /** Its rungs, in order. */
  readonly receipts: readonly CompactionReceipt[];
  /** The session's meter records: what its summarizer was paid. */
  readonly meterRecords?: Iterable<MeterRecord>;
}

/** The receipt document of a compaction that belongs to no run: one by hand, or under window pressure. */
export function compactionReceipt({ runId, receipts, meterRecords = [] }: CompactionParts): RunReceipt {
  const startedAt = receipts[0]?.startedAt ?? 0;
  const ledger = new RunLedger({
    runId,
    meter: createBudgetMeter(undefined),
    startedAt,
    toolNames: [],
  });
  for (const record of meterRecords) {
    if (record.type !== "settled") continue;
    const { callId, settlement, usage, nanoUsd } = record;
    ledger.addSummaryCall({ callId, settlement, usage, nanoUsd, record });
  }
  ledger.addCompaction({ runId, receipts });
  const endedAt = Math.max(startedAt, ...receipts.map((receipt) => receipt.startedAt + receipt.durationMs));
  return ledger.receipt({ stopReason: null, endedAt });
}
