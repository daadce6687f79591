import type { ModelPrice } from "./prices.ts";
import { coldCostNanoUsd } from "./prices.ts";
import type { BudgetUnit, RunBudget } from "./runBudget.ts";
import { declareBudget } from "./runBudget.ts";

export interface BudgetShortfall {
  readonly unit: BudgetUnit;
  readonly maximum: number;
  /** The least budget that could pay one summary and its headroom. */
  readonly needed: number;
}

/**
 * A budget with `onExhausted: "compact"` that can never pay one summary and the calls it is made for, with the figure
 * that could; undefined where it can, or where it stops instead. The figure takes the smallest context that a summary
 * may be made of (what it must win, and the recent part that stays), and calls as short as a call may be.
 */
export function budgetShortfall(budget: RunBudget, price?: ModelPrice): BudgetShortfall | undefined {
  const { unit, maximum, onExhausted, outputFloorTokens, compaction } = declareBudget(budget);
  if (onExhausted === "stop" || compaction.maxCompactions === 0) return undefined;
  const { keepRecentTokens, summaryMaxTokens, minYieldTokens, headroomCalls } = compaction;
  const summary = { inputTokens: minYieldTokens, outputTokens: summaryMaxTokens };
  const further = { inputTokens: keepRecentTokens + summaryMaxTokens, outputTokens: outputFloorTokens };
  const cost = (call: { inputTokens: number; outputTokens: number }): number | undefined => {
    if (unit === "tokens") return call.inputTokens + call.outputTokens;
    return price === undefined ? undefined : coldCostNanoUsd(call, price);
  };
  const [paid, later] = [cost(summary), cost(further)];
  if (paid === undefined || later === undefined) return undefined;
  const needed = paid + headroomCalls * later;
  return maximum < needed ? { unit, maximum, needed } : undefined;
}
