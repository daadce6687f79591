import { l10n } from "vscode";
import type { CompactOutcome } from "../../core/compactionOutcome.ts";
import type { EndReason, EndState } from "../../core/records.ts";
import type { CompactionPhase, UndoOutcome } from "../../engine/liveSession.ts";
import { oneLine } from "../documents/visibleText.ts";
import { modelErrorSentence, sessionErrorSentence } from "./errorWords.ts";
import { failureSentence } from "./failureWords.ts";
import { shortTokens } from "./numberWords.ts";

/** Name of an end state, for a tree, a table, a heading. Only the first two say "compacted". */
export function endStateName(state: EndState): string {
  return endStateNames[state]();
}

const endStateNames: Readonly<Record<EndState, () => string>> = {
  evicted: () => l10n.t("Compacted (evicted)"),
  summarized: () => l10n.t("Compacted (summarized)"),
  nothing_to_do: () => l10n.t("Nothing to do"),
  declined: () => l10n.t("Declined"),
  rejected: () => l10n.t("Rejected"),
  cancelled: () => l10n.t("Cancelled"),
  timed_out: () => l10n.t("Timed out"),
  provider_error: () => l10n.t("Provider error"),
  stopped: () => l10n.t("Stopped"),
};

export function didCompact(state: EndState): boolean {
  return state === "evicted" || state === "summarized";
}

/** Why a run ended as it did: one sentence. */
export function reasonSentence(reason: EndReason): string {
  return reasonSentences[reason]();
}

const reasonSentences: Readonly<Record<EndReason, () => string>> = {
  evicted_enough: () => l10n.t("Evicting tool results made enough room."),
  summary_accepted: () => l10n.t("The capsule passed every check."),
  below_trigger_line: () => l10n.t("The context is below the trigger line."),
  nothing_leaves: () => l10n.t("Everything in the context is recent, pinned or the first request."),
  gain_too_small: () => l10n.t("Too little would be gained to be worth it."),
  too_many_commitments: () => l10n.t("There are more commitments than a capsule may hold."),
  already_attempted: () => l10n.t("The same content was tried before; nothing is paid twice for it."),
  after_undo: () => l10n.t("You took back a compaction, so none runs by itself."),
  no_provider_number: () => l10n.t("No provider has given a number for this session yet."),
  window_unknown: () => l10n.t("The model's context window is unknown."),
  no_model: () => l10n.t("No model is available to write a summary."),
  budget_too_short: () => l10n.t("The spend budget does not cover a summary and the calls after it."),
  compactions_used_up: () => l10n.t("The summaries that the spend budget allows are used up."),
  reply_rejected: () => l10n.t("The model's reply was not usable as a capsule."),
  replacement_rejected: () => l10n.t("The new context did not pass the checks."),
  cancelled_by_person: () => l10n.t("You cancelled it."),
  no_chunk_in_time: () => l10n.t("The model sent nothing for a minute."),
  too_long_in_all: () => l10n.t("The model took longer than five minutes."),
  model_failed: () => l10n.t("The model failed."),
  summary_request_too_big: () => l10n.t("What is to be summarized does not fit the summarizer's window."),
  floor_at_ceiling: () => l10n.t("What must stay fills the window by itself."),
  still_over_trigger_line: () => l10n.t("The context is still over the trigger line."),
  already_running: () => l10n.t("A compaction of this session is already running."),
  read_only: () => l10n.t("Another window is writing this session."),
  write_failed: () => l10n.t("The session could not be written."),
};

/** What a person is told when a run is over. One to three sentences of plain text. */
export function outcomeSentences(outcome: CompactOutcome): string {
  return [headline(outcome), ...details(outcome)].join(" ");
}

function headline(outcome: CompactOutcome): string {
  const from = shortTokens(outcome.before);
  const to = shortTokens(outcome.after);
  const reason = reasonSentence(outcome.reason);
  switch (outcome.state) {
    case "evicted":
      return outcome.evictedCount === 1
        ? l10n.t(
            "Compacted from {0} to {1} tokens: 1 part left the context and can be opened again.",
            from,
            to,
          )
        : l10n.t(
            "Compacted from {0} to {1} tokens: {2} parts left the context and can be opened again.",
            from,
            to,
            outcome.evictedCount,
          );
    case "summarized":
      return l10n.t(
        "Compacted from {0} to {1} tokens (generation {2}).",
        from,
        to,
        outcome.summary?.generation ?? 1,
      );
    case "nothing_to_do":
      return l10n.t("Nothing worth compacting. {0}", reason);
    case "declined":
      return l10n.t("Declined, nothing changed. {0}", reason);
    case "rejected":
      if (outcome.reason === "gain_too_small") {
        return l10n.t("The summary was rejected, nothing changed. There is nothing worth compacting.");
      }
      return l10n.t("The summary was rejected, nothing changed. {0}", reason);
    case "cancelled":
      return l10n.t("Cancelled, nothing changed. {0}", reason);
    case "timed_out":
      return l10n.t("Timed out, nothing changed. {0}", reason);
    case "provider_error":
      return l10n.t("The provider failed, nothing changed. {0}", providerWords(outcome.error, reason));
    case "stopped":
      if (outcome.reason === "write_failed") {
        return l10n.t("Stopped. {0}", sessionErrorSentence(outcome.error?.code ?? "") ?? reason);
      }
      return l10n.t("Stopped: no room could be made. {0}", reason);
  }
}

function details(outcome: CompactOutcome): string[] {
  const sentences: string[] = [];
  if (outcome.state === "rejected") sentences.push(...failureSentences(outcome.failures));
  if (outcome.summaryFailure !== undefined) sentences.push(summaryFailureSentence(outcome.summaryFailure));
  for (const { text, sentence } of outcome.retired) {
    sentences.push(
      l10n.t("It retired the commitment “{0}”, because you said “{1}”.", excerpt(text), excerpt(sentence)),
    );
  }
  if (outcome.state === "stopped" && outcome.floorParts[0] !== undefined) {
    const { what, tokens } = outcome.floorParts[0];
    sentences.push(
      l10n.t("The largest part is {0} with {1} tokens.", floorPartWord(what), shortTokens(tokens)),
    );
  }
  return sentences;
}

function summaryFailureSentence(failure: NonNullable<CompactOutcome["summaryFailure"]>): string {
  const why =
    failure.state === "provider_error"
      ? providerWords(failure.error, reasonSentence(failure.reason))
      : [reasonSentence(failure.reason), ...failureSentences(failure.failures)].join(" ");
  return l10n.t("No summary was made after that. {0}", why);
}

function providerWords(error: CompactOutcome["error"], reason: string): string {
  return error === undefined ? reason : modelErrorSentence(error.code, error.message);
}

/** The first failure in words, and how many more there are. */
function failureSentences(failures: readonly string[]): string[] {
  const [first, ...more] = failures;
  if (first === undefined) return [];
  const sentence = failureSentence(first);
  if (more.length === 0) return [sentence];
  return [sentence, more.length === 1 ? l10n.t("(1 more)") : l10n.t("({0} more)", more.length)];
}

const EXCERPT_CHARACTERS = 120;

/** One line of at most 120 characters, in which nothing is hidden or reordered. */
export function excerpt(text: string, length = EXCERPT_CHARACTERS): string {
  // A character is one or two of the units in which a line is measured.
  const line = oneLine(text, 2 * length);
  const characters = Array.from(line);
  return characters.length <= length ? line : `${characters.slice(0, length - 1).join("")}…`;
}

export function floorPartWord(what: CompactOutcome["floorParts"][number]["what"]): string {
  return floorPartWords[what]();
}

const floorPartWords: Readonly<Record<CompactOutcome["floorParts"][number]["what"], () => string>> = {
  system: () => l10n.t("the system message"),
  tools: () => l10n.t("the tool definitions"),
  root: () => l10n.t("the first request"),
  pin: () => l10n.t("a pinned message"),
  tail: () => l10n.t("the recent messages"),
  capsule: () => l10n.t("the capsule"),
  images: () => l10n.t("images"),
};

/** What a running compaction does now, for a progress notification. */
export function phaseWords(phase: CompactionPhase): string {
  return phaseTexts[phase]();
}

const phaseTexts: Readonly<Record<CompactionPhase, () => string>> = {
  planning: () => l10n.t("Planning…"),
  evicting: () => l10n.t("Evicting tool results…"),
  summarizing: () => l10n.t("Summarizing…"),
  checking: () => l10n.t("Checking the capsule…"),
  saving: () => l10n.t("Saving…"),
};

export function undoSentence(outcome: UndoOutcome): string {
  if (outcome.ok) {
    return outcome.kind === "evicted"
      ? l10n.t("Taken back: the evicted parts are in the context again.")
      : l10n.t("Taken back: the messages that the capsule stood for are in the context again.");
  }
  return undoRefusals[outcome.reason]();
}

const undoRefusals: Readonly<Record<Extract<UndoOutcome, { ok: false }>["reason"], () => string>> = {
  nothing_to_undo: () => l10n.t("There is no compaction to take back."),
  hash_differs: () =>
    l10n.t(
      "Not taken back: the restored context would differ from the one before the compaction. Nothing changed.",
    ),
  read_only: () => l10n.t("Another window is writing this session; take it over first."),
  running: () => l10n.t("A compaction is running; cancel it or wait for its end."),
};
