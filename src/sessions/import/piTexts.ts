import type { JsonObject } from "./jsonValues.ts";
import { nonEmptyString } from "./jsonValues.ts";
import type { UserRun } from "./userRuns.ts";

/** A text that is a slash command and nothing else ("/theme"). */
const LONE_COMMAND = /^\/[\w:.-]*$/;

export function loneCommand({ kind, parts }: UserRun): string | undefined {
  const [part] = parts;
  if (kind !== undefined || parts.length !== 1 || part?.type !== "text") return undefined;
  return LONE_COMMAND.test(part.text) ? part.text : undefined;
}

/** A shell command that a person ran beside the conversation, with what it printed. */
export function bashText(message: JsonObject): string {
  const lines = [`$ ${nonEmptyString(message["command"]) ?? ""}`];
  const output = nonEmptyString(message["output"]);
  if (output !== undefined) lines.push(output);
  if (message["cancelled"] === true) lines.push("[cancelled]");
  const exitCode = message["exitCode"];
  if (typeof exitCode === "number" && exitCode !== 0) lines.push(`[exit code ${exitCode}]`);
  const full = nonEmptyString(message["fullOutputPath"]);
  if (message["truncated"] === true && full !== undefined) lines.push(`[cut; all of it was in ${full}]`);
  return lines.join("\n");
}
