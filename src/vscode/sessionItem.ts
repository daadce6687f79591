import * as vscode from "vscode";
import type { SessionSummary } from "../sessions/session.ts";
import { commands, contextValue, itemWords } from "./contributions.ts";
import { escapeMarkdown } from "./markdown.ts";
import type { Fullness } from "./meterText.ts";
import { fullnessWords, shortFullness } from "./meterText.ts";
import { age, byteSize, excerpt, fullNumber } from "./words.ts";

/** Leaves room for the description in a side bar of the usual width; the hover has the whole title. */
const LABEL_CHARACTERS = 28;

/** A row of the Sessions view. Commands of its menus take it as a `SessionTarget`. */
export interface SessionNode {
  readonly sessionId: string;
  readonly summary: SessionSummary;
}

export interface SessionItemState {
  readonly active: boolean;
  readonly readOnly: boolean;
  readonly fullness: Fullness | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Scheme of the rows' resource, by which the read-only badge finds them; no file behind it. */
export const SESSION_RESOURCE_SCHEME = "context-capsule-session";

export function sessionResource(sessionId: string): vscode.Uri {
  return vscode.Uri.from({ scheme: SESSION_RESOURCE_SCHEME, path: `/${sessionId}` });
}

export function sessionItem(node: SessionNode, state: SessionItemState): vscode.TreeItem {
  const { summary, sessionId } = node;
  const { active, readOnly } = state;
  const item = new vscode.TreeItem(
    excerpt(summary.title, LABEL_CHARACTERS),
    vscode.TreeItemCollapsibleState.None,
  );
  item.id = sessionId;
  item.resourceUri = sessionResource(sessionId);
  item.description = facts(summary, state, shortFullness);
  item.iconPath = new vscode.ThemeIcon(iconOf(summary, state));
  item.contextValue = contextValue(
    itemWords.session,
    active && itemWords.activeSession,
    readOnly && itemWords.readOnlySession,
    summary.generation > 0 && itemWords.withCapsule,
  );
  item.command = {
    command: commands.switchSession,
    title: vscode.l10n.t("Make This Session Active"),
    arguments: [sessionId],
  };
  item.accessibilityInformation = {
    label: [
      summary.title,
      ...(active ? [vscode.l10n.t("active")] : []),
      facts(summary, state, fullnessWords),
    ].join(", "),
  };
  return item;
}

/** What tells two sessions of one name apart; what matters most comes first, for a narrow side bar cuts the end off. */
function facts(
  { updatedAt, bytes, problems }: SessionSummary,
  { fullness, now, readOnly }: SessionItemState,
  wordsOf: (fullness: Fullness) => string,
): string {
  const full = fullness === undefined ? "" : wordsOf(fullness);
  return [
    ...(readOnly ? [vscode.l10n.t("read-only")] : []),
    ...(full === "" ? [] : [full]),
    age(updatedAt, now),
    byteSize(bytes),
    ...(problems > 0 ? [vscode.l10n.t("damaged lines")] : []),
  ].join(" · ");
}

function iconOf({ problems }: SessionSummary, { active, readOnly }: SessionItemState): string {
  if (active) return "check";
  if (readOnly) return "lock";
  return problems > 0 ? "warning" : "comment";
}

/** Made when a person asks for it: the list stays cheap. */
export function sessionTooltip(
  summary: SessionSummary,
  fullness: Fullness | undefined,
): vscode.MarkdownString {
  const date = new Intl.DateTimeFormat(vscode.env.language, { dateStyle: "medium", timeStyle: "short" });
  const rows: readonly (readonly [string, string])[] = [
    [vscode.l10n.t("Created"), date.format(summary.createdAt)],
    [vscode.l10n.t("Changed"), date.format(summary.updatedAt)],
    [vscode.l10n.t("Messages"), fullNumber(summary.messageCount)],
    [vscode.l10n.t("Capsules"), fullNumber(summary.generation)],
    [vscode.l10n.t("Size"), byteSize(summary.bytes)],
    ...(fullness === undefined || fullnessWords(fullness) === ""
      ? []
      : [[vscode.l10n.t("Context"), fullnessWords(fullness)] as const]),
    [vscode.l10n.t("Place"), escapeMarkdown(summary.place)],
  ];
  const lines = [
    `**${escapeMarkdown(summary.title)}**`,
    "",
    "| | |",
    "| :-- | :-- |",
    ...rows.map(([name, value]) => `| ${name} | ${value} |`),
    ...(summary.problems > 0
      ? [
          "",
          `$(warning) ${vscode.l10n.t("Lines of this session that could not be read were set aside: {0}. Nothing was deleted.", fullNumber(summary.problems))}`,
        ]
      : []),
  ];
  return new vscode.MarkdownString(lines.join("\n"), true);
}
