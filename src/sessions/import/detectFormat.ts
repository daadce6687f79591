import type { ImportFormat } from "./importedSession.ts";
import { isObject, nonEmptyString } from "./jsonValues.ts";

const CLAUDE_STATE_TYPES = new Set(
  "progress queue-operation permission-mode mode custom-title ai-title agent-name last-prompt attachment".split(
    " ",
  ),
);
const PI_ENTRY_TYPES = new Set(
  "model_change thinking_level_change compaction branch_summary custom_message session_info label custom".split(
    " ",
  ),
);
const MESSAGE_ROLES = new Set(["system", "developer", "user", "assistant", "tool", "function"]);

/** The format one record of a file (a line of JSONL, an element of an array) belongs to. */
export function detectFormat(value: unknown): ImportFormat | undefined {
  if (!isObject(value)) return undefined;
  const type = nonEmptyString(value["type"]);
  const message = value["message"];
  if (type === "user" || type === "assistant") {
    if (isObject(message) && "role" in message) return "claude-code";
  } else if (type === "message") {
    if (isObject(message) && typeof message["role"] === "string") return "pi";
  } else if (type === "session") {
    if (typeof value["id"] === "string" && ("cwd" in value || "version" in value)) return "pi";
  } else if (type !== undefined) {
    if (PI_ENTRY_TYPES.has(type) && "timestamp" in value && !("sessionId" in value)) return "pi";
    if (type === "summary" && "leafUuid" in value) return "claude-code";
    if (type === "file-history-snapshot" && "messageId" in value) return "claude-code";
    const named = "sessionId" in value || "session_id" in value;
    if (named && (type === "system" || CLAUDE_STATE_TYPES.has(type))) return "claude-code";
  }
  const role = value["role"];
  return typeof role === "string" && MESSAGE_ROLES.has(role) ? "openai" : undefined;
}

/** Name of a format that is known but cannot be read yet, for the refusal. */
export function knownForeignFormat(value: unknown): string | undefined {
  if (!isObject(value)) return undefined;
  const type = value["type"];
  if (type === "session_meta" || type === "response_item" || type === "event_msg") return "Codex";
  if (typeof type === "string" && /^(?:session|user|assistant|tool)\.[a-z_.]+$/.test(type))
    return "GitHub Copilot CLI";
  if (Array.isArray(value["requests"]) && "responderUsername" in value) return "GitHub Copilot Chat";
  if ("projectHash" in value || "$set" in value || type === "gemini") return "Gemini CLI";
  return undefined;
}

export interface FoundDocument {
  readonly format: ImportFormat;
  readonly elements: readonly unknown[];
}

/**
 * The list of messages or records inside one JSON document: the document itself, or its `history` (SWE-agent
 * trajectories) or `messages`. An empty list counts as one of messages.
 */
export function findRecords(document: unknown): FoundDocument | undefined {
  const lists = Array.isArray(document)
    ? [document]
    : isObject(document)
      ? [document["history"], document["messages"]]
      : [];
  let empty: FoundDocument | undefined;
  for (const list of lists) {
    if (!Array.isArray(list)) continue;
    if (list.length === 0) empty ??= { format: "openai", elements: list };
    for (const element of list) {
      const format = detectFormat(element);
      if (format !== undefined) return { format, elements: list };
    }
  }
  return empty;
}
