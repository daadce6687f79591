import { deepFreeze } from "../capsule/deepFreeze.ts";
import { CompactionError } from "../errors.ts";
import { requireTokens } from "../policy.ts";
import { NANO_USD_PER_USD } from "./prices.ts";

/** What a budget is measured in, always whole: tokens, or thousand-millionths of a US dollar. */
export type BudgetUnit = "tokens" | "nanoUsd";

/** How a spend budget shapes its compactions; all in tokens but for the two counts. */
export interface SpendCompactionOptions {
  readonly keepRecentTokens?: number;
  readonly summaryMaxTokens?: number;
  /** The first user message stands word for word in every generation; it cannot be turned off. */
  readonly preserveFirstUserMessage?: true;
  /** Calls to the summarizer in one run. */
  readonly maxCompactions?: number;
  /** A summary that would win less is declined before it is paid. */
  readonly minYieldTokens?: number;
  /** Further calls that the remainder must still cover once a summary is paid. */
  readonly headroomCalls?: number;
  /** The oldest user messages beside the first stay word for word, up to this many estimated tokens. */
  readonly pinnedUserTokens?: number;
}

interface SharedBudget {
  /** `stop` never calls a summarizer. */
  readonly onExhausted: "compact" | "stop";
  /** A reply allowance below this is not worth a call: the run stops. */
  readonly outputFloorTokens?: number;
  /** Tool calls that one run may carry out. */
  readonly maxToolCalls?: number;
  readonly compaction?: SpendCompactionOptions;
}

/** A declared spend budget (contract section 6): exactly one of `maxTokens` and `maxUsd`, for a whole session. */
export type RunBudget = SharedBudget &
  (
    | { readonly maxTokens: number; readonly maxUsd?: never }
    | { readonly maxUsd: number; readonly maxTokens?: never }
  );

/** A checked budget with its defaults filled in; deep-frozen. */
export interface DeclaredBudget {
  readonly unit: BudgetUnit;
  readonly maximum: number;
  readonly onExhausted: "compact" | "stop";
  readonly outputFloorTokens: number;
  readonly maxToolCalls: number;
  readonly compaction: Required<SpendCompactionOptions>;
}

export const DEFAULT_OUTPUT_FLOOR_TOKENS = 256;
export const DEFAULT_MAX_TOOL_CALLS = 100;
export const DEFAULT_SPEND_COMPACTION: Required<SpendCompactionOptions> = Object.freeze({
  keepRecentTokens: 8000,
  summaryMaxTokens: 2048,
  preserveFirstUserMessage: true,
  maxCompactions: 1,
  minYieldTokens: 20_000,
  headroomCalls: 3,
  pinnedUserTokens: 20_000,
});

const BUDGET_KEYS = [
  "maxTokens",
  "maxUsd",
  "onExhausted",
  "outputFloorTokens",
  "maxToolCalls",
  "compaction",
] as const;

/** Checks a budget and fills in its defaults. Throws `invalid_options` with a sentence that says what to do. */
export function declareBudget(budget: RunBudget): DeclaredBudget {
  const given = requireObject("budget", budget, BUDGET_KEYS) as unknown as RunBudget;
  const { outputFloorTokens = DEFAULT_OUTPUT_FLOOR_TOKENS, maxToolCalls = DEFAULT_MAX_TOOL_CALLS } = given;
  requireTokens("outputFloorTokens", outputFloorTokens, 1);
  requireTokens("maxToolCalls", maxToolCalls, 0);
  return deepFreeze({
    ...maximumOf(given),
    onExhausted: onExhaustedOf(given),
    outputFloorTokens,
    maxToolCalls,
    compaction: spendCompaction(given.compaction),
  });
}

function maximumOf({ maxTokens, maxUsd }: RunBudget): Pick<DeclaredBudget, "unit" | "maximum"> {
  if ((maxTokens === undefined) === (maxUsd === undefined)) {
    const found = maxTokens === undefined ? "neither" : "both";
    throw invalid(`The budget has ${found} of "maxTokens" and "maxUsd"; give exactly one of them.`);
  }
  if (maxTokens !== undefined) {
    requireTokens("maxTokens", maxTokens, 1);
    return { unit: "tokens", maximum: maxTokens };
  }
  const usd: unknown = maxUsd;
  if (typeof usd !== "number" || !Number.isFinite(usd) || usd <= 0) {
    throw invalid(`"maxUsd" is ${String(usd)}; give an amount in US dollars above 0.`);
  }
  // 15 digits, so that 0.29 becomes 290000000 and not one less.
  const nanoUsd = Math.floor(Number((usd * NANO_USD_PER_USD).toPrecision(15)));
  return { unit: "nanoUsd", maximum: Math.min(Number.MAX_SAFE_INTEGER, nanoUsd) };
}

function onExhaustedOf({ onExhausted }: RunBudget): DeclaredBudget["onExhausted"] {
  if (onExhausted === "compact" || onExhausted === "stop") return onExhausted;
  throw invalid(`"onExhausted" is ${JSON.stringify(onExhausted)}; give "compact" or "stop".`);
}

function spendCompaction(given: SpendCompactionOptions = {}): Required<SpendCompactionOptions> {
  const keys = Object.keys(DEFAULT_SPEND_COMPACTION);
  const options = { ...DEFAULT_SPEND_COMPACTION, ...requireObject("compaction", given, keys) };
  const { keepRecentTokens, summaryMaxTokens, minYieldTokens, pinnedUserTokens } = options;
  const tokens = { keepRecentTokens, summaryMaxTokens, minYieldTokens, pinnedUserTokens };
  for (const [name, value] of Object.entries(tokens)) requireTokens(`compaction.${name}`, value, 1);
  requireTokens("compaction.maxCompactions", options.maxCompactions, 0);
  requireTokens("compaction.headroomCalls", options.headroomCalls, 0);
  if (options.preserveFirstUserMessage !== true) {
    throw invalid(
      `"compaction.preserveFirstUserMessage" is ${String(options.preserveFirstUserMessage)}; the first user message always stays, so leave it out or give true.`,
    );
  }
  return options;
}

/** The own fields that have a value; a field of another name is a slip that would be passed over silently. */
function requireObject(name: string, value: unknown, keys: readonly string[]): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw invalid(`"${name}" is ${value === null ? "null" : typeof value}; give an object.`);
  }
  const entries = Object.entries(value).filter(([, field]) => field !== undefined);
  for (const [key] of entries) {
    if (!keys.includes(key)) {
      throw invalid(`"${name}" has a field "${key}", which means nothing; it may have ${keys.join(", ")}.`);
    }
  }
  return Object.fromEntries(entries);
}

function invalid(sentence: string): CompactionError {
  return new CompactionError("invalid_options", sentence);
}
