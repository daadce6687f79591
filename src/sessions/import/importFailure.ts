import type { ImportFailureCode, ImportResult } from "./importedSession.ts";

export type ImportFailure = ImportResult & { readonly ok: false };

export function importFailure(code: ImportFailureCode, reason: string): ImportFailure {
  return { ok: false, code, reason };
}

/** What can be read, for the refusals of everything else. */
const READABLE_FORMATS =
  "an OpenAI-style messages JSON file, a Claude Code session (.jsonl) or a pi session (.jsonl)";

export function noMessages(fileName: string): ImportFailure {
  return importFailure("empty", `${fileName} holds no messages. Choose ${READABLE_FORMATS}.`);
}

export function notJson(fileName: string): ImportFailure {
  return importFailure("not_json", `${fileName} is neither JSON nor JSON lines. Choose ${READABLE_FORMATS}.`);
}

/** `foreign` names the agent whose session it is, where that is known. */
export function noSession(fileName: string, foreign: string | undefined): ImportFailure {
  const what =
    foreign === undefined
      ? "is JSON, but no session that can be read"
      : `is a session of ${foreign}, which cannot be read yet`;
  return importFailure("unknown_format", `${fileName} ${what}. Choose ${READABLE_FORMATS}.`);
}

export function severalConversations(fileName: string): ImportFailure {
  return importFailure(
    "unknown_format",
    `${fileName} holds several conversations, one a line. Put the one you want into a file of its own and import that.`,
  );
}

export function tooLarge(fileName: string, limitBytes: number): ImportFailure {
  const limit = Math.floor(limitBytes / (1024 * 1024));
  return importFailure(
    "too_large",
    `${fileName} holds one JSON document or line of more than ${limit} MB. Export the session as JSON lines, or split it, and import that.`,
  );
}
