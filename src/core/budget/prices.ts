import { CompactionError } from "../errors.ts";
import type { TokenClasses } from "./tokenClasses.ts";

export const NANO_USD_PER_USD = 1_000_000_000;
/** US dollars for a million tokens are this many thousand-millionths of a dollar for one. */
const NANO_USD_PER_TOKEN = 1000;

/** US dollars for a million tokens. */
export interface TokenPrices {
  readonly inputUsdPerMillion: number;
  readonly outputUsdPerMillion: number;
  /** Default: the price of input. */
  readonly cacheReadUsdPerMillion?: number;
  /** Default: the price of input. */
  readonly cacheWriteUsdPerMillion?: number;
}

export interface ModelPrice extends TokenPrices {
  /** Other prices for the whole call where its input is above a number of tokens; ascending. */
  readonly tiers?: readonly (TokenPrices & { readonly aboveInputTokens: number })[];
}

/** Prices by the id of the model; who knows no price of a model gives none, never 0. */
export type PriceTable = Readonly<Record<string, ModelPrice>> | ((modelId: string) => ModelPrice | undefined);

/** The checked price of a model; undefined where the table has none. Throws `invalid_options` for one that cannot be. */
export function priceOf(table: PriceTable | undefined, modelId: string): ModelPrice | undefined {
  const price =
    typeof table === "function"
      ? table(modelId)
      : table !== undefined && Object.hasOwn(table, modelId)
        ? table[modelId]
        : undefined;
  if (price === undefined) return undefined;
  for (const rates of [price, ...(price.tiers ?? [])]) checkRates(rates, modelId);
  checkTiers(price, modelId);
  return price;
}

/** What a call cost, in nanoUSD, rounded up. */
export function costNanoUsd(usage: TokenClasses, price: ModelPrice): number {
  const rates = ratesAt(price, usage.inputTokens);
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage;
  const uncached = inputTokens - cacheReadTokens - cacheWriteTokens;
  return nanoUsd(
    uncached * rates.inputUsdPerMillion +
      cacheReadTokens * (rates.cacheReadUsdPerMillion ?? rates.inputUsdPerMillion) +
      cacheWriteTokens * (rates.cacheWriteUsdPerMillion ?? rates.inputUsdPerMillion) +
      outputTokens * rates.outputUsdPerMillion,
  );
}

/** The most that a call of so many tokens can cost, in nanoUSD: nothing read from a cache, the dearest rates. */
export function coldCostNanoUsd(
  tokens: { readonly inputTokens: number; readonly outputTokens: number },
  price: ModelPrice,
): number {
  const reachable = [
    price,
    ...(price.tiers ?? []).filter(({ aboveInputTokens }) => tokens.inputTokens > aboveInputTokens),
  ];
  const input = Math.max(...reachable.map(dearestInput));
  const output = Math.max(...reachable.map(({ outputUsdPerMillion }) => outputUsdPerMillion));
  return nanoUsd(tokens.inputTokens * input + tokens.outputTokens * output);
}

function ratesAt(price: ModelPrice, inputTokens: number): TokenPrices {
  return price.tiers?.findLast(({ aboveInputTokens }) => inputTokens > aboveInputTokens) ?? price;
}

function dearestInput(rates: TokenPrices): number {
  const { inputUsdPerMillion, cacheReadUsdPerMillion = 0, cacheWriteUsdPerMillion = 0 } = rates;
  return Math.max(inputUsdPerMillion, cacheReadUsdPerMillion, cacheWriteUsdPerMillion);
}

/** Up to a whole number; 12 digits hide what binary fractions add. */
function nanoUsd(tokensTimesUsdPerMillion: number): number {
  const exact = tokensTimesUsdPerMillion * NANO_USD_PER_TOKEN;
  const nearest = Math.round(exact);
  return Math.abs(exact - nearest) <= Math.abs(exact) * 1e-12 ? nearest : Math.ceil(exact);
}

function checkRates(rates: TokenPrices, modelId: string): void {
  const { inputUsdPerMillion, outputUsdPerMillion, cacheReadUsdPerMillion, cacheWriteUsdPerMillion } = rates;
  const given = { inputUsdPerMillion, outputUsdPerMillion, cacheReadUsdPerMillion, cacheWriteUsdPerMillion };
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined && name.startsWith("cache")) continue;
    if (typeof value === "number" && Number.isFinite(value) && value >= 0) continue;
    throw new CompactionError(
      "invalid_options",
      `The price "${name}" of the model "${modelId}" is ${String(value)}; give US dollars for a million tokens, 0 or more.`,
    );
  }
}

function checkTiers({ tiers = [] }: ModelPrice, modelId: string): void {
  const isAscending = tiers.every(
    ({ aboveInputTokens }, at) =>
      aboveInputTokens >= 0 && (at === 0 || aboveInputTokens > (tiers[at - 1]?.aboveInputTokens ?? 0)),
  );
  if (isAscending) return;
  throw new CompactionError(
    "invalid_options",
    `The price tiers of the model "${modelId}" are not in order; give them with "aboveInputTokens" ascending.`,
  );
}
