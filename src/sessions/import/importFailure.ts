import type { ImportFailureCode, ImportResult } from "./importedSession.ts";

export type ImportFailure = ImportResult & { readonly ok: false };

export function importFailure(code: ImportFailureCode, reason: string): ImportFailure {
  return { ok: false, code, reason };
}

/** What can be read, for the refusals of everything else. */
export const READABLE_FORMATS =
  "an OpenAI-style messages JSON file, a Claude Code session (.jsonl) or a pi session (.jsonl)";
