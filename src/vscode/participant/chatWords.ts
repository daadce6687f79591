import { l10n } from "vscode";
import type { CompactOutcome } from "../../core/compactionOutcome.ts";
import type { ChatOutcome, MeterReading, UndoOutcome } from "../../engine/liveSession.ts";
import { escapeMarkdown } from "../markdown.ts";
import {
  didCompact,
  fullNumber,
  modelErrorSentence,
  outcomeSentences,
  tokensInWords,
  undoSentence,
} from "../words.ts";
import type { Continuation } from "./continuation.ts";

/** Lines as a quotation that stands apart from the model's own words, and stays when the chat is opened again. */
export function quoted(...lines: readonly string[]): string {
  return `${lines.map((line) => `> ${line}`).join("\n>\n")}\n\n`;
}

/** The end state of a run as Markdown; `writer` is the name of the model that wrote, or was to write, the capsule. */
export function compactionMarkdown(outcome: CompactOutcome, writer: string | undefined): string {
  const sentences = [escapeMarkdown(outcomeSentences(outcome))];
  if (outcome.state === "summarized" && writer !== undefined) {
    sentences.push(l10n.t("Written by {0}.", escapeMarkdown(writer)));
  }
  if (didCompact(outcome.state)) sentences.push(l10n.t("`@capsule /undo` takes it back."));
  return sentences.join(" ");
}

/** Where a chat goes on, if that is not where its session ends. */
export function continuationNote(where: Continuation): string | undefined {
  switch (where.at) {
    case "head":
      return undefined;
    case "earlier":
      if (where.messageNumber === 0) {
        return where.laterMessages === 1
          ? l10n.t("This continues from the beginning. The later message stays in the session's record.")
          : l10n.t(
              "This continues from the beginning. The {0} later messages stay in the session's record.",
              fullNumber(where.laterMessages),
            );
      }
      return where.laterMessages === 1
        ? l10n.t(
            "This continues from message {0}. The later message stays in the session's record.",
            fullNumber(where.messageNumber),
          )
        : l10n.t(
            "This continues from message {0}. The {1} later messages stay in the session's record.",
            fullNumber(where.messageNumber),
            fullNumber(where.laterMessages),
          );
    case "other_branch":
      return l10n.t(
        "This continues on the branch that this chat shows. The session's newer messages stay in its record.",
      );
    case "not_on_record":
      return l10n.t(
        "The last message of this chat is not on the session's record, so this continues at the session's end.",
      );
  }
}

/** What a reply ends with when it did not end well; undefined where the model's words say it all. */
export function chatEndMarkdown(
  outcome: ChatOutcome,
  seen: { readonly wroteText: boolean; readonly calledTool: string | undefined },
  meter: MeterReading,
): string | undefined {
  switch (outcome.state) {
    case "complete":
      if (seen.calledTool !== undefined) {
        return l10n.t(
          "The model asked for the tool `{0}`. Tools are not offered in this version; ask it to answer without them.",
          seen.calledTool.replaceAll("`", ""),
        );
      }
      return seen.wroteText ? undefined : l10n.t("The model sent an empty reply. Send the message again.");
    case "cancelled":
      return seen.wroteText
        ? l10n.t("Stopped. What came so far is kept in the session.")
        : l10n.t("Stopped.");
    case "provider_error":
      return providerErrorMarkdown(outcome, seen.wroteText);
    case "stopped":
      return tooBigMarkdown(meter);
  }
}

function providerErrorMarkdown({ error }: ChatOutcome, wroteText: boolean): string {
  const code = error?.code ?? "unknown";
  const kept = wroteText
    ? l10n.t("Your message and what came of the reply are kept.")
    : l10n.t("Your message is kept.");
  return [`**${escapeMarkdown(modelErrorSentence(code, error?.message))}**`, kept, whatNext(code)].join(" ");
}

function whatNext(code: string): string {
  switch (code) {
    case "rate":
    case "network":
    case "timeout":
      return l10n.t("Wait a little, then send it again.");
    case "authentication":
    case "permission":
    case "blocked":
      return l10n.t("Check the sign-in of this model, or choose another one below the chat box.");
    case "overflow":
      return l10n.t("Use `@capsule /compact`, then send it again.");
    default:
      return l10n.t("Send it again, or choose another model below the chat box.");
  }
}

function tooBigMarkdown({ usedTokens = 0, ceiling = 0 }: MeterReading): string {
  return l10n.t(
    "**Nothing was sent:** the context has {0}, and {1} is the most that fits. Your message is kept. Use `@capsule /compact`, then send it again.",
    tokensInWords(usedTokens),
    fullNumber(ceiling),
  );
}

export function undoMarkdown(
  outcome: UndoOutcome,
  now: { readonly moreToUndo: boolean; readonly paused: boolean; readonly usedTokens: number | undefined },
): string {
  const sentences = [escapeMarkdown(undoSentence(outcome))];
  if (!outcome.ok) return sentences.join(" ");
  if (now.usedTokens !== undefined) {
    sentences.push(l10n.t("The context has about {0} now.", tokensInWords(now.usedTokens)));
  }
  if (now.moreToUndo) sentences.push(l10n.t("`@capsule /undo` again takes back the compaction before it."));
  if (now.paused) {
    sentences.push(l10n.t("Automatic compaction is paused until you turn it on again."));
  }
  return sentences.join(" ");
}

export function newSessionMarkdown(title: string): string {
  return l10n.t("New session: **{0}**", escapeMarkdown(title));
}

export function deletedSessionMarkdown(): string {
  return l10n.t("The session of this chat was deleted, so a new one starts here.");
}

export function noSessionMarkdown(): string {
  return l10n.t(
    "There is no session yet. Type a message to start one, or import one from the Sessions view.",
  );
}

export function busyMarkdown(): string {
  return l10n.t("This session is answering in another chat. Wait for its end, or stop it there.");
}

export function toolsNotOfferedNote(names: readonly string[]): string {
  return l10n.t(
    "Tools are not offered in this version, so the message went without {0}.",
    names.map((name) => `\`#${name.replaceAll("`", "")}\``).join(", "),
  );
}

export function helpMarkdown(): string {
  return [
    l10n.t(
      "Type a message after `@capsule`: the model that is chosen below answers, and the session keeps every word. Its context can be compacted without losing a commitment.",
    ),
    [
      l10n.t("`/compact` compacts now; words after it say what to keep in focus."),
      l10n.t("`/context` shows how full the context is and what it is made of."),
      l10n.t("`/undo` takes back the last compaction."),
      l10n.t("`/new` starts a new session in this chat."),
    ]
      .map((line) => `- ${line}`)
      .join("\n"),
  ].join("\n\n");
}
