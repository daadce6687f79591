import { env, l10n } from "vscode";
import type { Basis } from "../../core/messages.ts";

const THOUSAND = 1000;
const MILLION = 1_000_000;

/** `812`, `8.1k`, `81k`, `1.2M`: for places with little room. */
export function shortTokens(tokens: number): string {
  if (tokens < THOUSAND) return String(Math.round(tokens));
  // 999,500 rounds up to the next unit.
  if (tokens < MILLION - THOUSAND / 2) return `${scaled(tokens / THOUSAND)}k`;
  return `${scaled(tokens / MILLION)}M`;
}

function scaled(value: number): string {
  const oneDigit = Math.round(value * 10) / 10;
  return oneDigit < 10 ? String(oneDigit) : String(Math.round(value));
}

/** All digits, grouped as the display language does. */
export function fullNumber(value: number): string {
  return new Intl.NumberFormat(env.language).format(Math.round(value));
}

export function tokensInWords(tokens: number): string {
  return Math.round(tokens) === 1 ? l10n.t("1 token") : l10n.t("{0} tokens", fullNumber(tokens));
}

/** Rounded down, so that only a full context says 100; never above it. */
export function wholePercent(fraction: number): number {
  return Math.max(0, Math.min(100, Math.floor(fraction * 100)));
}

const KILOBYTE = 1000;

export function byteSize(bytes: number): string {
  const number = new Intl.NumberFormat(env.language, { maximumFractionDigits: 1 });
  if (bytes < KILOBYTE) return l10n.t("{0} B", number.format(bytes));
  if (bytes < KILOBYTE ** 2) return l10n.t("{0} kB", number.format(bytes / KILOBYTE));
  return l10n.t("{0} MB", number.format(bytes / KILOBYTE ** 2));
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** How long ago, coarse; a moment in the future (a clock that went back), or none at all, is "now". */
export function age(at: number, now: number): string {
  const elapsed = now - at;
  if (!(elapsed >= MINUTE_MS)) return l10n.t("now");
  const format = new Intl.RelativeTimeFormat(env.language, { numeric: "always", style: "short" });
  if (elapsed < HOUR_MS) return format.format(-Math.floor(elapsed / MINUTE_MS), "minute");
  if (elapsed < DAY_MS) return format.format(-Math.floor(elapsed / HOUR_MS), "hour");
  return format.format(-Math.floor(elapsed / DAY_MS), "day");
}

export function durationWords(ms: number): string {
  const seconds = ms / THOUSAND;
  const number = new Intl.NumberFormat(env.language, { maximumFractionDigits: seconds < 10 ? 1 : 0 });
  return l10n.t("{0} s", number.format(seconds));
}

/** Where a number comes from, in one word or two. */
export function basisWord(basis: Basis): string {
  return basisWords[basis]();
}

const basisWords: Readonly<Record<Basis, () => string>> = {
  reported: () => l10n.t("reported"),
  counted: () => l10n.t("counted"),
  tokenized: () => l10n.t("tokenized"),
  projected: () => l10n.t("projected"),
  estimated: () => l10n.t("estimated"),
  imported: () => l10n.t("imported"),
  unavailable: () => l10n.t("unknown"),
};

/** The same in a sentence. */
export function basisSentence(basis: Basis): string {
  return basisSentences[basis]();
}

const basisSentences: Readonly<Record<Basis, () => string>> = {
  reported: () => l10n.t("Reported by the provider."),
  counted: () => l10n.t("Counted by the provider's own tokenizer."),
  tokenized: () => l10n.t("Counted by our tokenizer."),
  projected: () => l10n.t("The provider's number plus our count of what changed since."),
  estimated: () => l10n.t("Our estimate: four bytes a token. No provider has given a number."),
  imported: () => l10n.t("From the imported file; no provider has confirmed it here."),
  unavailable: () => l10n.t("No number is available."),
};
