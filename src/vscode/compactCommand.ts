import * as vscode from "vscode";
import type { CompactOutcome, RetiredCommitment } from "../core/compactionOutcome.ts";
import type { ChatModel } from "../core/model.ts";
import type { CompactionPhase, LiveSession } from "../engine/liveSession.ts";
import type { ActiveSession } from "./activeSession.ts";
import { commands } from "./contributions.ts";
import { showInformation, showWarning, withCancellableProgress } from "./notices.ts";
import { plainLabel } from "./plainText.ts";
import type { SummarizerChoice } from "./summarizerChoice.ts";
import { didCompact, excerpt, nextStep, outcomeSentences, phaseWords } from "./words.ts";

export interface CompactCommandOptions {
  readonly sessions: ActiveSession;
  readonly summarizer: SummarizerChoice;
  /** Told of what goes wrong after the command has returned. */
  readonly onError: (error: unknown) => void;
}

/** Compact Now: a run on a person's word, with progress that can be cancelled, ending in a named end state. */
export class CompactCommand {
  readonly #options: CompactCommandOptions;

  constructor(options: CompactCommandOptions) {
    this.#options = options;
  }

  /** Resolves with the outcome when the run is over; undefined where the person backed out before it began. */
  async compact(sessionId: string, focus?: string): Promise<CompactOutcome | undefined> {
    const { sessions, summarizer } = this.#options;
    return sessions.borrow(sessionId, async (live) => {
      if (live.meter.running !== undefined) {
        void showInformation(vscode.l10n.t("A compaction of “{0}” is already running.", live.meter.title));
        return undefined;
      }
      const model = await summarizer.choose(true, live.meter.modelId);
      if (model === undefined) return undefined;
      const outcome = await runWithProgress(live, model, focus);
      this.#tell(outcome, sessionId);
      return outcome;
    });
  }

  /** Asks what to keep in focus first. */
  async compactWithFocus(sessionId: string): Promise<CompactOutcome | undefined> {
    const focus = await vscode.window.showInputBox({
      title: vscode.l10n.t("Compact Now with Focus"),
      prompt: vscode.l10n.t("What the capsule should keep in detail. Everything you said stays anyway."),
      placeHolder: vscode.l10n.t("For example: the database migration and its open questions"),
      validateInput: (value) =>
        value.trim() === "" ? vscode.l10n.t("Say what to keep in focus, or press Escape.") : undefined,
    });
    return focus === undefined ? undefined : this.compact(sessionId, focus.trim());
  }

  #tell(outcome: CompactOutcome, sessionId: string): void {
    showOutcome(outcome, sessionId).catch(this.#options.onError);
  }
}

function runWithProgress(
  live: LiveSession,
  model: ChatModel,
  focus: string | undefined,
): Thenable<CompactOutcome> {
  return withCancellableProgress(
    vscode.l10n.t("Compacting “{0}”", excerpt(live.meter.title, TITLE_CHARACTERS)),
    async (report, token) => {
      const abort = new AbortController();
      const cancelled = token.onCancellationRequested(() => abort.abort());
      try {
        return await live.compact({
          trigger: "manual",
          model,
          ...(focus === undefined ? {} : { focus }),
          signal: abort.signal,
          onPhase: (phase) => report(phaseMessage(phase, model)),
        });
      } finally {
        cancelled.dispose();
      }
    },
  );
}

const TITLE_CHARACTERS = 40;
const CANCELLED_SHOWN_MS = 6000;

function phaseMessage(phase: CompactionPhase, model: ChatModel): string {
  return phase === "summarizing" ? vscode.l10n.t("Summarizing with {0}…", model.name) : phaseWords(phase);
}

/**
 * One notification with the end state, its reason and one next action; a click to restore what a run retired comes
 * first. What a person cancelled is confirmed in the status bar only.
 */
export async function showOutcome(outcome: CompactOutcome, sessionId: string): Promise<void> {
  const message = outcomeSentences(outcome);
  if (outcome.state === "cancelled") {
    vscode.window.setStatusBarMessage(`$(circle-slash) ${plainLabel(message)}`, CANCELLED_SHOWN_MS);
    return;
  }
  const next = nextStep(outcome.nextAction, sessionId);
  const restore = restoreLabel(outcome.retired);
  const buttons = [restore, next?.label].filter((label) => label !== undefined);
  const picked = await (informs(outcome)
    ? showInformation(message, ...buttons)
    : showWarning(message, ...buttons));
  if (picked === undefined) return;
  if (picked === restore) await restoreRetired(outcome.retired, sessionId);
  else if (next !== undefined) await vscode.commands.executeCommand(next.command, ...next.arguments);
}

function informs({ state, summaryFailure }: CompactOutcome): boolean {
  if (summaryFailure !== undefined) return summaryFailure.state === "cancelled";
  return didCompact(state) || state === "nothing_to_do" || state === "declined";
}

function restoreLabel(retired: readonly RetiredCommitment[]): string | undefined {
  if (retired.length === 0) return undefined;
  return retired.length === 1 ? vscode.l10n.t("Restore Commitment") : vscode.l10n.t("Restore a Commitment…");
}

async function restoreRetired(retired: readonly RetiredCommitment[], sessionId: string): Promise<void> {
  const [only] = retired;
  const chosen =
    retired.length === 1
      ? only
      : (
          await vscode.window.showQuickPick(
            retired.map((commitment) => ({
              label: plainLabel(excerpt(commitment.text)),
              detail: plainLabel(
                vscode.l10n.t("Retired because you said “{0}”", excerpt(commitment.sentence)),
              ),
              commitment,
            })),
            { title: vscode.l10n.t("Restore a Commitment"), matchOnDetail: true },
          )
        )?.commitment;
  if (chosen === undefined) return;
  await vscode.commands.executeCommand(commands.restoreCommitment, { sessionId, key: chosen.key });
}
