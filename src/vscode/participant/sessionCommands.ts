import { l10n } from "vscode";
import type { LiveSession } from "../../engine/liveSession.ts";
import { commands, MODEL_VENDOR } from "../contributions.ts";
import { didCompact, nextStep } from "../words.ts";
import type { ChatMetadata } from "./chatMetadata.ts";
import type { ChatParts } from "./chatParts.ts";
import type { ChatTurn } from "./chatTurn.ts";
import { chatMetadata } from "./chatTurn.ts";
import { undoMarkdown } from "./chatWords.ts";
import { contextReport, reportCommands } from "./contextReport.ts";

/** A slash command that works on a session; its words are no message of the session. */
export type SessionCommand = (live: LiveSession, turn: ChatTurn, parts: ChatParts) => Promise<ChatMetadata>;

/** `/compact [focus]`: the same run as Compact Now, with the model that is chosen in the chat. */
export const compactCommand: SessionCommand = async (live, turn, parts) => {
  const { request, reply, signal } = turn;
  const chatModelId = await followModel(live, turn, parts);
  const model = await parts.summarizer.choose(true, chatModelId);
  if (model === undefined) {
    reply.paragraph(l10n.t("No model was chosen, so nothing was compacted."));
    reply.button(l10n.t("Choose Summarizer…"), commands.chooseSummarizer);
    return chatMetadata(live);
  }
  const focus = request.prompt.trim();
  const outcome = await live.compact({
    trigger: "manual",
    model,
    ...(focus === "" ? {} : { focus }),
    signal,
    onPhase: (phase) => reply.phase(phase, model.name),
  });
  reply.compaction(outcome, model.name, { sessionId: live.id, beforeReply: false });
  return chatMetadata(live, didCompact(outcome.state) ? "context" : undefined);
};

/** `/context`: where the context stands. */
export const contextCommand: SessionCommand = async (live, turn, parts) => {
  await followModel(live, turn, parts);
  const report = contextReport(live, Date.now());
  turn.reply.linked(report, reportCommands);
  return chatMetadata(live, live.meter.level === "over_line" ? "compact" : undefined);
};

/** `/undo`: takes back the last compaction of the session, one step at a time. */
export const undoCommand: SessionCommand = async (live, { reply }) => {
  const outcome = await live.undo();
  const { automatic, automaticPaused, usedTokens } = live.meter;
  const paused = automaticPaused && automatic === "on";
  const moreToUndo = live.context.runs.length > 0;
  reply.paragraph(undoMarkdown(outcome, { moreToUndo, paused, usedTokens }));
  if (outcome.ok && paused) {
    reply.button(l10n.t("Turn Automatic Compaction On"), commands.turnAutomaticOn);
  }
  if (!outcome.ok && outcome.reason === "read_only") {
    const next = nextStep("take_over_session", live.id);
    if (next !== undefined) reply.button(next.label, next.command, ...next.arguments);
  }
  return chatMetadata(live, outcome.ok && moreToUndo ? "undo" : undefined);
};

/**
 * The meter follows the model that is chosen in the chat. The offline summarizer is none: it answers nothing, so a
 * session keeps the model that it has. Returns the id of the model that the session has now.
 */
async function followModel(
  live: LiveSession,
  { request }: ChatTurn,
  { models }: ChatParts,
): Promise<string | undefined> {
  if (request.model.vendor !== MODEL_VENDOR) await live.setModel(await models.of(request.model));
  return live.meter.modelId;
}
