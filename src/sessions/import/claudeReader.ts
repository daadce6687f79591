import { attachmentRuns } from "./claudeAttachments.ts";
import { finishClaude } from "./claudeFinish.ts";
import { isTypedByPerson } from "./claudeLine.ts";
import type { Piece } from "./claudeMessages.ts";
import { ClaudeMessages } from "./claudeMessages.ts";
import { readContent } from "./contentParts.ts";
import type { JsonObject } from "./jsonValues.ts";
import { isObject, nonEmptyString } from "./jsonValues.ts";
import type { LineText } from "./lineText.ts";
import type { FormatReader, LineKind, SessionDraft } from "./sessionDraft.ts";
import type { TimeSlices } from "./timeSlices.ts";
import { asNotice } from "./userRuns.ts";

/** Record types that are known and are no part of the conversation. */
const METADATA_TYPES = new Set(
  (
    "summary custom-title ai-title agent-name agent-color agent-setting tag mode permission-mode last-prompt progress " +
    "queue-operation file-history-snapshot frame-link pr-link started result relocated worktree-state " +
    "bridge-session atis-latch attribution-snapshot content-replacement stream_event rate_limit_event"
  ).split(" "),
);

/** Claude Code's own JSONL, and what its `stream-json` output prints. */
export class ClaudeReader implements FormatReader {
  readonly messages: ClaudeMessages;
  readonly #draft: SessionDraft;
  readonly #slices: TimeSlices;
  #titleRank = 0;

  constructor(draft: SessionDraft, slices: TimeSlices) {
    this.#draft = draft;
    this.#slices = slices;
    this.messages = new ClaudeMessages(draft);
  }

  accept(value: unknown, line: LineText): LineKind {
    if (!isObject(value)) return this.#unknown(line, "The line is JSON, but no record.");
    this.#draft.sourceSessionId ??= nonEmptyString(value["sessionId"] ?? value["session_id"]);
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
    await finishClaude(this.messages, this.#slices);
  }

  #messageLine(value: JsonObject, message: JsonObject, line: LineText): LineKind {
    const callId = nonEmptyString(value["parent_tool_use_id"]);
    const side = value["isSidechain"] === true || callId !== undefined;
    return value["type"] === "assistant"
      ? this.messages.reply({ value, message, line, side, callId })
      : this.messages.userLine({ value, message, line, side, callId });
  }

  #system(value: JsonObject, line: LineText): LineKind {
    const side = value["isSidechain"] === true;
    const subtype = nonEmptyString(value["subtype"]) ?? "system";
    if (subtype === "compact_boundary" && !side) {
      const boundary = this.messages.boundaries.add(value, line);
      this.messages.endReplies();
      const uuid = nonEmptyString(value["uuid"]);
      const parentUuid = nonEmptyString(value["logicalParentUuid"]);
      if (uuid !== undefined) this.messages.tree.add({ uuid, parentUuid, typed: false, drafts: [boundary] });
      return "boundary";
    }
    if (subtype === "local_command") {
      const { parts } = readContent(value["content"]);
      const runs = asNotice(parts);
      if (runs.length > 0) {
        const source = { value, line, side, callId: undefined };
        return this.messages.place(
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
    return this.messages.place({ value, line, side, callId: undefined }, pieces, readContent(undefined));
  }

  /** Progress of a sub-agent carries the sub-agent's own messages. */
  #progress(value: JsonObject, line: LineText): LineKind {
    const data = value["data"];
    const inner = isObject(data) && data["type"] === "agent_progress" ? data["message"] : undefined;
    if (!isObject(inner) || !isObject(inner["message"])) return this.#metadata(value, line, "progress");
    const own = { ...inner, timestamp: inner["timestamp"] ?? value["timestamp"] };
    const callId = nonEmptyString(value["parentToolUseID"]);
    const source = { value: own, message: inner["message"], line, side: true, callId };
    return inner["type"] === "assistant" ? this.messages.reply(source) : this.messages.userLine(source);
  }

  /** The person's own title wins over the agent's, and that over the old summary line. */
  #readTitle(type: string, value: JsonObject): void {
    const titles = [value["summary"], value["aiTitle"], value["customTitle"]];
    const rank = ["summary", "ai-title", "custom-title"].indexOf(type) + 1;
    const title = nonEmptyString(titles[rank - 1]);
    if (title === undefined || rank < this.#titleRank) return;
    this.#draft.title = title;
    this.#titleRank = rank;
  }

  #metadata(value: JsonObject, line: LineText, recordType: string): LineKind {
    this.#draft.addMetadata(line, recordType);
    this.messages.remember({ value, line, side: value["isSidechain"] === true, callId: undefined }, [], {
      from: 0,
      count: 0,
    });
    return "metadata";
  }

  #unknown(line: LineText, reason: string): LineKind {
    this.#draft.addUnknown(line, reason);
    return "unknown";
  }
}
