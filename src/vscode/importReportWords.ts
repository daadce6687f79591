import { l10n } from "vscode";
import type { ImportReport } from "../sessions/import/importedSession.ts";
import { importFormatName } from "./importSentence.ts";
import { escapeMarkdown } from "./markdown.ts";
import { fullNumber } from "./words.ts";

/** Every count of the import, as a document. */
export function importReportMarkdown(fileName: string, report: ImportReport): string {
  return [
    `# ${l10n.t("Import report")}`,
    `${escapeMarkdown(fileName)} — ${importFormatName(report.format)}`,
    `## ${l10n.t("Transcript")}`,
    table([
      [l10n.t("Messages"), report.messages, ""],
      [l10n.t("Typed by a person"), report.userMessages, ""],
      [l10n.t("Notices and attachments"), report.notices, l10n.t("role user, but nobody typed them")],
      [l10n.t("Tool calls"), report.calls, ""],
      [l10n.t("Results"), report.results, ""],
      [l10n.t("Open calls"), report.openCalls, l10n.t("without a result in the file")],
      [l10n.t("Results without a call"), report.orphanResults, l10n.t("became notices")],
      [l10n.t("Aborted turns"), report.abortedTurns, ""],
    ]),
    `## ${l10n.t("Beside the context")}`,
    table([
      [
        l10n.t("Sidechain messages"),
        report.sidechain.messages,
        l10n.t("of sub-agents; never in the context"),
      ],
      [l10n.t("Sidechain calls"), report.sidechain.calls, ""],
      [l10n.t("Sidechain results"), report.sidechain.results, ""],
      [l10n.t("Outside the branch"), report.outside, l10n.t("rewound, or cut out by another agent")],
    ]),
    `## ${report.unit === "line" ? l10n.t("Lines of the file") : l10n.t("Entries of the file")}`,
    table([
      [l10n.t("All"), report.lines, ""],
      [l10n.t("Messages"), report.messageLines, ""],
      [l10n.t("Sidechain"), report.sidechainLines, ""],
      [l10n.t("Outside the branch"), report.outsideLines, ""],
      [l10n.t("Compactions"), report.boundaryLines, ""],
      [l10n.t("Metadata"), report.metadataLines, l10n.t("titles, modes, snapshots; kept as they are")],
      [
        l10n.t("Unknown"),
        report.unknownLines,
        l10n.t("damaged, or of a kind that nobody knows; kept as they are"),
      ],
    ]),
    `## ${l10n.t("Compacted before")}`,
    boundaries(report),
    ...(report.notes.length === 0
      ? []
      : [`## ${l10n.t("Notes")}`, report.notes.map((note) => `- ${escapeMarkdown(note)}`).join("\n")]),
  ].join("\n\n");
}

function table(rows: readonly (readonly [name: string, count: number, remark: string])[]): string {
  return [
    "| | | |",
    "| :-- | --: | :-- |",
    ...rows.map(([name, count, remark]) => `| ${name} | ${fullNumber(count)} | ${remark} |`),
  ].join("\n");
}

function boundaries({ boundaries: found }: ImportReport): string {
  if (found.length === 0) return l10n.t("No.");
  return found
    .map(({ line, trigger, tokensBefore }) =>
      [
        `- ${l10n.t("Line {0}", fullNumber(line))}`,
        ...(trigger === undefined ? [] : [escapeMarkdown(trigger)]),
        ...(tokensBefore === undefined ? [] : [l10n.t("{0} tokens before it", fullNumber(tokensBefore))]),
      ].join(" · "),
    )
    .join("\n");
}
