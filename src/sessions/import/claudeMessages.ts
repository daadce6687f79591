import type { Part } from "../../core/messages.ts";
import { ClaudeBoundaries } from "./claudeBoundaries.ts";
import type { LineSource, MessageSource } from "./claudeLine.ts";
import { cluesOf, isTypedByPerson } from "./claudeLine.ts";
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
import type { DraftMessage, LineKind, SessionDraft } from "./sessionDraft.ts";
import { isContinuationText } from "./typedText.ts";
import type { UserRun } from "./userRuns.ts";
import { asNotice, splitUserParts } from "./userRuns.ts";

/** Commands that Claude Code carries out itself; their arguments were never a request to the model. */
const LOCAL_COMMANDS = new Set(
  (
    "/add-dir /agents /clear /compact /config /context /cost /doctor /effort /exit /export /fast /help /hooks /login " +
    "/logout /mcp /memory /model /output-style /permissions /plugin /rename /resume /rewind /status /theme /usage /vim"
  ).split(" "),
);

const SYNTHETIC_MODEL = "<synthetic>";
const noRun = { interruption: false, localOutput: false } as const;

/** What one line puts down: results as a tool message, and each run of user-role text. */
export interface Piece {
  readonly role: "user" | "tool";
  readonly run: UserRun;
}

/** Lines of a Claude Code file that are messages, and the graph they stand in. */
export class ClaudeMessages {
  readonly threads = new ClaudeThreads();
  readonly tree = new ClaudeTree();
  readonly boundaries: ClaudeBoundaries;
  readonly draft: SessionDraft;
  /** Replies that later lines of the same message id add to, by "main" or "side" and that id. */
  readonly #replies = new Map<string, DraftMessage>();
  /** What each line put down, to tell a repeated line. */
  readonly #contents = new Map<string, { drafts: readonly DraftMessage[]; from: number; count: number }>();
  /** Arguments of the newest command, until something shows that the command was a local one. */
  #commandDraft: DraftMessage | undefined;

  constructor(draft: SessionDraft) {
    this.draft = draft;
    this.boundaries = new ClaudeBoundaries(draft);
  }

  reply(source: MessageSource): LineKind {
    const { value, message, line, side } = source;
    const read = readContent(message["content"]);
    const uuid = nonEmptyString(value["uuid"]);
    if (this.#isRepeated(uuid, [read.parts])) return this.#repeated(line);
    if (value["isApiErrorMessage"] === true) {
      return this.place(
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
      this.remember(source, [known], { from, count: read.parts.length });
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
    this.remember(source, [reply], { from: 0, count: read.parts.length });
    return side ? "sidechain" : "message";
  }

  userLine(source: MessageSource): LineKind {
    const { value, message, line, side } = source;
    const { results, rest } = readUserContent(message["content"]);
    const isSummary = value["isCompactSummary"] === true || (!side && isContinuation(rest.parts));
    const typed = !side && !isSummary && isTypedByPerson(value);
    const runs = (typed ? splitUserParts(rest.parts) : asNotice(rest.parts)).filter(
      ({ command }) => command === undefined || !LOCAL_COMMANDS.has(command),
    );
    const pieces: Piece[] = runs.map((run) => ({ role: "user", run }));
    if (results.parts.length > 0) pieces.unshift({ role: "tool", run: { ...noRun, parts: results.parts } });
    if (this.#isRepeated(nonEmptyString(value["uuid"]), contentsOf(pieces))) return this.#repeated(line);
    this.#nameAgent(value, results.parts);
    if (isSummary && !side && runs.length > 0) this.#summary(source, runs);
    this.#keepLeftOut(results, line);
    return this.place(source, pieces, rest);
  }

  /** Puts the pieces of one line down as messages and tells the graph of lines about them. */
  place(source: LineSource, pieces: readonly Piece[], read: ReadContent): LineKind {
    const { value, line, side } = source;
    if (this.#isRepeated(nonEmptyString(value["uuid"]), contentsOf(pieces))) return this.#repeated(line);
    this.#keepLeftOut(read, line);
    if (pieces.length === 0) {
      this.remember(source, [], { from: 0, count: 0 });
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
    this.remember(source, drafts, { from: 0, count: Number.POSITIVE_INFINITY });
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
    if (this.boundaries.summarize(source.value, source.line, text.join("\n"))) this.endReplies();
  }

  /** After a compaction a line of an old message id is a message of its own. */
  endReplies(): void {
    for (const key of this.#replies.keys()) if (key.startsWith("main ")) this.#replies.delete(key);
  }

  remember(
    source: LineSource,
    drafts: readonly DraftMessage[],
    at: { readonly from: number; readonly count: number },
  ): void {
    const clues = cluesOf(source);
    const { uuid, parentUuid } = clues;
    if (uuid !== undefined && drafts.length > 0 && !this.#contents.has(uuid)) {
      this.#contents.set(uuid, { drafts, ...at });
    }
    if (source.side) {
      this.threads.add(clues, drafts);
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

  #keepLeftOut(read: ReadContent, line: LineText): void {
    for (const type of read.foreignTypes) this.draft.meet(foreignPart(type));
    if (read.leftOut) this.draft.addMetadata(line, "original of a long part");
  }
}

function contentsOf(pieces: readonly Piece[]): Part[][] {
  return pieces.map(({ run }) => run.parts);
}

function isContinuation(parts: readonly Part[]): boolean {
  const [first] = parts;
  return first?.type === "text" && isContinuationText(first.text);
}
