import type { ImagePart, MessageKind, Part } from "../../core/messages.ts";
import type { ReadContent } from "./contentParts.ts";
import { parseArguments, readContent, readOutput, readUserContent, toolResult } from "./contentParts.ts";
import { foreignPart } from "./importNotes.ts";
import { openaiUsage } from "./importUsage.ts";
import type { JsonObject } from "./jsonValues.ts";
import { arrayOf, isObject, nonEmptyString, timeOf } from "./jsonValues.ts";
import type { LineText } from "./lineText.ts";
import type { FormatReader, LineKind, SessionDraft } from "./sessionDraft.ts";
import type { UserRun } from "./userRuns.ts";
import { asNotice, splitUserParts } from "./userRuns.ts";

/** Messages as the chat completions API takes them, one after the other; Anthropic-style blocks are read too. */
export class OpenaiReader implements FormatReader {
  readonly draft: SessionDraft;
  /** System messages count as such only before the first other one; later ones are notices. */
  #talkBegan = false;
  #replyCame = false;

  constructor(draft: SessionDraft) {
    this.draft = draft;
  }

  /** What stands beside the list of messages in a document. */
  readDocument(document: JsonObject): void {
    const { draft } = this;
    draft.sourceSessionId = nonEmptyString(document["id"] ?? document["sessionId"] ?? document["session_id"]);
    draft.title = nonEmptyString(document["title"] ?? document["name"]);
    draft.model = nonEmptyString(document["model"]);
    const at = timeOf(
      document["created"] ?? document["created_at"] ?? document["createdAt"] ?? document["timestamp"],
    );
    if (at !== undefined) draft.sawTime(at);
    const system = nonEmptyString(document["system_prompt"] ?? document["system"]);
    if (system === undefined) return;
    draft.addMessage({ line: 0, id: "system", role: "system", content: [{ type: "text", text: system }] });
  }

  accept(value: unknown, line: LineText): LineKind {
    if (!isObject(value)) return this.#unknown(line, "It is JSON, but no message.");
    const role = value["role"];
    const began = this.#talkBegan;
    this.#talkBegan ||= role !== "system" && role !== "developer";
    switch (role) {
      case "system":
      case "developer":
        return began ? this.#user(value, line, "notice") : this.#system(value, line);
      case "user":
        return this.#user(value, line, this.#isEnvironment(value) ? "notice" : undefined);
      case "assistant":
        return this.#assistant(value, line);
      case "tool":
      case "function":
        return this.#tool(value, line);
      default:
        return this.#unknown(
          line,
          typeof role === "string" ? `Role "${role}" is not known.` : "The message has no role.",
        );
    }
  }

  async finish(): Promise<void> {}

  /** SWE-agent's demonstrations and observations are user-role too; but its first observation is the task itself. */
  #isEnvironment(value: JsonObject): boolean {
    const type = value["message_type"];
    if (value["is_demo"] === true || type === "demonstration") return true;
    return type === "observation" && this.#replyCame;
  }

  #system(value: JsonObject, line: LineText): LineKind {
    const content = this.#read(readContent(value["content"]), line).parts;
    if (content.length === 0) return this.#empty(line);
    this.draft.addMessage({ ...place(value, line), role: "system", content });
    return "message";
  }

  #user(value: JsonObject, line: LineText, kind: MessageKind | undefined): LineKind {
    const files: UserRun[] = [];
    const blocks = Array.isArray(value["content"])
      ? value["content"].filter((block) => {
          const text = fileText(block);
          if (text !== undefined) files.push(...asNotice([{ type: "text", text }], "attachment"));
          return text === undefined;
        })
      : value["content"];
    const { results, rest } = readUserContent(blocks);
    this.#read(results, line);
    this.#read(rest, line);
    const runs = [
      ...files,
      ...(kind === undefined ? splitUserParts(rest.parts) : asNotice(rest.parts, kind)),
    ];
    return this.#addAll(value, line, { results: results.parts, runs });
  }

  #addAll(
    value: JsonObject,
    line: LineText,
    { results, runs }: { readonly results: Part[]; readonly runs: readonly UserRun[] },
  ): LineKind {
    if (results.length === 0 && runs.length === 0) return this.#empty(line);
    const pieces: { role: "tool" | "user"; run: Omit<UserRun, "localOutput"> }[] = runs.map((run) => ({
      role: "user",
      run,
    }));
    if (results.length > 0) pieces.unshift({ role: "tool", run: { parts: results, interruption: false } });
    const main = Math.max(
      0,
      pieces.findIndex(({ role, run }) => role === "user" && run.kind === undefined),
    );
    const base = place(value, line);
    const name = base.id ?? `message-${line.number}`;
    pieces.forEach(({ role, run }, index) => {
      if (run.interruption) this.draft.abortedTurns += 1;
      const id = index === main ? base.id : `${name}:${index}`;
      this.draft.addMessage({ ...base, id, role, content: run.parts, kind: run.kind, command: run.command });
    });
    return "message";
  }

  #assistant(value: JsonObject, line: LineText): LineKind {
    this.#replyCame ||= value["is_demo"] !== true;
    const read = this.#read(readContent(value["content"]), line);
    const content: Part[] = [...reasoning(value), ...read.parts, ...refusal(value), ...calls(value)];
    const info = value["modelInfo"];
    const model = nonEmptyString(value["model"] ?? (isObject(info) ? info["id"] : undefined));
    if (model !== undefined) this.draft.model = model;
    this.draft.addMessage({
      ...place(value, line),
      role: "assistant",
      content,
      usage: openaiUsage(value, model),
      stopReason: nonEmptyString(value["finish_reason"]),
    });
    return "message";
  }

  #tool(value: JsonObject, line: LineText): LineKind {
    const lists = arrayOf(value["tool_call_ids"]).filter((id) => typeof id === "string");
    const ids = lists.length > 0 ? lists : [nonEmptyString(value["tool_call_id"]) ?? ""];
    const read = readOutput(value["content"]);
    this.#read(read, line);
    const content: (Part | ImagePart)[] = ids.map((toolCallId) =>
      toolResult({
        toolCallId,
        toolName: nonEmptyString(value["name"]) ?? "",
        output: read.output,
        isError: value["is_error"] === true,
      }),
    );
    this.draft.addMessage({ ...place(value, line), role: "tool", content: [...content, ...read.images] });
    return "message";
  }

  #read(read: ReadContent, line: LineText): ReadContent {
    for (const type of read.foreignTypes) this.draft.meet(foreignPart(type));
    if (read.leftOut) this.draft.addMetadata(line, "original of a long part");
    return read;
  }

  #empty(line: LineText): LineKind {
    this.draft.addMetadata(line, "empty message");
    return "metadata";
  }

  #unknown(line: LineText, reason: string): LineKind {
    this.draft.addUnknown(line, reason);
    return "unknown";
  }
}

function place(
  value: JsonObject,
  line: LineText,
): { line: number; at: number | undefined; id: string | undefined } {
  const at = timeOf(value["timestamp"] ?? value["ts"] ?? value["created_at"] ?? value["createdAt"]);
  return { line: line.number, at, id: nonEmptyString(value["id"]) };
}

/** A file that an agent put beside a prompt, with its text. */
function fileText(block: unknown): string | undefined {
  if (!isObject(block) || block["type"] !== "file" || typeof block["content"] !== "string") return undefined;
  return [nonEmptyString(block["path"] ?? block["filename"]), block["content"]].filter(Boolean).join("\n");
}

function reasoning(value: JsonObject): Part[] {
  const text = nonEmptyString(value["reasoning_content"]) ?? nonEmptyString(value["reasoning"]);
  const blocks = readContent(arrayOf(value["thinking_blocks"])).parts;
  if (blocks.length > 0 || text === undefined) return blocks;
  return [{ type: "reasoning", text }];
}

function refusal(value: JsonObject): Part[] {
  const text = nonEmptyString(value["refusal"]);
  return text === undefined ? [] : [{ type: "text", text }];
}

/** `tool_calls`, and the one `function_call` of the older API, whose result names its function and has no id. */
function calls(value: JsonObject): Part[] {
  const legacy = value["function_call"];
  const listed = arrayOf(value["tool_calls"]).filter(isObject);
  return [...listed, ...(isObject(legacy) ? [{ function: legacy }] : [])].map((call: JsonObject): Part => {
    const named = isObject(call["function"])
      ? call["function"]
      : isObject(call["custom"])
        ? call["custom"]
        : call;
    return {
      type: "tool-call",
      toolCallId: nonEmptyString(call["id"]) ?? "",
      toolName: nonEmptyString(named["name"]) ?? "",
      input: parseArguments(named["arguments"] ?? named["input"]),
    };
  });
}
