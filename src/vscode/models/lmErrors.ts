import * as vscode from "vscode";
import type { ModelErrorCode } from "../../core/model.ts";
import { ModelError } from "../../core/model.ts";

/**
 * How `vscode.lm` says what went wrong. Only three codes survive the way through it; the rest is told by the name
 * of the error or of its cause, and last by its words.
 */
const BY_CODE: Readonly<Record<string, ModelErrorCode>> = {
  [vscode.LanguageModelError.NoPermissions.name]: "permission",
  [vscode.LanguageModelError.Blocked.name]: "blocked",
  [vscode.LanguageModelError.NotFound.name]: "not_found",
  NoPermissions: "permission",
  Blocked: "blocked",
  NotFound: "not_found",
};

const BY_NAME: Readonly<Record<string, ModelErrorCode>> = {
  Canceled: "cancelled",
  CancellationError: "cancelled",
  ChatRateLimited: "rate",
  ChatQuotaExceeded: "quota",
};

/** First match counts. */
const BY_TEXT: readonly (readonly [RegExp, ModelErrorCode])[] = [
  [/\b401\b|unauthori[sz]ed|invalid api key|authentication/i, "authentication"],
  [/\b403\b|forbidden|permission/i, "permission"],
  [/quota|insufficient credit|billing|\b402\b/i, "quota"],
  [/\b429\b|rate.?limit|too many requests/i, "rate"],
  [/exceeds token limit|context.?(length|window)|too (long|large|many tokens)|maximum.*tokens/i, "overflow"],
  [/content.?filter|responsible ai|filtered/i, "content_filter"],
  [/\b404\b|not found|no such model/i, "not_found"],
  [/\b400\b|bad request|invalid request/i, "bad_request"],
  [/timed? ?out|ETIMEDOUT/i, "timeout"],
  [/ECONN|ENOTFOUND|EAI_AGAIN|network|fetch failed|socket|\b50[0234]\b/i, "network"],
];

/** Whatever a provider threw, with our code, its own words and itself as the cause. */
export function toModelError(thrown: unknown): ModelError {
  if (thrown instanceof ModelError) return thrown;
  const message = wordsOf(thrown);
  return new ModelError(codeOf(thrown, message), message, { cause: thrown });
}

function codeOf(thrown: unknown, message: string): ModelErrorCode {
  for (const error of [thrown, causeOf(thrown)]) {
    const code =
      BY_CODE[fieldOf(error, "code")] ?? BY_NAME[fieldOf(error, "code")] ?? BY_NAME[fieldOf(error, "name")];
    if (code !== undefined) return code;
  }
  const text = `${message} ${wordsOf(causeOf(thrown))}`;
  return BY_TEXT.find(([pattern]) => pattern.test(text))?.[1] ?? "unknown";
}

function causeOf(thrown: unknown): unknown {
  return thrown instanceof Error ? thrown.cause : undefined;
}

function fieldOf(error: unknown, field: "code" | "name"): string {
  if (typeof error !== "object" || error === null || !(field in error)) return "";
  return String((error as Record<string, unknown>)[field]);
}

/** A broken image rejects with an Event, which says nothing of itself. */
function wordsOf(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message;
  if (typeof thrown === "string") return thrown;
  return thrown === undefined ? "" : "The language model provider failed without a reason.";
}
