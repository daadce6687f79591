import type { MeteredCall, MeterRecord } from "./meterRecord.ts";
import type { BudgetUnit, DeclaredBudget, RunBudget } from "./runBudget.ts";
import { declareBudget } from "./runBudget.ts";
import type { TokenClasses } from "./tokenClasses.ts";
import { addTokens, NO_TOKENS, totalTokens } from "./tokenClasses.ts";

/** What is put by for a call that is under way. */
export interface MeterHold {
  readonly call: MeteredCall;
  /** The most that it can cost; absent where the model has no price. */
  readonly nanoUsd?: number;
}

/** A meter as pure data: all that its records add up to. */
export interface MeterState {
  /** The budget as it was declared, and with its defaults; undefined = none, then calls are only counted. */
  readonly budget: RunBudget | undefined;
  readonly declared: DeclaredBudget | undefined;
  /** Sum over the settled calls. */
  readonly usage: TokenClasses;
  /** Sum over the settled calls that had a price. */
  readonly nanoUsd: number;
  /** What settled calls without a price took, by model. */
  readonly unpriced: readonly { readonly modelId: string; readonly usage: TokenClasses }[];
  readonly holds: readonly MeterHold[];
  readonly workingCalls: number;
  readonly summaryCalls: number;
  /** Settled calls that were booked by their whole hold, for want of a report. */
  readonly heldCalls: number;
}

/** What a person sees of a meter; all in `unit`. */
export interface BudgetReading {
  readonly unit: BudgetUnit;
  /** Undefined: no budget is declared; `remaining` is Infinity then. */
  readonly maximum: number | undefined;
  readonly spent: number;
  readonly reserved: number;
  readonly remaining: number;
  /** By how much the maximum was passed; anything above 0 is a breach, and nothing more is paid. */
  readonly breachedBy: number;
}

export const EMPTY_METER: MeterState = Object.freeze({
  budget: undefined,
  declared: undefined,
  usage: NO_TOKENS,
  nanoUsd: 0,
  unpriced: Object.freeze([]),
  holds: Object.freeze([]),
  workingCalls: 0,
  summaryCalls: 0,
  heldCalls: 0,
});

/** The state after one more record. */
export function applyMeterRecord(state: MeterState, record: MeterRecord): MeterState {
  switch (record.type) {
    case "declared": {
      const { budget, earlierNanoUsd } = record;
      return {
        ...state,
        budget: budget ?? undefined,
        declared: budget === null ? undefined : declareBudget(budget),
        ...(earlierNanoUsd === undefined
          ? {}
          : { nanoUsd: state.nanoUsd + earlierNanoUsd, unpriced: EMPTY_METER.unpriced }),
      };
    }
    case "reserved": {
      const { call, nanoUsd } = record;
      const hold = nanoUsd === undefined ? { call } : { call, nanoUsd };
      return { ...state, holds: [...without(state, call.callId), hold] };
    }
    case "settled":
      return settled(state, record);
    case "released":
      return { ...state, holds: without(state, record.callId) };
  }
}

/** What the state comes to in the unit of its budget; in tokens where there is none. */
export function readState(state: MeterState): BudgetReading {
  const unit = state.declared?.unit ?? "tokens";
  const maximum = state.declared?.maximum;
  const spent = unit === "tokens" ? totalTokens(state.usage) : state.nanoUsd;
  const reserved = state.holds.reduce((sum, hold) => sum + holdIn(unit, hold), 0);
  const limit = maximum ?? Number.POSITIVE_INFINITY;
  return {
    unit,
    maximum,
    spent,
    reserved,
    remaining: Math.max(0, limit - spent - reserved),
    breachedBy: Math.max(0, spent - limit),
  };
}

/** A whole hold as what a call took: nothing cached, the reply as long as it may be. */
export function heldUsage({ inputTokens, outputTokens }: MeteredCall): TokenClasses {
  return { ...NO_TOKENS, inputTokens, outputTokens };
}

/** The record that books a hold whole. */
export function settledWhole({ call, nanoUsd }: MeterHold): Extract<MeterRecord, { type: "settled" }> {
  const { callId, modelId, purpose } = call;
  const cost = nanoUsd === undefined ? {} : { nanoUsd };
  return { type: "settled", callId, modelId, purpose, settlement: "held", usage: heldUsage(call), ...cost };
}

function settled(state: MeterState, record: Extract<MeterRecord, { type: "settled" }>): MeterState {
  const { callId, modelId, purpose, settlement, usage, nanoUsd } = record;
  return {
    ...state,
    holds: without(state, callId),
    usage: addTokens(state.usage, usage),
    nanoUsd: state.nanoUsd + (nanoUsd ?? 0),
    unpriced: nanoUsd === undefined ? withUnpriced(state, modelId, usage) : state.unpriced,
    workingCalls: state.workingCalls + (purpose === "work" ? 1 : 0),
    summaryCalls: state.summaryCalls + (purpose === "summary" ? 1 : 0),
    heldCalls: state.heldCalls + (settlement === "held" ? 1 : 0),
  };
}

function withUnpriced(
  { unpriced }: MeterState,
  modelId: string,
  usage: TokenClasses,
): MeterState["unpriced"] {
  const earlier = unpriced.find((entry) => entry.modelId === modelId);
  const others = unpriced.filter((entry) => entry !== earlier);
  return [...others, { modelId, usage: addTokens(earlier?.usage ?? NO_TOKENS, usage) }];
}

function without(state: MeterState, callId: string): readonly MeterHold[] {
  return state.holds.filter(({ call }) => call.callId !== callId);
}

function holdIn(unit: BudgetUnit, { call, nanoUsd = 0 }: MeterHold): number {
  return unit === "tokens" ? call.inputTokens + call.outputTokens : nanoUsd;
}
