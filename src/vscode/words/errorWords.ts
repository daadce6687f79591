import { l10n } from "vscode";
import type { ModelErrorCode } from "../../core/model.ts";
import type { SessionErrorCode } from "../../sessions/session.ts";

const modelErrorWords: Readonly<Record<ModelErrorCode, () => string>> = {
  authentication: () => l10n.t("The provider did not accept the sign-in or key."),
  permission: () => l10n.t("The use of this model was not allowed."),
  rate: () => l10n.t("The provider asks to slow down; wait a little."),
  quota: () => l10n.t("The provider's quota is used up."),
  overflow: () => l10n.t("The request is longer than the model takes."),
  output_limit: () => l10n.t("The model cannot write a reply that long."),
  content_filter: () => l10n.t("The provider's content filter stopped the reply."),
  bad_request: () => l10n.t("The provider did not accept the request."),
  not_found: () => l10n.t("The model is not there any more."),
  blocked: () => l10n.t("The provider blocked the request."),
  network: () => l10n.t("The provider could not be reached."),
  timeout: () => l10n.t("The provider did not answer in time."),
  protocol: () => l10n.t("The provider's answer could not be read."),
  cancelled: () => l10n.t("The request was cancelled."),
  unknown: () => l10n.t("The provider reported an error."),
};

/** The code in words, with the provider's own sentence where it says more. */
export function modelErrorSentence(code: string, message = ""): string {
  const words = Object.hasOwn(modelErrorWords, code)
    ? modelErrorWords[code as ModelErrorCode]
    : modelErrorWords.unknown;
  const own = message.trim();
  return own === "" ? words() : l10n.t("{0} (“{1}”)", words(), own);
}

const sessionErrorWords: Readonly<Record<SessionErrorCode, () => string>> = {
  not_found: () => l10n.t("The session is not there any more."),
  read_only: () => l10n.t("Another window is writing this session; take it over to change it."),
  write_failed: () => l10n.t("The session could not be written; nothing was changed."),
  file_changed: () =>
    l10n.t(
      "Another program removed or changed the session's file; nothing was written. Put the file back, or reload the window to go on from what is there.",
    ),
  disk_full: () => l10n.t("The disk is full; nothing was changed. Make room and try again."),
  altered_bytes: () => l10n.t("The stored text is not what was stored; it is not shown."),
  taken_over: () => l10n.t("Another window took this session over; it is read-only here now."),
  newer_format: () => l10n.t("A newer version of Context Capsule wrote this session; update to change it."),
  closed: () => l10n.t("The session was closed meanwhile."),
};

/** What a session's error code means; undefined for a code that is none. */
export function sessionErrorSentence(code: string): string | undefined {
  return Object.hasOwn(sessionErrorWords, code) ? sessionErrorWords[code as SessionErrorCode]() : undefined;
}

/**
 * What a person is told of an error that a command met; undefined for a cancelled task, which says nothing.
 * Coded errors are told apart by `name` and `code`, so that no room's code is loaded for it.
 */
export function errorSentence(error: unknown): string | undefined {
  if (!(error instanceof Error)) return l10n.t("Something went wrong: {0}", String(error));
  if (error.name === "Canceled" || error.name === "CancellationError" || error.name === "AbortError")
    return undefined;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  const ofSession = error.name === "SessionError" ? sessionErrorSentence(code) : undefined;
  if (ofSession !== undefined) return ofSession;
  if (error.name === "ModelError") {
    return code === "cancelled" ? undefined : modelErrorSentence(code, error.message);
  }
  return l10n.t("Something went wrong: {0}", error.message);
}
