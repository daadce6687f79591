import { l10n } from "vscode";
import type { ImportFormat, ImportReport } from "../sessions/import/importedSession.ts";
import { fullNumber } from "./words.ts";

const formatNames: Readonly<Record<ImportFormat, () => string>> = {
  openai: () => l10n.t("OpenAI-style messages"),
  "claude-code": () => l10n.t("Claude Code"),
  pi: () => l10n.t("pi"),
};

export function importFormatName(format: ImportFormat): string {
  return formatNames[format]();
}

/** The notification: what came in, and what a person should look at. */
export function importSentence(title: string, report: ImportReport): string {
  const imported = l10n.t(
    "Imported “{0}” ({1}): {2} messages, {3} of them yours.",
    title,
    importFormatName(report.format),
    fullNumber(report.messages),
    fullNumber(report.userMessages),
  );
  const remarks = [
    report.boundaries.length > 0 && l10n.t("It had been compacted before; the context starts there."),
    report.unknownLines > 0 &&
      (report.unit === "line"
        ? l10n.t("Lines of an unknown kind, kept as they are: {0}.", fullNumber(report.unknownLines))
        : l10n.t("Entries of an unknown kind, kept as they are: {0}.", fullNumber(report.unknownLines))),
    report.openCalls > 0 && l10n.t("Tool calls without a result: {0}.", fullNumber(report.openCalls)),
    report.notes[0] ?? false,
  ];
  return [imported, ...remarks.filter((remark) => remark !== false)].join(" ");
}
