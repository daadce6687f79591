import { l10n } from "vscode";
import type { Message } from "../../core/messages.ts";
import { textOf } from "../../core/messages.ts";
import type { ChatModel } from "../../core/model.ts";
import type { LiveSession } from "../../engine/liveSession.ts";
import type { Attachment } from "./attachments.ts";
import { attach } from "./attachments.ts";
import type { ChatMetadata } from "./chatMetadata.ts";
import type { ChatParts } from "./chatParts.ts";
import type { ChosenSession } from "./chatSessions.ts";
import type { ChatTurn } from "./chatTurn.ts";
import { chatMetadata } from "./chatTurn.ts";
import { chatEndMarkdown, continuationNote, toolsNotOfferedNote } from "./chatWords.ts";
import { continuation } from "./continuation.ts";
import { workspaceFiles } from "./referenceFiles.ts";

/** Sends a message in its session and streams the reply. What a model may do wrong ends in the reply. */
export async function answerMessage(
  live: LiveSession,
  turn: ChatTurn,
  parts: ChatParts,
  chosen: ChosenSession,
): Promise<ChatMetadata> {
  const { request, reply, signal } = turn;
  const notes = [...chosen.notes, ...(await goOn(live, turn, chosen))];
  const { attachments, notes: attachNotes, used } = await attach(request.references, workspaceFiles);
  notes.push(...attachNotes);
  const tools = request.toolReferences.map(({ name }) => name);
  if (tools.length > 0) notes.push(toolsNotOfferedNote(tools));
  reply.notes(notes);
  reply.used(used);

  const model = await parts.models.of(request.model);
  const summarizer = await automaticSummarizer(parts, model);
  let wroteText = false;
  let reasoned = false;
  let compacted = false;
  const outcome = await live.chat({
    model,
    summarizer,
    text: request.prompt,
    attachments: attachments.filter((attachment) => !isInContext(attachment, live.context.messages)),
    signal,
    onText: (text) => {
      wroteText ||= text.trim() !== "";
      reply.modelText(text);
    },
    onReasoning: () => {
      if (!reasoned) reply.progress(l10n.t("Thinking…"));
      reasoned = true;
    },
    mayCompact: (meter) => parts.question.mayCompact(meter),
    onPhase: (phase) => reply.phase(phase, summarizer.name),
    onCompaction: (run) => {
      if (run.state === "nothing_to_do") return;
      compacted = true;
      reply.compaction(run, summarizer.name, { sessionId: live.id, beforeReply: true });
    },
  });
  const calledTool = wroteText ? undefined : lastToolCall(live.context.transcript);
  const end = chatEndMarkdown(outcome, { wroteText, calledTool }, live.meter);
  if (end !== undefined) reply.paragraph(wroteText ? `\n\n${end}` : end);
  const { level } = live.meter;
  return chatMetadata(live, compacted ? "context" : level === "over_line" ? "compact" : undefined);
}

/** Brings the session to where the chat's history ends; what to say of it. */
async function goOn(
  live: LiveSession,
  { bound }: ChatTurn,
  { isNew }: ChosenSession,
): Promise<readonly string[]> {
  if (bound === undefined || isNew) return [];
  const { transcript, statementIds } = live.context;
  const { branch, entries } = live.file.state;
  const where = continuation(
    {
      transcript,
      statementIds,
      branch,
      isOnRecord: (messageId) => entries.some(({ type, id }) => type === "message" && id === messageId),
    },
    bound,
  );
  if (where.at === "earlier" || where.at === "other_branch") await live.branchFrom(where.entryId);
  const note = continuationNote(where);
  return note === undefined ? [] : [note];
}

/** A run that nobody started uses only a vendor that answered before; where that is none, it costs nothing. */
async function automaticSummarizer(parts: ChatParts, model: ChatModel): Promise<ChatModel> {
  return (await parts.summarizer.choose(false, model.id)) ?? (await parts.models.offline());
}

/** Whether the newest attachment of that name says the same and is still sent: then it need not be said again. */
function isInContext({ content }: Attachment, messages: readonly Message[]): boolean {
  const [first] = content;
  const heading = first?.type === "text" ? headingOf(first.text) : "";
  const newest = messages.findLast(
    (message) => message.kind === "attachment" && headingOf(textOf(message)) === heading,
  );
  return newest !== undefined && JSON.stringify(newest.content) === JSON.stringify(content);
}

function headingOf(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}

function lastToolCall(transcript: readonly Message[]): string | undefined {
  const last = transcript.findLast(({ role }) => role === "assistant" || role === "user");
  if (last?.role !== "assistant") return undefined;
  const call = last.content.find((part) => part.type === "tool-call");
  return call?.type === "tool-call" ? call.toolName : undefined;
}
