import type { BudgetHold, BudgetMeter, SettledCall } from "../budget/budgetMeter.ts";
import type { MeterState } from "../budget/meterState.ts";
import { readState } from "../budget/meterState.ts";
import { NO_TOKENS } from "../budget/tokenClasses.ts";
import { deepFreeze } from "../capsule/deepFreeze.ts";
import type { CompactOutcome } from "../compactionOutcome.ts";
import type { ChatModel, ModelErrorCode } from "../model.ts";
import { MODEL_ERROR_CODES } from "../model.ts";
import type { CompactionReceipt } from "../records.ts";
import type { CarriedOut } from "./carryOutCalls.ts";
import { receiptFailure, receiptId, receiptKey, receiptName } from "./receiptText.ts";
import type {
  BookedCall,
  ReceiptBudget,
  ReceiptCall,
  ReceiptCompaction,
  ReceiptTool,
  RunReceipt,
  StopReason,
} from "./runReceipt.ts";
import { modeledNetTokens, RUN_RECEIPT_SCHEMA, spentOf, totalsOf, wasAnswered } from "./runReceipt.ts";

export interface LedgerCall {
  readonly model: ChatModel;
  readonly hold: BudgetHold;
  readonly settled: SettledCall;
  readonly cap: number;
  readonly startedAt: number;
  readonly endedAt: number;
}

interface LedgerCompaction {
  readonly runId: string;
  readonly receipt: CompactionReceipt;
  readonly workingCallsBefore: number;
}

export interface LedgerEnd {
  readonly stopReason: StopReason | null;
  readonly errorCode?: string | undefined;
  readonly endedAt: number;
}

/** Writes down what a run does, and makes its receipt. */
export class RunLedger {
  readonly runId: string;
  readonly #meter: BudgetMeter;
  readonly #startedAt: number;
  readonly #stateBefore: MeterState;
  readonly #calls: ReceiptCall[] = [];
  readonly #tools: Map<string, ReceiptTool>;
  readonly #compactions: LedgerCompaction[] = [];
  readonly #summaryCalls = new Map<string, SettledCall>();
  #unknownToolCalls = 0;

  constructor(start: {
    readonly runId: string;
    readonly meter: BudgetMeter;
    readonly startedAt: number;
    readonly toolNames: readonly string[];
  }) {
    this.runId = start.runId;
    this.#meter = start.meter;
    this.#startedAt = start.startedAt;
    this.#stateBefore = start.meter.state;
    this.#tools = new Map(start.toolNames.map((name) => [name, { name, calls: 0, errors: 0, refused: 0 }]));
  }

  /** Working calls that were answered so far. */
  get workingCalls(): number {
    return this.#calls.filter(wasAnswered).length;
  }

  addCall({ model, hold, settled, cap, startedAt, endedAt }: LedgerCall): void {
    const { callId, basis, outputTokens } = hold.call;
    this.#calls.push({
      index: this.#calls.length + 1,
      callId: receiptId(callId),
      provider: receiptName(model.vendor),
      model: receiptName(model.id),
      ...booked(settled, basis),
      outputCapTokens: cap,
      clampedToTokens: outputTokens < cap ? outputTokens : null,
      startedAt,
      durationMs: Math.max(0, endedAt - startedAt),
    });
  }

  addToolCall({ result, isOffered, wasRun }: CarriedOut): void {
    const tool = isOffered ? this.#tools.get(result.toolName) : undefined;
    if (tool === undefined) {
      this.#unknownToolCalls += 1;
      return;
    }
    this.#tools.set(tool.name, {
      ...tool,
      calls: tool.calls + (wasRun ? 1 : 0),
      errors: tool.errors + (wasRun && result.isError === true ? 1 : 0),
      refused: tool.refused + (wasRun ? 0 : 1),
    });
  }

  addSummaryCall(settled: SettledCall): void {
    this.#summaryCalls.set(settled.callId, settled);
  }

  addCompaction({ runId, receipts }: Pick<CompactOutcome, "runId" | "receipts">): void {
    const workingCallsBefore = this.workingCalls;
    for (const receipt of receipts) this.#compactions.push({ runId, receipt, workingCallsBefore });
  }

  receipt({ stopReason, errorCode, endedAt }: LedgerEnd): RunReceipt {
    const compactions = this.#compactions.map((entry, at) => this.#compactionEntry(entry, at + 1));
    const summaries = compactions.flatMap(({ call }) => (call === null ? [] : [call]));
    const tools = [...this.#tools.values()].filter(({ calls, refused }) => calls + refused > 0);
    return deepFreeze({
      schema: RUN_RECEIPT_SCHEMA,
      runId: receiptId(this.runId),
      startedAt: this.#startedAt,
      durationMs: Math.max(0, endedAt - this.#startedAt),
      stopReason,
      errorCode: errorCodeOf(errorCode),
      budget: this.#budget([...this.#calls, ...summaries]),
      calls: this.#calls,
      tools: tools.map((tool) => ({ ...tool, name: receiptName(tool.name) })),
      unknownToolCalls: this.#unknownToolCalls,
      compactions,
      totals: {
        working: totalsOf(this.#calls),
        summarizing: totalsOf(summaries),
        toolCalls: tools.reduce((sum, { calls }) => sum + calls, 0),
      },
    });
  }

  #budget(calls: readonly BookedCall[]): ReceiptBudget | null {
    const { budget, declared } = this.#meter.state;
    if (declared === undefined) return null;
    const { unit, maximum, onExhausted, outputFloorTokens } = declared;
    const { spent: spentAfter, breachedBy } = this.#meter.reading;
    return {
      unit,
      maximum,
      onExhausted,
      outputFloorTokens,
      // The budget may have been declared anew, in the other unit.
      spentBefore: readState({ ...this.#stateBefore, budget, declared }).spent,
      spent: spentOf(unit, calls),
      spentAfter,
      breachedBy,
    };
  }

  #compactionEntry(
    { runId, receipt, workingCallsBefore }: LedgerCompaction,
    index: number,
  ): ReceiptCompaction {
    const workingCallsAfter = this.workingCalls - workingCallsBefore;
    const { rung, trigger, basis, before, after, generation, modelId, startedAt, durationMs } = receipt;
    return {
      index,
      runId: receiptId(runId),
      rung,
      trigger,
      basis,
      before,
      after,
      evictedDigests: receipt.evictedDigests,
      pinnedIds: receipt.pinnedIds.map(receiptId),
      generation: generation ?? null,
      model: modelId === undefined ? null : receiptName(modelId),
      call: this.#summaryCall(receipt),
      startedAt,
      durationMs,
      state: receipt.state,
      reason: receipt.reason,
      failures: receipt.failures.map(receiptFailure),
      errorCode: errorCodeOf(receipt.errorCode),
      retired: receipt.retired.map(({ key, byKey }) => ({ key: receiptKey(key), byKey: receiptKey(byKey) })),
      carriedOutKeys: receipt.carriedOutKeys.map(receiptKey),
      workingCallsBefore,
      workingCallsAfter,
      modeledNetTokens: modeledNetTokens({ before, after }, workingCallsAfter),
    };
  }

  #summaryCall({ call }: CompactionReceipt): BookedCall | null {
    if (call === undefined) return null;
    const metered = call.callId === undefined ? undefined : this.#summaryCalls.get(call.callId);
    if (metered !== undefined) return booked(metered, "estimated");
    const { inputTokens = 0, outputTokens = 0, basis } = call;
    const isKnown = call.inputTokens !== undefined;
    return {
      ...NO_TOKENS,
      inputTokens,
      outputTokens,
      settlement: isKnown ? "unmetered" : "free",
      basis,
      costNanoUsd: isKnown ? null : 0,
    };
  }
}

/** A report is the provider's number; a whole hold has the basis of the upper count. */
function booked({ settlement, usage, nanoUsd }: SettledCall, basis: "counted" | "estimated"): BookedCall {
  return {
    settlement,
    ...usage,
    basis: settlement === "measured" ? "reported" : settlement === "held" ? basis : "unavailable",
    costNanoUsd: nanoUsd ?? null,
  };
}

function errorCodeOf(code: string | undefined): ModelErrorCode | null {
  if (code === undefined) return null;
  return MODEL_ERROR_CODES.find((known) => known === code) ?? "unknown";
}
