import { l10n } from "vscode";
import type { NextAction } from "../../core/records.ts";
import { commands, settingKey, views } from "../contributions.ts";

/** A button, a link or a sentence's end: what a person can do next, and the command that does it. */
export interface NextStep {
  readonly label: string;
  readonly command: string;
  readonly arguments: readonly unknown[];
}

/** The one next step of an end state; undefined where there is nothing to do. */
export function nextStep(action: NextAction, sessionId: string): NextStep | undefined {
  return nextSteps[action](sessionId);
}

const nextSteps: Readonly<Record<NextAction, (sessionId: string) => NextStep | undefined>> = {
  none: () => undefined,
  continue: (id) => step(l10n.t("Continue in Chat"), commands.continueInChat, id),
  compact_again: (id) => step(l10n.t("Compact Again"), commands.compactNow, id),
  choose_other_model: () => step(l10n.t("Choose Another Model…"), commands.chooseSummarizer),
  choose_model: () => step(l10n.t("Choose Model…"), commands.chooseSummarizer),
  review_commitments: () => step(l10n.t("Review Commitments"), `${views.capsules}.focus`),
  raise_context_budget: () =>
    step(l10n.t("Raise Context Budget…"), commands.openSettings, settingKey("contextBudget")),
  raise_spend_budget: () => undefined,
  remove_largest_part: (id) => step(l10n.t("Show What Fills It"), commands.preview, id),
  wait_and_retry: (id) => step(l10n.t("Try Again"), commands.compactNow, id),
  check_sign_in: () => step(l10n.t("Manage Models…"), MANAGE_MODELS),
  turn_automatic_on: () => step(l10n.t("Turn Automatic Compaction On"), commands.turnAutomaticOn),
  take_over_session: (id) => step(l10n.t("Take Over Session"), commands.takeOverSession, id),
  new_session_from_capsule: (id) =>
    step(l10n.t("New Session from This Capsule"), commands.newSessionFromCapsule, id),
};

/** VS Code's own Language Models editor, where a provider's sign-in and keys are. */
const MANAGE_MODELS = "workbench.action.chat.manage";

function step(label: string, command: string, ...args: readonly unknown[]): NextStep {
  return { label, command, arguments: args };
}
