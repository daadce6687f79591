import type { BudgetMeter } from "../budget/budgetMeter.ts";
import type { RequestBounds } from "../budget/requestBound.ts";
import type { AbortSignalLike, ChatModel } from "../model.ts";
import type { Agent } from "./agent.ts";
import type { RunEvent } from "./runEvents.ts";
import type { RunLedger } from "./runLedger.ts";
import type { RunSession } from "./runSession.ts";

/** What the steps of one run share. */
export interface RunContext {
  readonly agent: Agent;
  readonly session: RunSession;
  readonly meter: BudgetMeter;
  readonly boundsOf: (model: ChatModel) => RequestBounds;
  readonly ledger: RunLedger;
  /** Aborted by a cancel and at the deadline. */
  readonly signal: AbortSignalLike;
  readonly tell: (event: RunEvent) => void;
}
