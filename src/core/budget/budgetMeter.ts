import { CompactionError } from "../errors.ts";
import type { Usage } from "../messages.ts";
import { requireTokens } from "../policy.ts";
import type { MeteredCall, MeterRecord, Settlement } from "./meterRecord.ts";
import { parseMeterRecord } from "./meterRecord.ts";
import type { BudgetReading, MeterHold, MeterState } from "./meterState.ts";
import { applyMeterRecord, EMPTY_METER, heldUsage, readState, settledWhole } from "./meterState.ts";
import type { ModelPrice, PriceTable } from "./prices.ts";
import { coldCostNanoUsd, costNanoUsd, priceOf } from "./prices.ts";
import type { RunBudget } from "./runBudget.ts";
import { declareBudget } from "./runBudget.ts";
import type { TokenClasses } from "./tokenClasses.ts";
import { MOST_TOKENS_OF_A_CALL, NO_TOKENS, readUsage } from "./tokenClasses.ts";

export interface MeterOptions {
  /** Needed for a budget in USD; else it says what calls cost beside. */
  readonly prices?: PriceTable | undefined;
}

export type Reservation =
  | { readonly ok: true; readonly hold: BudgetHold }
  | {
      readonly ok: false;
      /** `breached`: the maximum was passed before, nothing more is paid. */
      readonly reason: "exhausted" | "breached";
      /** In the unit of the budget. */
      readonly needed: number;
      readonly remaining: number;
    };

/** A call that was booked; `record` is for the log. */
export interface SettledCall {
  readonly callId: string;
  readonly settlement: Settlement;
  readonly usage: TokenClasses;
  /** Undefined: the model has no price. */
  readonly nanoUsd: number | undefined;
  readonly record: MeterRecord;
}

/** What is put by for one call. It is settled once; a second time throws `already_settled`. */
export interface BudgetHold {
  readonly call: MeteredCall;
  /** For the log, before the call is made. */
  readonly record: MeterRecord;
  /** The reply came to its end. Booked as reported, above the hold too; what cannot be read books the whole hold. */
  settle(usage: Usage | undefined): SettledCall;
  /** The reply broke off after it had begun: the whole hold, or what was reported where that is more. */
  settleBroken(usage?: Usage): SettledCall;
  /** No reply ever began: nothing is booked. */
  release(): SettledCall;
}

/** The meter of a session with this budget and nothing spent; undefined = no limit, calls are only counted. */
export function createBudgetMeter(budget: RunBudget | undefined, options: MeterOptions = {}): BudgetMeter {
  const record: MeterRecord = { type: "declared", budget: budget ?? null };
  return new BudgetMeter(applyMeterRecord(EMPTY_METER, record), options);
}

/**
 * The meter that wrote these records, oldest first. A call that was under way when they end books its whole hold: it
 * may have been answered. What is no record is passed over and counted.
 */
export function replayBudgetMeter(
  records: Iterable<unknown>,
  options: MeterOptions = {},
): { readonly meter: BudgetMeter; readonly unreadable: number } {
  let state = EMPTY_METER;
  let unreadable = 0;
  for (const value of records) {
    const record = parseMeterRecord(value);
    if (record === undefined) unreadable += 1;
    else state = applyMeterRecord(state, record);
  }
  for (const hold of state.holds) state = applyMeterRecord(state, settledWhole(hold));
  return { meter: new BudgetMeter(state, options), unreadable };
}

/**
 * What a session may spend, has spent and has put by (contract section 6). `reserve` takes at once, so that two calls
 * in parallel never share a remainder. Every change gives the record that makes it again.
 */
export class BudgetMeter {
  #state: MeterState;
  readonly #prices: PriceTable | undefined;

  constructor(state: MeterState, { prices }: MeterOptions = {}) {
    this.#state = state;
    this.#prices = prices;
  }

  get state(): MeterState {
    return this.#state;
  }

  get reading(): BudgetReading {
    return readState(this.#state);
  }

  /** The record of the budget that holds now. */
  get declaration(): MeterRecord {
    return { type: "declared", budget: this.#state.budget ?? null };
  }

  /** Another budget from now on; what was spent stays spent. Throws `invalid_options` where it cannot be kept. */
  redeclare(budget: RunBudget | undefined): MeterRecord {
    const record = this.#redeclaration(budget);
    this.#state = applyMeterRecord(this.#state, record);
    return record;
  }

  /** Throws `invalid_options` where the budget is in USD and the model has no price. */
  requirePriced(modelId: string): void {
    if (this.#state.declared?.unit === "nanoUsd") this.#requirePrice(modelId);
  }

  /** The most that a call can cost, nothing cached, in the unit of the budget; undefined: it has no price. */
  coldCost(call: Pick<MeteredCall, "modelId" | "inputTokens" | "outputTokens">): number | undefined {
    if (this.reading.unit === "tokens") return call.inputTokens + call.outputTokens;
    return this.#coldNanoUsd(call);
  }

  /** Puts the cold cost of a call by, or refuses. Throws `invalid_options` for a model without a price. */
  reserve(call: MeteredCall): Reservation {
    requireCount("inputTokens", call.inputTokens);
    requireCount("outputTokens", call.outputTokens);
    this.requirePriced(call.modelId);
    if (this.#state.holds.some((hold) => hold.call.callId === call.callId)) {
      throw new CompactionError(
        "invalid_options",
        `The call "${call.callId}" is under way; give each call an id of its own.`,
      );
    }
    const needed = this.coldCost(call) ?? 0;
    const { remaining, breachedBy } = this.reading;
    if (breachedBy > 0) return { ok: false, reason: "breached", needed, remaining };
    if (needed > remaining) return { ok: false, reason: "exhausted", needed, remaining };
    const nanoUsd = this.#coldNanoUsd(call);
    const held: MeterHold = nanoUsd === undefined ? { call } : { call, nanoUsd };
    const record: MeterRecord = { type: "reserved", ...held };
    this.#state = applyMeterRecord(this.#state, record);
    return { ok: true, hold: this.#holdOf(held, record) };
  }

  #holdOf(held: MeterHold, record: MeterRecord): BudgetHold {
    const { call } = held;
    const price = priceOf(this.#prices, call.modelId);
    let isSettled = false;
    const once = (book: () => SettledCall): SettledCall => {
      if (isSettled) {
        throw new CompactionError(
          "already_settled",
          `The call "${call.callId}" was settled before; settle each call once.`,
        );
      }
      isSettled = true;
      const booked = book();
      this.#state = applyMeterRecord(this.#state, booked.record);
      return booked;
    };
    return {
      call,
      record,
      settle: (usage) => once(() => measured(call, readUsage(usage), price) ?? whole(held)),
      settleBroken: (usage) => once(() => whole(atLeast(held, readUsage(usage), price))),
      release: () => once(() => released(call.callId)),
    };
  }

  #coldNanoUsd(call: Pick<MeteredCall, "modelId" | "inputTokens" | "outputTokens">): number | undefined {
    const price = priceOf(this.#prices, call.modelId);
    return price === undefined ? undefined : coldCostNanoUsd(call, price);
  }

  #requirePrice(modelId: string): void {
    if (priceOf(this.#prices, modelId) !== undefined) return;
    throw new CompactionError(
      "invalid_options",
      `There is no price for the model "${modelId}", so a budget in USD cannot be kept with it; give its price, or declare "maxTokens" instead of "maxUsd".`,
    );
  }

  #redeclaration(budget: RunBudget | undefined): MeterRecord {
    if (budget === undefined || declareBudget(budget).unit !== "nanoUsd") {
      return { type: "declared", budget: budget ?? null };
    }
    const { unpriced, holds } = this.#state;
    for (const { call, nanoUsd } of holds) if (nanoUsd === undefined) this.#requirePrice(call.modelId);
    let earlierNanoUsd = 0;
    for (const { modelId, usage } of unpriced) {
      this.#requirePrice(modelId);
      earlierNanoUsd += this.#coldNanoUsd({ modelId, ...usage }) ?? 0;
    }
    return unpriced.length === 0
      ? { type: "declared", budget }
      : { type: "declared", budget, earlierNanoUsd };
  }
}

/** Undefined: nothing was reported that can be booked. */
function measured(
  call: MeteredCall,
  usage: TokenClasses | undefined,
  price: ModelPrice | undefined,
): SettledCall | undefined {
  if (usage === undefined) return undefined;
  const { callId, modelId, purpose } = call;
  const nanoUsd = price === undefined ? undefined : costNanoUsd(usage, price);
  const cost = nanoUsd === undefined ? {} : { nanoUsd };
  const settlement = "measured" as const;
  const record: MeterRecord = { type: "settled", callId, modelId, purpose, settlement, usage, ...cost };
  return { callId, settlement, usage, nanoUsd, record };
}

/** The hold, or more where a report that came before the break says so: such a report is a lower bound. */
function atLeast(
  held: MeterHold,
  reported: TokenClasses | undefined,
  price: ModelPrice | undefined,
): MeterHold {
  const { call } = held;
  const { inputTokens, outputTokens } = reported ?? NO_TOKENS;
  if (inputTokens <= call.inputTokens && outputTokens <= call.outputTokens) return held;
  const larger = {
    ...call,
    inputTokens: Math.max(inputTokens, call.inputTokens),
    outputTokens: Math.max(outputTokens, call.outputTokens),
  };
  return price === undefined ? { call: larger } : { call: larger, nanoUsd: coldCostNanoUsd(larger, price) };
}

function whole(held: MeterHold): SettledCall {
  const { call, nanoUsd } = held;
  const record = settledWhole(held);
  return { callId: call.callId, settlement: "held", usage: heldUsage(call), nanoUsd, record };
}

function released(callId: string): SettledCall {
  const record: MeterRecord = { type: "released", callId };
  return { callId, settlement: "unbilled", usage: NO_TOKENS, nanoUsd: 0, record };
}

function requireCount(name: string, value: number): void {
  requireTokens(name, value, 0);
  if (value <= MOST_TOKENS_OF_A_CALL) return;
  throw new CompactionError(
    "invalid_options",
    `"${name}" is ${value}; no call has more than ${MOST_TOKENS_OF_A_CALL} tokens.`,
  );
}
