import type { Settlement } from "../budget/meterRecord.ts";
import type { BudgetUnit } from "../budget/runBudget.ts";
import type { TokenClasses } from "../budget/tokenClasses.ts";
import type { Basis } from "../messages.ts";
import type { ModelErrorCode } from "../model.ts";
import type { CompactionReceipt, EndReason, EndState } from "../records.ts";

export const RUN_RECEIPT_SCHEMA = "context-capsule.run-receipt.v1";

/** Why a run ended (contract section 6); `context_full`: the request's upper count is above the window. */
export type StopReason =
  | "complete"
  | "budget_exhausted"
  | "deadline"
  | "cancelled"
  | "loop_detected"
  | "max_tool_calls"
  | "provider_error"
  | "context_full";

/** A call that was booked. */
interface BookedCall extends TokenClasses {
  /** `free`: a summarizer that costs nothing. `unmetered`: no meter counted it, the numbers are the provider's. */
  readonly settlement: Settlement | "free" | "unmetered";
  readonly basis: Basis;
  /** null = the model has no price. */
  readonly costNanoUsd: number | null;
}

/** A working call of the run. */
export interface ReceiptCall extends BookedCall {
  /** Counts from 1. */
  readonly index: number;
  readonly callId: string;
  readonly provider: string;
  readonly model: string;
  /** Reply cap without a clamp. */
  readonly outputCapTokens: number;
  /** Rung 3: the allowance that the remainder could pay; null = the cap stood. */
  readonly clampedToTokens: number | null;
  readonly startedAt: number;
  readonly durationMs: number;
}

export interface ReceiptTool {
  readonly name: string;
  /** Carried out, and those of them whose result was an error. */
  readonly calls: number;
  readonly errors: number;
  /** Answered with an error in the place of being carried out. */
  readonly refused: number;
}

/** One rung of a compaction in the run. */
export interface ReceiptCompaction {
  /** Counts from 1. */
  readonly index: number;
  readonly runId: string;
  readonly rung: CompactionReceipt["rung"];
  readonly trigger: CompactionReceipt["trigger"];
  readonly basis: Basis;
  /** Tokens of the request by our own measure; `after` is smaller in every applied entry, and the same in others. */
  readonly before: number;
  readonly after: number;
  readonly evictedDigests: readonly string[];
  readonly pinnedIds: readonly string[];
  readonly generation: number | null;
  readonly model: string | null;
  /** The summarizer's call; never a working call. */
  readonly call: BookedCall | null;
  readonly startedAt: number;
  readonly durationMs: number;
  readonly state: EndState;
  readonly reason: EndReason;
  readonly failures: readonly string[];
  readonly errorCode: ModelErrorCode | null;
  readonly retired: readonly { readonly key: string; readonly byKey: string }[];
  readonly carriedOutKeys: readonly string[];
  /** Working calls of the run that were answered before it, and after it. */
  readonly workingCallsBefore: number;
  readonly workingCallsAfter: number;
  /**
   * A model, not a measurement: what the calls after it did not have to read, less the one reading of the new context
   * that no prompt cache knows. 0 where nothing was applied.
   */
  readonly modeledNetTokens: number;
}

export interface ReceiptTotals extends TokenClasses {
  /** Those that were answered: whatever was booked, or free. */
  readonly calls: number;
  /** null = not all of them have a price. */
  readonly costNanoUsd: number | null;
}

/** What the budget was and how much of it the run took; all in `unit`. */
export interface ReceiptBudget {
  readonly unit: BudgetUnit;
  readonly maximum: number;
  readonly onExhausted: "compact" | "stop";
  readonly outputFloorTokens: number;
  /** Of the session, before the run. */
  readonly spentBefore: number;
  /** Of the run: its working calls and its summarizer's, summed. */
  readonly spent: number;
  /** Of the session, after the run: other runs may have spent beside it. */
  readonly spentAfter: number;
  /** By how much the session has passed its maximum; above 0 is a breach. */
  readonly breachedBy: number;
}

/** What a run did and cost: ids, digests and numbers, never text. Deep-frozen. */
export interface RunReceipt {
  readonly schema: typeof RUN_RECEIPT_SCHEMA;
  readonly runId: string;
  readonly startedAt: number;
  readonly durationMs: number;
  /** null = no run: a compaction alone. */
  readonly stopReason: StopReason | null;
  readonly errorCode: ModelErrorCode | null;
  readonly budget: ReceiptBudget | null;
  readonly calls: readonly ReceiptCall[];
  readonly tools: readonly ReceiptTool[];
  /** Calls of tools that the agent does not offer; their names are the model's words. */
  readonly unknownToolCalls: number;
  readonly compactions: readonly ReceiptCompaction[];
  readonly totals: {
    readonly working: ReceiptTotals;
    readonly summarizing: ReceiptTotals;
    readonly toolCalls: number;
  };
}

/** Applied entries only: the others have changed nothing. */
export function modeledNetTokens(
  { before, after }: Pick<ReceiptCompaction, "before" | "after">,
  workingCallsAfter: number,
): number {
  if (after >= before || workingCallsAfter === 0) return 0;
  return (before - after) * workingCallsAfter - after;
}

/** A call that was answered: one whose stream never began is on the receipt, and counts nowhere. */
export function wasAnswered({ settlement }: Pick<BookedCall, "settlement">): boolean {
  return settlement !== "unbilled";
}

export function totalsOf(calls: readonly BookedCall[]): ReceiptTotals {
  const sum = (field: keyof TokenClasses) => calls.reduce((total, call) => total + call[field], 0);
  const answered = calls.filter(wasAnswered);
  return {
    calls: answered.length,
    inputTokens: sum("inputTokens"),
    outputTokens: sum("outputTokens"),
    cacheReadTokens: sum("cacheReadTokens"),
    cacheWriteTokens: sum("cacheWriteTokens"),
    costNanoUsd: answered.some(({ costNanoUsd }) => costNanoUsd === null)
      ? null
      : answered.reduce((total, { costNanoUsd }) => total + (costNanoUsd ?? 0), 0),
  };
}

/** What calls took of a budget in its unit; calls that no meter counted took nothing of it. */
export function spentOf(unit: BudgetUnit, calls: readonly BookedCall[]): number {
  return calls
    .filter(({ settlement }) => settlement !== "unmetered" && settlement !== "free")
    .reduce(
      (sum, call) =>
        sum + (unit === "tokens" ? call.inputTokens + call.outputTokens : (call.costNanoUsd ?? 0)),
      0,
    );
}

export type { BookedCall };
