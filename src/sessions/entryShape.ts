import type { Message, Part, Usage } from "../core/messages.ts";
import type { AppendMark, LogEntry } from "./entries.ts";

type Fields = Record<string, unknown>;

/** What one parsed line is: an entry, the mark of an append, an entry of an unknown type, or nothing usable. */
export type LineMeaning =
  | { readonly kind: "entry"; readonly entry: LogEntry }
  | { readonly kind: "mark"; readonly mark: AppendMark }
  | { readonly kind: "unknown"; readonly type: string }
  | { readonly kind: "bad" };

const BAD: LineMeaning = { kind: "bad" };

/**
 * Checks by hand what readers of an entry rely on: a schema library costs several times the budget of opening a
 * long session. The value is taken over, not copied; a message's own `usage` that holds no numbers is left out.
 */
export function meaningOf(value: unknown): LineMeaning {
  if (!isObject(value)) return BAD;
  const { type } = value;
  if (typeof type !== "string") return BAD;
  if (type === "append") return isMark(value) ? { kind: "mark", mark: value as unknown as AppendMark } : BAD;
  if (type === "message") return messageMeaning(value);
  const fits = RARE_SHAPES.get(type);
  if (fits === undefined) return { kind: "unknown", type };
  if (!isText(value["id"]) || !isNumber(value["at"]) || !fits(value)) return BAD;
  return { kind: "entry", entry: value as unknown as LogEntry };
}

/** The entry as it will be read back from its line. Throws where that could not be. */
export function readableEntry(entry: LogEntry): LogEntry {
  const meaning = meaningOf(entry);
  if (meaning.kind === "entry") return meaning.entry;
  throw new TypeError(
    `An entry of type ${String(entry.type)} lacks what its readers need; id ${String(entry.id)}.`,
  );
}

function messageMeaning(value: Fields): LineMeaning {
  if (typeof value["id"] !== "string" || !isNumber(value["at"])) return BAD;
  const { message } = value;
  if (!isMessage(message) || message.id !== value["id"] || !areBlobs(value["blobs"])) return BAD;
  let entry = value as unknown as LogEntry;
  if (message.usage !== undefined && !isUsage(message.usage)) {
    const { usage: _unusable, ...rest } = message;
    entry = { ...(value as object), message: rest } as LogEntry;
  }
  return { kind: "entry", entry };
}

function isMessage(value: unknown): value is Message {
  if (!isObject(value) || typeof value["id"] !== "string" || value["id"] === "") return false;
  const { role, content, kind } = value;
  if (role !== "user" && role !== "assistant" && role !== "tool" && role !== "system") return false;
  if (kind !== undefined && kind !== "capsule" && kind !== "notice" && kind !== "attachment") return false;
  if (!Array.isArray(content)) return false;
  for (const part of content) if (!isPart(part)) return false;
  return true;
}

function isPart(value: unknown): value is Part {
  if (!isObject(value)) return false;
  switch (value["type"]) {
    case "text":
      return typeof value["text"] === "string";
    case "reasoning":
      return typeof value["text"] === "string" && isTextOrAbsent(value["signature"]);
    case "image":
      return typeof value["data"] === "string" && typeof value["mediaType"] === "string";
    case "tool-call":
      return typeof value["toolCallId"] === "string" && typeof value["toolName"] === "string";
    case "tool-result":
      return (
        typeof value["toolCallId"] === "string" &&
        typeof value["toolName"] === "string" &&
        typeof value["output"] === "string" &&
        (value["isError"] === undefined || typeof value["isError"] === "boolean")
      );
    default:
      return false;
  }
}

function isUsage(value: unknown): value is Usage {
  return (
    isObject(value) &&
    isNumber(value["inputTokens"]) &&
    isNumber(value["outputTokens"]) &&
    isNumberOrAbsent(value["cacheReadTokens"]) &&
    isNumberOrAbsent(value["cacheWriteTokens"]) &&
    isTextOrAbsent(value["model"])
  );
}

function isMark(value: Fields): boolean {
  const { lines, bytes, voids } = value;
  if (!isNumber(bytes)) return false;
  return (
    Number.isSafeInteger(lines) && (lines as number) >= 0 && (voids === undefined || isListOf(voids, isText))
  );
}

function areBlobs(value: unknown): boolean {
  return value === undefined || isListOf(value, isBlob);
}

function isBlob(value: unknown): boolean {
  return (
    isObject(value) &&
    Number.isSafeInteger(value["part"]) &&
    isNumber(value["bytes"]) &&
    typeof value["digest"] === "string" &&
    /^[0-9a-f]{64}$/.test(value["digest"])
  );
}

function isRun(record: unknown): record is Fields {
  return isObject(record) && isText(record["runId"]) && isReceipt(record["receipt"]);
}

function isReceipt(value: unknown): boolean {
  return (
    isObject(value) &&
    isText(value["state"]) &&
    isText(value["reason"]) &&
    isNumber(value["before"]) &&
    isNumber(value["after"]) &&
    isListOf(value["failures"], isText) &&
    isListOf(value["retired"], isObject)
  );
}

function isEvictedPart(value: unknown): boolean {
  return (
    isObject(value) &&
    isText(value["segmentId"]) &&
    isText(value["digest"]) &&
    isNumber(value["bytes"]) &&
    isText(value["citation"])
  );
}

function isSummary(value: unknown): boolean {
  return (
    isObject(value) &&
    isNumber(value["generation"]) &&
    isText(value["objective"]) &&
    isObject(value["state"]) &&
    isListOf(value["anchors"], isAnchor) &&
    ["constraintsRestated", "decisions", "artifacts", "facts", "next", "citations", "lookupHints"].every(
      (list) => Array.isArray(value[list]),
    )
  );
}

function isAnchor(value: unknown): boolean {
  return (
    isObject(value) &&
    isText(value["key"]) &&
    isText(value["kind"]) &&
    isText(value["text"]) &&
    isText(value["sourceSegmentId"]) &&
    isText(value["sourceDigest"]) &&
    isListOf(value["supersedes"], isText)
  );
}

function isPair(value: unknown): boolean {
  return isListOf(value, isText) && (value as unknown[]).length === 2;
}

/** By type: what an entry must have beside `id` and `at`. */
const RARE_SHAPES: ReadonlyMap<string, (entry: Fields) => boolean> = new Map<
  string,
  (entry: Fields) => boolean
>([
  ["header", ({ format, title }) => isNumber(format) && isText(title)],
  ["sidechain", ({ message, blobs }) => isMessage(message) && areBlobs(blobs)],
  ["foreign", ({ line, text, reason }) => isNumber(line) && isText(text) && isText(reason)],
  ["boundary", () => true],
  ["eviction", ({ record }) => isRun(record) && isListOf(record["evicted"], isEvictedPart)],
  [
    "compaction",
    ({ record }) =>
      isRun(record) &&
      isSummary(record["summary"]) &&
      isText(record["capsuleText"]) &&
      isTextOrAbsent(record["firstKeptMessageId"]) &&
      isNumber(record["firstKeptOrdinal"]) &&
      isListOf(record["heldIds"], isText) &&
      isListOf(record["left"], isPair),
  ],
  ["attempt", ({ record }) => isRun(record)],
  ["undo", ({ runId }) => isText(runId)],
  ["branch", ({ from }) => from === null || isText(from)],
  [
    "commitment",
    ({ record }) =>
      isObject(record) &&
      isText(record["id"]) &&
      isText(record["action"]) &&
      isTextOrAbsent(record["text"]) &&
      (record["summary"] === undefined || isSummary(record["summary"])),
  ],
  ["model", ({ modelId, name }) => isText(modelId) && isText(name)],
  [
    "usage",
    ({ reading }) =>
      isObject(reading) &&
      isText(reading["modelId"]) &&
      isText(reading["throughMessageId"]) &&
      isNumber(reading["tokens"]) &&
      isNumber(reading["ownTokens"]),
  ],
  ["title", ({ title }) => isText(title)],
  ["budget", () => true],
  ["automatic", ({ allowed }) => typeof allowed === "boolean"],
]);

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isTextOrAbsent(value: unknown): boolean {
  return value === undefined || typeof value === "string";
}

function isNumber(value: unknown): boolean {
  return typeof value === "number" && Number.isFinite(value);
}

function isNumberOrAbsent(value: unknown): boolean {
  return value === undefined || isNumber(value);
}

function isListOf(value: unknown, fits: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(fits);
}
