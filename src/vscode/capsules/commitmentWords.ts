import { l10n } from "vscode";
import { failureSentence } from "../words.ts";

/** What the engine says of the person's hand beside the codes of the capsule's own rules. */
const handFailures: Readonly<Record<string, () => string>> = {
  read_only: () => l10n.t("Another window is writing this session; take it over first."),
  blank: () => l10n.t("There is no text; write what shall hold from now on."),
  unknown_commitment: () =>
    l10n.t("This commitment is not in the capsule any more; look at the newest generation."),
  unknown_message: () => l10n.t("This message is not on the session's branch."),
  not_pinnable: () =>
    l10n.t(
      "Only messages without tool calls, results and system text can be pinned; add a commitment that says what matters of it.",
    ),
  already_pinned: () => l10n.t("This message is pinned already."),
  not_pinned: () => l10n.t("This message is not pinned."),
  too_many_commitments: () =>
    l10n.t("The capsule holds as many commitments as it can; retire one that no longer matters first."),
};

/** Why a change by hand was not made: one or two sentences. */
export function commitmentFailureSentence(failures: readonly string[]): string {
  const [first = "", ...more] = failures;
  const words = Object.hasOwn(handFailures, first) ? handFailures[first]?.() : failureSentence(first);
  const rest = more.length === 0 ? "" : ` ${l10n.t("({0} more)", more.length)}`;
  return `${l10n.t("Nothing was changed.")} ${words ?? failureSentence(first)}${rest}`;
}

/** Most characters of an anchor's text (contract section 5). */
export const LONGEST_COMMITMENT = 8_192;

/** What an input box says of a text that cannot be a commitment; undefined where it can. */
export function commitmentTextProblem(text: string, before?: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed === "") return l10n.t("Write what shall hold, or press Escape.");
  if (trimmed === before?.trim()) return l10n.t("This is how it reads now; change it, or press Escape.");
  if (trimmed.length > LONGEST_COMMITMENT) {
    return l10n.t(
      "A commitment has at most {0} characters; this has {1}.",
      LONGEST_COMMITMENT,
      trimmed.length,
    );
  }
  return undefined;
}
