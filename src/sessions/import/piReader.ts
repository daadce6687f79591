import type { MessageKind, Part, Role } from "../../core/messages.ts";
import type { ReadContent } from "./contentParts.ts";
import { readContent, readOutput, toolResult } from "./contentParts.ts";
import { foreignPart } from "./importNotes.ts";
import { piUsage } from "./importUsage.ts";
import type { JsonObject } from "./jsonValues.ts";
import { arrayOf, isObject, nonEmptyString, timeOf } from "./jsonValues.ts";
import type { LineText } from "./lineText.ts";
import { bashText, loneCommand } from "./piTexts.ts";
import type { PiEntry } from "./piTree.ts";
import { arrangePiEntries } from "./piTree.ts";
import type { DraftBoundary, DraftMessage, FormatReader, LineKind, SessionDraft } from "./sessionDraft.ts";
import type { TimeSlices } from "./timeSlices.ts";
import type { UserRun } from "./userRuns.ts";
import { asNotice, splitUserParts } from "./userRuns.ts";

const METADATA_TYPES = new Set(
  "model_change thinking_level_change label custom context_transform ephemeral leaf".split(" "),
);

interface NewPiMessage {
  readonly role: Role;
  readonly content: Part[];
  readonly kind?: MessageKind | undefined;
  readonly command?: string | undefined;
}

/**
 * pi's session JSONL: version 1 (a list without ids) and the versions after it (a tree of entries with `id` and
 * `parentId`; the last entry is the leaf that counts).
 */
export class PiReader implements FormatReader {
  readonly draft: SessionDraft;
  readonly #slices: TimeSlices;
  readonly #entries: PiEntry[] = [];
  /** Position among all records with a type, which version 1 counts in `firstKeptEntryIndex`. */
  #position = -1;

  constructor(draft: SessionDraft, slices: TimeSlices) {
    this.draft = draft;
    this.#slices = slices;
  }

  accept(value: unknown, line: LineText): LineKind {
    if (!isObject(value)) return this.#unknown(line, "The line is JSON, but no record.");
    const type = nonEmptyString(value["type"]);
    if (type !== undefined) this.#position += 1;
    if (type === "session") {
      this.#readHeader(value);
      this.draft.addMetadata(line, type);
      return "metadata";
    }
    const entry: PiEntry = {
      id: nonEmptyString(value["id"]),
      parentId: value["parentId"] === null ? null : nonEmptyString(value["parentId"]),
      position: this.#position,
      records: [],
    };
    this.#entries.push(entry);
    return this.#readEntry({ value, type, line, entry });
  }

  async finish(): Promise<void> {
    await arrangePiEntries(this.draft, this.#entries, this.#slices);
  }

  #readEntry({ value, type, line, entry }: Source): LineKind {
    const message = value["message"];
    switch (type) {
      case "message":
        if (isObject(message)) return this.#message(value, message, line, entry);
        return this.#unknown(line, "The record has no message.");
      case "compaction":
        return this.#compaction(value, line, entry);
      case "branch_summary":
        return this.#runs({ value, line, entry }, asNotice(readContent(value["summary"]).parts));
      case "custom_message":
        return this.#runs({ value, line, entry }, asNotice(readContent(value["content"]).parts));
      case "session_info":
        this.draft.title = nonEmptyString(value["name"]) ?? this.draft.title;
        break;
      case "model_change":
        this.draft.model = nonEmptyString(value["modelId"]) ?? this.draft.model;
        break;
      default:
        if (type === undefined) return this.#unknown(line, "The record has no type.");
        if (!METADATA_TYPES.has(type)) return this.#unknown(line, `Record type "${type}" is not known.`);
    }
    this.draft.addMetadata(line, type);
    return "metadata";
  }

  #readHeader(value: JsonObject): void {
    this.draft.sourceSessionId ??= nonEmptyString(value["id"]);
    this.draft.model ??= nonEmptyString(value["modelId"]);
    const at = timeOf(value["timestamp"]);
    if (at !== undefined) this.draft.sawTime(at);
  }

  #message(value: JsonObject, message: JsonObject, line: LineText, entry: PiEntry): LineKind {
    const source = { value, line, entry };
    const content = message["content"];
    switch (message["role"]) {
      case "user":
        return this.#userMessage(source, message);
      case "assistant":
        return this.#reply(source, message);
      case "toolResult":
        return this.#toolResult(source, message);
      case "bashExecution":
        if (message["excludeFromContext"] === true) {
          this.draft.addMetadata(line, "bash command kept from the model");
          return "metadata";
        }
        return this.#runs(source, asNotice([{ type: "text", text: bashText(message) }]));
      case "custom":
      case "hookMessage":
        return this.#runs(source, asNotice(this.#read(content, line).parts));
      case "branchSummary":
      case "compactionSummary":
        return this.#runs(source, asNotice(readContent(message["summary"]).parts));
      default:
        return this.#unknown(line, `Message role "${String(message["role"])}" is not known.`);
    }
  }

  #userMessage(source: Place, message: JsonObject): LineKind {
    const { parts } = this.#read(message["content"], source.line);
    const runs: UserRun[] = [];
    for (const attachment of arrayOf(message["attachments"])) {
      if (!isObject(attachment)) continue;
      const text = nonEmptyString(attachment["extractedText"]);
      const name = nonEmptyString(attachment["fileName"]) ?? "attachment";
      if (text !== undefined)
        runs.push(...asNotice([{ type: "text", text: `${name}\n${text}` }], "attachment"));
      else if (attachment["type"] === "image" && typeof attachment["content"] === "string") {
        const mediaType = nonEmptyString(attachment["mimeType"]) ?? "image/png";
        parts.push({ type: "image", mediaType, data: attachment["content"] });
      }
    }
    runs.push(...splitUserParts(parts));
    return this.#runs(source, runs);
  }

  #reply(source: Place, message: JsonObject): LineKind {
    const { parts } = this.#read(message["content"], source.line);
    const model = nonEmptyString(message["model"]);
    const stopReason = nonEmptyString(message["stopReason"]);
    if (model !== undefined) this.draft.model = model;
    if (stopReason === "aborted") this.draft.abortedTurns += 1;
    const draft = this.draft.addMessage({
      line: source.line.number,
      at: timeOf(source.value["timestamp"]) ?? timeOf(message["timestamp"]),
      id: source.entry.id,
      role: "assistant",
      content: parts,
      usage: piUsage(message["usage"], model),
      stopReason,
      errorText: nonEmptyString(message["errorMessage"]),
    });
    source.entry.records.push(draft);
    return "message";
  }

  #toolResult(source: Place, message: JsonObject): LineKind {
    const read = readOutput(message["content"]);
    this.#keepLeftOut(read, source.line);
    const result = toolResult({
      toolCallId: nonEmptyString(message["toolCallId"]) ?? "",
      toolName: nonEmptyString(message["toolName"]) ?? "",
      output: read.output,
      isError: message["isError"] === true,
    });
    return this.#add(source, [{ role: "tool", content: [result, ...read.images] }]);
  }

  #compaction(value: JsonObject, line: LineText, entry: PiEntry): LineKind {
    const at = timeOf(value["timestamp"]);
    const tokensBefore = value["tokensBefore"];
    const boundary: DraftBoundary = {
      type: "boundary",
      line: line.number,
      summaryText: nonEmptyString(value["summary"]) ?? "",
      ...(at !== undefined && { at }),
      ...(typeof tokensBefore === "number" && { tokensBefore }),
    };
    this.draft.addBoundary(boundary, line);
    entry.records.push(boundary);
    const index = value["firstKeptEntryIndex"];
    entry.compaction = {
      boundary,
      firstKeptId: nonEmptyString(value["firstKeptEntryId"]),
      firstKeptPosition: typeof index === "number" ? index : undefined,
    };
    return "boundary";
  }

  #runs(source: Place, runs: readonly UserRun[]): LineKind {
    if (runs.length === 0) {
      this.draft.addMetadata(source.line, "empty message");
      return "metadata";
    }
    const messages = runs.map((run) => ({
      role: "user" as const,
      content: run.parts,
      kind: run.kind,
      command: run.command ?? loneCommand(run),
    }));
    return this.#add(source, messages);
  }

  #add({ value, line, entry }: Place, messages: readonly NewPiMessage[]): LineKind {
    const main = Math.max(
      0,
      messages.findIndex(({ kind }) => kind === undefined),
    );
    const drafts = messages.map((message, index): DraftMessage => {
      const id = entry.id !== undefined && index !== main ? `${entry.id}:${index}` : entry.id;
      return this.draft.addMessage({ ...message, line: line.number, at: timeOf(value["timestamp"]), id });
    });
    entry.records.push(...drafts);
    return "message";
  }

  #read(content: unknown, line: LineText): ReadContent {
    const read = readContent(content);
    this.#keepLeftOut(read, line);
    return read;
  }

  #keepLeftOut(read: ReadContent, line: LineText): void {
    for (const type of read.foreignTypes) this.draft.meet(foreignPart(type));
    if (read.leftOut) this.draft.addMetadata(line, "original of a long part");
  }

  #unknown(line: LineText, reason: string): LineKind {
    this.draft.addUnknown(line, reason);
    return "unknown";
  }
}

interface Place {
  readonly value: JsonObject;
  readonly line: LineText;
  readonly entry: PiEntry;
}

interface Source extends Place {
  readonly type: string | undefined;
}
