import { headOf } from "../../core/capsule/coverage.ts";
import type { Message, ToolCallPart, ToolResultPart } from "../../core/messages.ts";

/** One tool call with what came back. */
export interface TracedCall {
  readonly call: ToolCallPart;
  readonly result: ToolResultPart | undefined;
}

const CHANGING_TOOL = /write|edit|create|patch|replace|insert|delete|remove|move|rename|append/i;
const READING_TOOL = /read|list|search|grep|find|todo|task|memory/i;
const PATH_KEYS = [
  "path",
  "file_path",
  "filePath",
  "filename",
  "file",
  "target_file",
  "targetFile",
  "notebook_path",
  "new_path",
  "uri",
];
const PATCHED_FILE = /^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm;
const SHOWN_CHARACTERS = 160;
const LONGEST_PATH_CHARACTERS = 1024;

/** The calls of the messages in order; a result belongs to the nearest earlier unanswered call of its id. */
export function traceCalls(messages: readonly Message[]): TracedCall[] {
  const traced: { call: ToolCallPart; result: ToolResultPart | undefined }[] = [];
  const open = new Map<string, { call: ToolCallPart; result: ToolResultPart | undefined }[]>();
  for (const message of messages) {
    for (const part of message.content) {
      if (part.type === "tool-call") {
        const entry = { call: part, result: undefined };
        traced.push(entry);
        open.set(part.toolCallId, [...(open.get(part.toolCallId) ?? []), entry]);
      } else if (part.type === "tool-result") {
        const entry = open.get(part.toolCallId)?.pop();
        if (entry !== undefined) entry.result = part;
      }
    }
  }
  return traced;
}

/** Files that tools changed without an error, in the order of their last change. */
export function changedFiles(traced: readonly TracedCall[]): { path: string; change: string }[] {
  const counts = new Map<string, Map<string, number>>();
  for (const { call, result } of traced) {
    if (!CHANGING_TOOL.test(call.toolName) || READING_TOOL.test(call.toolName)) continue;
    if (result === undefined || result.isError === true) continue;
    for (const path of pathsIn(call.input)) {
      const byTool = counts.get(path) ?? new Map<string, number>();
      byTool.set(call.toolName, (byTool.get(call.toolName) ?? 0) + 1);
      counts.delete(path);
      counts.set(path, byTool);
    }
  }
  return [...counts].map(([path, byTool]) => ({
    path,
    change: headOf(
      [...byTool].map(([tool, count]) => (count === 1 ? tool : `${tool} × ${count}`)).join(", "),
      SHOWN_CHARACTERS,
    ),
  }));
}

/** Paths that a call names, in its own keys or in a patch. */
export function pathsIn(input: unknown): string[] {
  if (typeof input === "string")
    return [...input.matchAll(PATCHED_FILE)].map((match) => (match[1] ?? "").trim());
  if (typeof input !== "object" || input === null) return [];
  const fields = input as Record<string, unknown>;
  const named = PATH_KEYS.flatMap((key) => {
    const value = fields[key];
    return typeof value === "string" && value.trim() !== "" ? [value] : [];
  });
  const patched = ["input", "patch", "diff"].flatMap((key) => {
    const value = fields[key];
    return typeof value === "string" ? pathsIn(value) : [];
  });
  return [...new Set([...named, ...patched])].filter((path) => path.length <= LONGEST_PATH_CHARACTERS);
}

const NUMBERS = /\b\d+ (?:tests? )?(?:passed|passing|failed|failing|errors?|warnings?|skipped)\b/i;
const EXIT_CODE = /\bexit(?:ed with)? (?:code|status):? \d+/i;

const ERROR = /\b(?:error|failed|failure|cannot|denied|exception|not found|no such|invalid|unexpected)\b/i;
const ERROR_CODE = /\bE[A-Z]{4,}\b/;
/** How searches say that nothing matched. */
const FOUND_NOTHING = /^(?:command |process )?exited with code 1\.?$/i;

/** What the results said of success and failure: short, quoted, with the tool that said it. */
export function resultFacts(traced: readonly TracedCall[]): string[] {
  const facts: string[] = [];
  for (const { call, result } of traced) {
    if (result === undefined) continue;
    const lines = result.output.split(/\r\n|[\n\r]/).map((line) => line.trim());
    const told = lines.findLast(
      (line) => line.length <= SHOWN_CHARACTERS && (NUMBERS.test(line) || EXIT_CODE.test(line)),
    );
    const telling =
      result.isError === true
        ? (lines.find((line) => ERROR.test(line) || ERROR_CODE.test(line)) ??
          told ??
          lines.findLast((line) => line !== ""))
        : told;
    if (telling === undefined || FOUND_NOTHING.test(telling)) continue;
    const verb = result.isError === true ? "failed with" : "said";
    facts.push(
      `Tool ${headOf(call.toolName, SHOWN_CHARACTERS)}${about(call)} ${verb}: "${headOf(telling, SHOWN_CHARACTERS)}"`,
    );
  }
  return [...new Set(facts)];
}

function about(call: ToolCallPart): string {
  const [path] = pathsIn(call.input);
  if (path !== undefined) return ` on ${headOf(path, SHOWN_CHARACTERS)}`;
  const command = (call.input as { command?: unknown } | null | undefined)?.command;
  if (typeof command !== "string") return "";
  const firstLine = command.split("\n", 1)[0] ?? "";
  return ` (${headOf(firstLine, SHOWN_CHARACTERS / 2)})`;
}
