import type {
  BookedCall,
  ReceiptBudget,
  ReceiptCall,
  ReceiptCompaction,
  ReceiptTotals,
  RunReceipt,
} from "./runReceipt.ts";
import { modeledNetTokens, spentOf, totalsOf, wasAnswered } from "./runReceipt.ts";

/** Whether the numbers of a receipt of the right shape agree with one another. */
export function isSound(receipt: RunReceipt): boolean {
  const { calls, tools, compactions, totals, budget } = receipt;
  const summaries = compactions.flatMap(({ call }) => (call === null ? [] : [call]));
  const answered = calls.filter(wasAnswered).length;
  return (
    isNumbered(calls) &&
    isNumbered(compactions) &&
    calls.every(isCallSound) &&
    summaries.every(isBooked) &&
    compactions.every((entry) => isCompactionSound(entry, answered)) &&
    isAscending(compactions.map(({ workingCallsBefore }) => workingCallsBefore)) &&
    tools.every(({ calls: carriedOut, errors }) => errors <= carriedOut) &&
    new Set(tools.map(({ name }) => name)).size === tools.length &&
    totals.toolCalls === tools.reduce((sum, tool) => sum + tool.calls, 0) &&
    isSame(totals.working, totalsOf(calls)) &&
    isSame(totals.summarizing, totalsOf(summaries)) &&
    (budget === null || isBudgetSound(budget, [...calls, ...summaries])) &&
    (receipt.stopReason !== null || calls.length + tools.length + receipt.unknownToolCalls === 0) &&
    (receipt.errorCode === null || receipt.stopReason === "provider_error")
  );
}

function isNumbered(entries: readonly { readonly index: number }[]): boolean {
  return entries.every(({ index }, at) => index === at + 1);
}

function isAscending(numbers: readonly number[]): boolean {
  return numbers.every((number, at) => at === 0 || number >= (numbers[at - 1] ?? 0));
}

function isBooked(call: BookedCall): boolean {
  const { settlement, basis, inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, costNanoUsd } =
    call;
  if (cacheReadTokens + cacheWriteTokens > inputTokens) return false;
  if (settlement === "unbilled" || settlement === "free") {
    return inputTokens + outputTokens === 0 && costNanoUsd === 0;
  }
  return settlement !== "measured" || basis === "reported";
}

function isCallSound(call: ReceiptCall): boolean {
  const { clampedToTokens, outputCapTokens, settlement } = call;
  const isOfARun = settlement !== "free" && settlement !== "unmetered";
  return isOfARun && isBooked(call) && (clampedToTokens === null || clampedToTokens < outputCapTokens);
}

function isCompactionSound(entry: ReceiptCompaction, answeredCalls: number): boolean {
  const { state, before, after, workingCallsBefore, workingCallsAfter } = entry;
  const isApplied = state === "evicted" || state === "summarized";
  return (
    (isApplied ? after < before : after === before) &&
    workingCallsBefore + workingCallsAfter === answeredCalls &&
    entry.modeledNetTokens === modeledNetTokens(entry, workingCallsAfter)
  );
}

function isBudgetSound(budget: ReceiptBudget, calls: readonly BookedCall[]): boolean {
  const { unit, maximum, spentBefore, spent, spentAfter, breachedBy } = budget;
  return (
    spent === spentOf(unit, calls) &&
    spentAfter >= spentBefore + spent &&
    breachedBy === Math.max(0, spentAfter - maximum)
  );
}

function isSame(a: ReceiptTotals, b: ReceiptTotals): boolean {
  return (Object.keys(b) as (keyof ReceiptTotals)[]).every((field) => a[field] === b[field]);
}
