import * as vscode from "vscode";
import type { UndoOutcome } from "../engine/liveSession.ts";
import type { ActiveSession } from "./activeSession.ts";
import { commands } from "./contributions.ts";
import { showInformation, showWarning } from "./notices.ts";
import { undoSentence } from "./words.ts";

/** Takes back the last compaction of a session, one step at a time, and says what it did. */
export async function undoLastCompaction(
  sessions: ActiveSession,
  sessionId: string,
  onError: (error: unknown) => void,
): Promise<UndoOutcome> {
  const { outcome, paused, moreToUndo } = await sessions.borrow(sessionId, async (live) => {
    const undone = await live.undo();
    return {
      outcome: undone,
      paused: live.meter.automaticPaused && live.meter.automatic === "on",
      moreToUndo: live.context.runs.length > 0,
    };
  });
  tell(outcome, sessionId, { paused, moreToUndo }).catch(onError);
  return outcome;
}

async function tell(
  outcome: UndoOutcome,
  sessionId: string,
  now: { readonly paused: boolean; readonly moreToUndo: boolean },
): Promise<void> {
  const sentence = undoSentence(outcome);
  if (!outcome.ok) {
    const takeOver = vscode.l10n.t("Take Over Session");
    const buttons = outcome.reason === "read_only" ? [takeOver] : [];
    const picked = await showWarning(sentence, ...buttons);
    if (picked === takeOver) await vscode.commands.executeCommand(commands.takeOverSession, sessionId);
    return;
  }
  const message = now.paused
    ? `${sentence} ${vscode.l10n.t("Automatic compaction is paused until you turn it on again.")}`
    : sentence;
  const turnOn = vscode.l10n.t("Turn Automatic Compaction On");
  const undoAgain = vscode.l10n.t("Undo One More");
  const buttons = [...(now.paused ? [turnOn] : []), ...(now.moreToUndo ? [undoAgain] : [])].slice(0, 1);
  const picked = await showInformation(message, ...buttons);
  if (picked === turnOn) await vscode.commands.executeCommand(commands.turnAutomaticOn);
  if (picked === undoAgain) await vscode.commands.executeCommand(commands.undo, sessionId);
}
