import type { ModelErrorCode } from "../../core/model.ts";
import { ModelError } from "../../core/model.ts";

/**
 * How `vscode.lm` says what went wrong. Of the codes of `LanguageModelError` three survive the way from another
 * extension; what a provider throws itself arrives as a plain error with its name, its words and a cause.
 */
const BY_CODE: Readonly<Record<string, ModelErrorCode>> = {
  NoPermissions: "permission",
  Blocked: "blocked",
  NotFound: "not_found",
};

/** A thrown CancellationError arrives under the name `Canceled`; the `Chat…` names are those of Copilot's models. */
const BY_NAME: Readonly<Record<string, ModelErrorCode>> = {
  Canceled: "cancelled",
  CancellationError: "cancelled",
  AbortError: "cancelled",
  ChatRateLimited: "rate",
  ChatQuotaExceeded: "quota",
};

/** The provider's own words, last of all; the first match counts. */
const BY_TEXT: readonly (readonly [RegExp, ModelErrorCode])[] = [
  [/\b401\b|unauthori[sz]ed|(invalid|incorrect|not valid).{0,20}\bkey\b|authenticat/i, "authentication"],
  [/quota|insufficient.{0,10}(credit|balance|funds)|billing|\b402\b/i, "quota"],
  [/\b429\b|rate.?limit|too many requests|overloaded|\b529\b/i, "rate"],
  [
    /exceeds? .{0,20}(token )?limit|context.{0,5}(length|window)|(prompt|input|request|message).{0,20}too (long|large)|too many tokens|maximum.{0,30}tokens/i,
    "overflow",
  ],
  [/content.?filter|responsible ai|filtered/i, "content_filter"],
  [/\b403\b|forbidden|permission/i, "permission"],
  [/\b404\b|not found|no such model|does not exist/i, "not_found"],
  [/\b400\b|bad request|invalid request/i, "bad_request"],
  [/timed? ?out|ETIMEDOUT/i, "timeout"],
  [/\bECONN|ENOTFOUND|EAI_AGAIN|EPIPE|network|fetch failed|socket|net::|\b50[0234]\b/i, "network"],
];

const RETRY_AFTER = /(?:try again|retry)(?: after| in)? (\d+(?:\.\d+)?) ?s/i;
const SECOND_MS = 1000;

/** Whatever a provider threw, with our code, its own words, and itself as the cause. */
export function toModelError(thrown: unknown): ModelError {
  if (thrown instanceof ModelError) return thrown;
  const message = wordsOf(thrown);
  const seconds = RETRY_AFTER.exec(message)?.[1];
  return new ModelError(codeOf(thrown, message), message, {
    cause: thrown,
    ...(seconds === undefined ? {} : { retryAfterMs: Number(seconds) * SECOND_MS }),
  });
}

function codeOf(thrown: unknown, message: string): ModelErrorCode {
  const chain = [thrown, causeOf(thrown)];
  for (const [table, field] of [
    [BY_CODE, "code"],
    [BY_NAME, "name"],
    [BY_NAME, "code"],
  ] as const) {
    for (const error of chain) {
      const key = fieldOf(error, field);
      if (Object.hasOwn(table, key)) return table[key] ?? "unknown";
    }
  }
  const text = chain.map((error) => `${fieldOf(error, "code")} ${wordsOf(error)}`).join(" ");
  return BY_TEXT.find(([pattern]) => pattern.test(`${message} ${text}`))?.[1] ?? "unknown";
}

function causeOf(thrown: unknown): unknown {
  return thrown instanceof Error ? thrown.cause : undefined;
}

function fieldOf(error: unknown, field: "code" | "name"): string {
  if (typeof error !== "object" || error === null || !(field in error)) return "";
  return String((error as Record<string, unknown>)[field]);
}

/** A broken image rejects with an Event, which says nothing of itself: an empty text then. */
function wordsOf(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message;
  return typeof thrown === "string" ? thrown : "";
}
