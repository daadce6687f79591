import type { Part } from "../../core/messages.ts";
import { attachmentRuns } from "./claudeAttachments.ts";
import { finishClaude } from "./claudeFinish.ts";
import { mergeAssistantLine } from "./claudeMerge.ts";
import { ClaudeThreads } from "./claudeThreads.ts";
import { ClaudeTree } from "./claudeTree.ts";
import type { ReadContent } from "./contentParts.ts";
import { readContent, readUserContent } from "./contentParts.ts";
import { foreignPart, REPEATED_LINE } from "./importNotes.ts";
import { claudeUsage } from "./importUsage.ts";
import type { JsonObject } from "./jsonValues.ts";
import { compactJson, isObject, nonEmptyString, timeOf } from "./jsonValues.ts";
import type { LineText } from "./lineText.ts";
import type { DraftBoundary, DraftMessage, FormatReader, LineKind, SessionDraft } from "./sessionDraft.ts";
import type { TimeSlices } from "./timeSlices.ts";
import { isContinuationText } from "./typedText.ts";
import type { UserRun } from "./userRuns.ts";
import { asNotice, splitUserParts } from "./userRuns.ts";

/** Record types that are known and are no part of the conversation. */
const METADATA_TYPES = new Set(
  (
    "summary custom-title ai-title agent-name agent-color agent-setting tag mode permission-mode last-prompt progress " +
    "queue-operation file-history-snapshot frame-link pr-link started result relocated worktree-state " +
    "bridge-session atis-latch attribution-snapshot content-replacement stream_event rate_limit_event"
  ).split(" "),
);

/** Commands that Claude Code carries out itself; their arguments were never a request to the model. */
const LOCAL_COMMANDS = new Set(
  (
    "/add-dir /agents /clear /compact /config /context /cost /doctor /effort /exit /export /fast /help /hooks /login " +
    "/logout /mcp /memory /model /output-style /permissions /plugin /rename /resume /rewind /status /theme /usage /vim"
  ).split(" "),
);

/** `origin.kind` of a line that a person sent; lines of older versions carry none. */
const PERSON_ORIGINS = new Set(["human", "cli", "user"]);
const SYNTHETIC_MODEL = "<synthetic>";

export interface PreservedSegment {
  readonly headUuid: string;
  readonly tailUuid: string;
  /** The kept messages stand before the summary instead of behind it. */
  readonly beforeSummary: boolean;
}

/** Claude Code's own JSONL, and what its `stream-json` output prints. */
export class ClaudeReader implements FormatReader {
  readonly threads = new ClaudeThreads();
  readonly tree = new ClaudeTree();
  readonly draft: SessionDraft;
  /** What a compaction kept word for word. */
  readonly preserved = new Map<DraftBoundary, PreservedSegment>();
  readonly #slices: TimeSlices;
  /** Replies that later lines of the same message id add to, by "main" or "side" and that id. */
  readonly #replies = new Map<string, DraftMessage>();
  /** What each line put down, to tell a repeated line. */
  readonly #contents = new Map<string, { drafts: readonly DraftMessage[]; from: number; count: number }>();
  #titleRank = 0;
  #openBoundary: DraftBoundary | undefined;
  /** Arguments of the newest command, until something shows that the command was a local one. */
  #commandDraft: DraftMessage | undefined;

  constructor(draft: SessionDraft, slices: TimeSlices) {
    this.draft = draft;
    this.#slices = slices;
  }

  accept(value: unknown, line: LineText): LineKind {
    if (!isObject(value)) return this.#unknown(line, "The line is JSON, but no record.");
    this.draft.sourceSessionId ??= nonEmptyString(value["sessionId"] ?? value["session_id"]);
    const type = nonEmptyString(value["type"]);
    const message = value["message"];
    if ((type === "user" || type === "assistant") && isObject(message)) {
      return this.#messageLine(value, message, line);
    }
    if (type === "attachment" && isObject(value["attachment"]))
      return this.#attachment(value, value["attachment"], line);
    if (type === "system") return this.#system(value, line);
    if (type === "progress") return this.#progress(value, line);
    if (type !== undefined && METADATA_TYPES.has(type)) {
      this.#readTitle(type, value);
      return this.#metadata(value, line, type);
    }
    return this.#unknown(
      line,
      type === undefined ? "The record has no type." : `Record type "${type}" is not known.`,
    );
  }

  async finish(): Promise<void> {
    await finishClaude(this, this.#slices);
  }

  #messageLine(value: JsonObject, message: JsonObject, line: LineText): LineKind {
    const callId = nonEmptyString(value["parent_tool_use_id"]);
    const side = value["isSidechain"] === true || callId !== undefined;
    return value["type"] === "assistant"
      ? this.#reply({ value, message, line, side, callId })
      : this.#userLine({ value, message, line, side, callId });
  }

  #reply(source: MessageSource): LineKind {
    const { value, message, line, side } = source;
    const read = readContent(message["content"]);
    const uuid = nonEmptyString(value["uuid"]);
    if (this.#isRepeated(uuid, [read.parts])) return this.#repeated(line);
    if (value["isApiErrorMessage"] === true) {
      return this.#place(
        source,
        [{ role: "user", run: { ...noRun, kind: "notice", parts: read.parts } }],
        read,
      );
    }
    const messageId = nonEmptyString(message["id"]);
    const model = message["model"];
    const key = `${side ? "side" : "main"} ${messageId}`;
    const known = messageId === undefined ? undefined : this.#replies.get(key);
    const usage = claudeUsage(message["usage"], model);
    const stopReason = nonEmptyString(message["stop_reason"]);
    if (!side && typeof model === "string" && model !== SYNTHETIC_MODEL) this.draft.model = model;
    this.#keepLeftOut(read, line);
    if (known !== undefined) {
      const from = mergeAssistantLine(known, { parts: read.parts, usage, stopReason });
      this.#remember(source, [known], { from, count: read.parts.length });
      return side ? "sidechain" : "message";
    }
    if (!side) this.#commandDraft = undefined;
    const reply = this.draft.addMessage({
      type: side ? "sidechain" : "message",
      line: line.number,
      at: timeOf(value["timestamp"]),
      id: messageId ?? uuid,
      role: "assistant",
      content: read.parts,
      usage,
      stopReason,
    });
    if (messageId !== undefined) this.#replies.set(key, reply);
    this.#remember(source, [reply], { from: 0, count: read.parts.length });
    return side ? "sidechain" : "message";
  }

  #userLine(source: MessageSource): LineKind {
    const { value, message, line, side } = source;
    const { results, rest } = readUserContent(message["content"]);
    const isSummary = value["isCompactSummary"] === true || (!side && isContinuation(rest.parts));
    const typed = !side && !isSummary && isTypedByPerson(value);
    const runs = (typed ? splitUserParts(rest.parts) : asNotice(rest.parts)).filter(
      ({ command }) => command === undefined || !LOCAL_COMMANDS.has(command),
    );
    const pieces: Piece[] = runs.map((run) => ({ role: "user", run }));
    if (results.parts.length > 0) pieces.unshift({ role: "tool", run: { ...noRun, parts: results.parts } });
    if (
      this.#isRepeated(
        nonEmptyString(value["uuid"]),
        pieces.map(({ run }) => run.parts),
      )
    )
      return this.#repeated(line);
    this.#nameAgent(value, results.parts);
    if (isSummary && !side && runs.length > 0) this.#summary(source, runs);
    this.#keepLeftOut(results, line);
    return this.#place(source, pieces, rest);
  }

  /** Puts the pieces of one line down as messages and tells the graph of lines about them. */
  #place(source: LineSource, pieces: readonly Piece[], read: ReadContent): LineKind {
    const { value, line, side } = source;
    this.#keepLeftOut(read, line);
    if (pieces.length === 0) {
      this.#remember(source, [], { from: 0, count: 0 });
      this.draft.addMetadata(line, "empty message");
      return "metadata";
    }
    const uuid = nonEmptyString(value["uuid"]);
    const main = Math.max(
      0,
      pieces.findIndex(({ role, run }) => role === "user" && run.kind === undefined),
    );
    const drafts = pieces.map(({ role, run }, index) => {
      if (run.interruption) this.draft.abortedTurns += 1;
      if (run.localOutput) this.#dropCommand();
      const draft = this.draft.addMessage({
        type: side ? "sidechain" : "message",
        line: line.number,
        at: timeOf(value["timestamp"]),
        id: uuid !== undefined && index !== main ? `${uuid}:${index}` : uuid,
        role,
        content: run.parts,
        kind: run.kind,
        command: run.command,
      });
      if (!side && run.command !== undefined) this.#commandDraft = draft;
      else if (!side && run.kind === undefined) this.#commandDraft = undefined;
      return draft;
    });
    this.#remember(source, drafts, { from: 0, count: Number.POSITIVE_INFINITY });
    return side ? "sidechain" : "message";
  }

  /** The output of a local command shows that the arguments before it asked the model for nothing. */
  #dropCommand(): void {
    const command = this.#commandDraft;
    this.#commandDraft = undefined;
    if (command === undefined) return;
    const index = this.draft.records.lastIndexOf(command);
    if (index >= 0) this.draft.records.splice(index, 1);
  }

  #summary(source: MessageSource, runs: readonly UserRun[]): void {
    const text = runs.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === "text" ? [part.text] : [])),
    );
    const boundary = this.#openBoundary ?? this.#addBoundary(source.value, source.line, undefined);
    boundary.summaryText = text.join("\n");
    this.#openBoundary = undefined;
  }

  #addBoundary(value: JsonObject, line: LineText, preserved: PreservedSegment | undefined): DraftBoundary {
    const metadata = isObject(value["compactMetadata"]) ? value["compactMetadata"] : {};
    const trigger = nonEmptyString(metadata["trigger"]);
    const tokensBefore = metadata["preTokens"];
    const at = timeOf(value["timestamp"]);
    const boundary: DraftBoundary = {
      type: "boundary",
      line: line.number,
      summaryText: "",
      ...(at !== undefined && { at }),
      ...(trigger !== undefined && { trigger }),
      ...(typeof tokensBefore === "number" && { tokensBefore }),
    };
    this.draft.addBoundary(boundary, line);
    if (preserved !== undefined) this.preserved.set(boundary, preserved);
    for (const key of this.#replies.keys()) if (key.startsWith("main ")) this.#replies.delete(key);
    this.#openBoundary = boundary;
    return boundary;
  }

  #system(value: JsonObject, line: LineText): LineKind {
    const side = value["isSidechain"] === true;
    const subtype = nonEmptyString(value["subtype"]) ?? "system";
    if (subtype === "compact_boundary" && !side) {
      const boundary = this.#addBoundary(value, line, preservedSegment(value));
      const uuid = nonEmptyString(value["uuid"]);
      const parentUuid = nonEmptyString(value["logicalParentUuid"]);
      if (uuid !== undefined) this.tree.add({ uuid, parentUuid, typed: false, drafts: [boundary] });
      return "boundary";
    }
    if (subtype === "local_command") {
      const { parts } = readContent(value["content"]);
      const runs = asNotice(parts);
      if (runs.length > 0) {
        const source = { value, line, side, callId: undefined };
        return this.#place(
          source,
          runs.map((run) => ({ role: "user", run })),
          readContent(undefined),
        );
      }
    }
    return this.#metadata(value, line, `system ${subtype}`);
  }

  #attachment(value: JsonObject, attachment: JsonObject, line: LineText): LineKind {
    const side = value["isSidechain"] === true;
    const origin = isObject(attachment["origin"]) ? attachment : value;
    const runs = attachmentRuns(attachment, !side && isTypedByPerson(origin));
    if (runs.length === 0) return this.#metadata(value, line, `attachment ${String(attachment["type"])}`);
    const pieces: Piece[] = runs.map((run) => ({ role: "user", run }));
    if (
      this.#isRepeated(
        nonEmptyString(value["uuid"]),
        runs.map(({ parts }) => parts),
      )
    )
      return this.#repeated(line);
    return this.#place({ value, line, side, callId: undefined }, pieces, readContent(undefined));
  }

  /** Progress of a sub-agent carries the sub-agent's own messages. */
  #progress(value: JsonObject, line: LineText): LineKind {
    const data = value["data"];
    const inner = isObject(data) && data["type"] === "agent_progress" ? data["message"] : undefined;
    if (!isObject(inner) || !isObject(inner["message"])) return this.#metadata(value, line, "progress");
    const own = { ...inner, timestamp: inner["timestamp"] ?? value["timestamp"] };
    const callId = nonEmptyString(value["parentToolUseID"]);
    const source = { value: own, message: inner["message"], line, side: true, callId };
    return inner["type"] === "assistant" ? this.#reply(source) : this.#userLine(source);
  }

  #remember(
    source: LineSource,
    drafts: readonly DraftMessage[],
    at: { readonly from: number; readonly count: number },
  ): void {
    const { value, side, callId } = source;
    const uuid = nonEmptyString(value["uuid"]);
    const parentUuid = nonEmptyString(value["parentUuid"] ?? value["logicalParentUuid"]);
    if (uuid !== undefined && drafts.length > 0 && !this.#contents.has(uuid)) {
      this.#contents.set(uuid, { drafts, ...at });
    }
    if (side) {
      this.threads.add({ uuid, parentUuid, agentId: nonEmptyString(value["agentId"]), callId }, drafts);
    } else if (uuid !== undefined) {
      const typed = drafts.some(
        ({ message, command }) => message.role === "user" && !message.kind && !command,
      );
      this.tree.add({ uuid, parentUuid, typed, drafts });
    }
  }

  /** Resumed sessions write lines again: the same uuid with the same content. */
  #isRepeated(uuid: string | undefined, contents: readonly (readonly Part[])[]): boolean {
    const before = uuid === undefined ? undefined : this.#contents.get(uuid);
    if (before === undefined) return false;
    const { drafts, from, count } = before;
    const earlier = drafts.map(({ message }) => message.content.slice(from, from + count));
    return compactJson(earlier) === compactJson(contents);
  }

  #repeated(line: LineText): LineKind {
    this.draft.addMetadata(line, "repeated line");
    this.draft.meet(REPEATED_LINE);
    return "metadata";
  }

  #nameAgent(value: JsonObject, results: readonly Part[]): void {
    const outcome = value["toolUseResult"];
    const agentId = isObject(outcome) ? nonEmptyString(outcome["agentId"]) : undefined;
    const result = results.find((part) => part.type === "tool-result");
    if (agentId !== undefined && result?.type === "tool-result") {
      this.threads.nameAgentOfCall(agentId, result.toolCallId);
    }
  }

  /** The person's own title wins over the agent's, and that over the old summary line. */
  #readTitle(type: string, value: JsonObject): void {
    const titles = [value["summary"], value["aiTitle"], value["customTitle"]];
    const rank = ["summary", "ai-title", "custom-title"].indexOf(type) + 1;
    const title = nonEmptyString(titles[rank - 1]);
    if (title === undefined || rank < this.#titleRank) return;
    this.draft.title = title;
    this.#titleRank = rank;
  }

  #keepLeftOut(read: ReadContent, line: LineText): void {
    for (const type of read.foreignTypes) this.draft.meet(foreignPart(type));
    if (read.leftOut) this.draft.addMetadata(line, "original of a long part");
  }

  #metadata(value: JsonObject, line: LineText, recordType: string): LineKind {
    this.draft.addMetadata(line, recordType);
    this.#remember({ value, line, side: value["isSidechain"] === true, callId: undefined }, [], {
      from: 0,
      count: 0,
    });
    return "metadata";
  }

  #unknown(line: LineText, reason: string): LineKind {
    this.draft.addUnknown(line, reason);
    return "unknown";
  }
}

interface MessageSource extends LineSource {
  readonly message: JsonObject;
}

interface LineSource {
  readonly value: JsonObject;
  readonly line: LineText;
  readonly side: boolean;
  readonly callId: string | undefined;
}

interface Piece {
  readonly role: "user" | "tool";
  readonly run: UserRun;
}

const noRun = { interruption: false, localOutput: false } as const;

function isTypedByPerson(value: JsonObject): boolean {
  if (value["isMeta"] === true || value["isVisibleInTranscriptOnly"] === true) return false;
  if (value["promptSource"] === "system") return false;
  const origin = value["origin"];
  const kind = isObject(origin) ? origin["kind"] : undefined;
  return kind === undefined || kind === null || (typeof kind === "string" && PERSON_ORIGINS.has(kind));
}

function isContinuation(parts: readonly Part[]): boolean {
  const [first] = parts;
  return first?.type === "text" && isContinuationText(first.text);
}

function preservedSegment(value: JsonObject): PreservedSegment | undefined {
  const metadata = value["compactMetadata"];
  const segment = isObject(metadata) ? metadata["preservedSegment"] : undefined;
  if (!isObject(segment)) return undefined;
  const headUuid = nonEmptyString(segment["headUuid"]);
  const tailUuid = nonEmptyString(segment["tailUuid"]);
  if (headUuid === undefined || tailUuid === undefined) return undefined;
  return { headUuid, tailUuid, beforeSummary: segment["anchorUuid"] === value["uuid"] };
}
