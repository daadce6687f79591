import { readContent } from "./contentParts.ts";
import type { JsonObject } from "./jsonValues.ts";
import { compactJson, isObject, nonEmptyString } from "./jsonValues.ts";
import type { UserRun } from "./userRuns.ts";
import { asNotice, splitUserParts } from "./userRuns.ts";

/** Attachments that are files a person named; the others with text are reminders of the agent. */
const FILE_TYPES = new Set(["file", "directory", "pdf_reference", "mcp_resource", "compact_file_reference"]);
const REMINDER_TYPES = new Set([
  "nested_memory",
  "edited_text_file",
  "edited_image_file",
  "invoked_skills",
  "selected_lines_in_ide",
  "opened_file_in_ide",
  "diagnostics",
  "critical_system_reminder",
  "task_status",
  "read_truncation_notice",
]);

/**
 * What an attachment line put into the conversation: a prompt typed while the agent worked, a file, a reminder, the
 * output of a hook. Nothing for the many that only keep state (listings, deltas, modes).
 */
export function attachmentRuns(attachment: JsonObject, typed: boolean): UserRun[] {
  const type = nonEmptyString(attachment["type"]) ?? "";
  if (type === "queued_command") return queuedRuns(attachment, typed);
  if (FILE_TYPES.has(type)) return asNotice([{ type: "text", text: namedText(attachment) }], "attachment");
  if (REMINDER_TYPES.has(type))
    return asNotice([{ type: "text", text: `[${type}] ${namedText(attachment)}` }]);
  if (type.startsWith("hook_")) return hookRuns(attachment, type);
  return [];
}

function queuedRuns(attachment: JsonObject, typed: boolean): UserRun[] {
  const { parts } = readContent(attachment["prompt"]);
  const byPerson = typed && attachment["commandMode"] === "prompt" && attachment["isMeta"] !== true;
  return byPerson ? splitUserParts(parts) : asNotice(parts);
}

/** Its name and its text; content that is no text is written as JSON. */
function namedText(attachment: JsonObject): string {
  const name = nonEmptyString(
    attachment["displayPath"] ?? attachment["filename"] ?? attachment["path"] ?? attachment["taskId"],
  );
  const text = innerText(
    attachment["content"] ?? attachment["snippet"] ?? attachment["skills"] ?? attachment["banner"],
  );
  return [name, text].filter((line) => line !== undefined && line !== "").join("\n");
}

function innerText(content: unknown): string | undefined {
  if (typeof content === "string") return content;
  if (!isObject(content)) return content === undefined ? undefined : compactJson(content);
  const file = content["file"];
  if (isObject(file) && typeof file["content"] === "string") return file["content"];
  return typeof content["content"] === "string" ? content["content"] : compactJson(content);
}

/** A hook that said nothing is no message. */
function hookRuns(attachment: JsonObject, type: string): UserRun[] {
  const blocking = attachment["blockingError"];
  const texts = [
    nonEmptyString(attachment["content"]),
    ...(Array.isArray(attachment["content"]) ? [readContent(attachment["content"])].flatMap(textsOf) : []),
    isObject(blocking) ? nonEmptyString(blocking["blockingError"]) : nonEmptyString(blocking),
    type === "hook_success" ? undefined : nonEmptyString(attachment["stderr"]),
  ].filter((text) => text !== undefined);
  if (texts.length === 0) return [];
  const name = nonEmptyString(attachment["hookName"] ?? attachment["hookEvent"]) ?? "hook";
  return asNotice([{ type: "text", text: `[${type} ${name}] ${texts.join("\n")}` }]);
}

function textsOf(read: ReturnType<typeof readContent>): string[] {
  return read.parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
}
