/** The second trigger fires below this many cold calls (contract section 3). */
export const SPEND_TRIGGER_CALLS = 4;

/**
 * Declared spend: whether less is left than four times the cold worst-case cost of the next call. Exactly four does
 * not fire, and neither does a call that cannot be priced. Asked only after a round that called tools.
 */
export function spendTriggerFires(remaining: number, nextCallCost: number | undefined): boolean {
  return nextCallCost !== undefined && remaining < SPEND_TRIGGER_CALLS * nextCallCost;
}
