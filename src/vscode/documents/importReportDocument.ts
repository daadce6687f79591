import { l10n } from "vscode";
import type { ContextState } from "../../core/projection.ts";
import type { LogEntry, SessionOrigin } from "../../sessions/entries.ts";
import type { ReplayProblem } from "../../sessions/session.ts";
import type { DocumentPage } from "./documentPage.ts";
import { PageBuilder } from "./documentPage.ts";
import { grouped } from "./documentWords.ts";
import type { TranscriptRecord } from "./transcriptRecord.ts";
import { oneLine } from "./visibleText.ts";

export interface ImportReportInput {
  readonly title: string;
  readonly origin: SessionOrigin | undefined;
  readonly entries: readonly LogEntry[];
  readonly record: TranscriptRecord;
  readonly context: Pick<ContextState, "transcript">;
  readonly problems: readonly ReplayProblem[];
}

const LISTED_LINES = 200;
const REASON_LENGTH = 300;

/** What the record of a session is made of, counted from the record itself: it can be read again at any time. */
export function importReportPage(input: ImportReportInput): DocumentPage {
  const page = new PageBuilder();
  const { counts } = input.record;
  page.line(l10n.t("Import report of {0}", oneLine(input.title, 120)));
  if (input.origin !== undefined) {
    const format = input.origin.format === undefined ? "" : ` (${oneLine(input.origin.format, 40)})`;
    page.line(l10n.t("Made from {0}", oneLine(input.origin.name, 200)) + format);
  }
  page.line("");

  heading(page, l10n.t("Messages"));
  row(page, l10n.t("messages in all"), counts.messages);
  row(page, l10n.t("typed by a person"), counts.user);
  row(page, l10n.t("assistant"), counts.assistant);
  row(page, l10n.t("tool"), counts.tool);
  if (counts.system > 0) row(page, l10n.t("system"), counts.system);
  row(page, l10n.t("notices"), counts.notices);
  if (counts.attachments > 0) row(page, l10n.t("attachments"), counts.attachments);
  if (counts.images > 0) row(page, l10n.t("images"), counts.images);
  row(page, l10n.t("in the context now or summarized"), input.context.transcript.length);
  page.line("");

  heading(page, l10n.t("Tools"));
  row(page, l10n.t("calls"), counts.calls);
  row(page, l10n.t("results"), counts.results);
  row(page, l10n.t("calls without a result"), Math.max(0, counts.calls - counts.results));
  page.line("");

  heading(page, l10n.t("Kept, and never in the context"));
  row(page, l10n.t("sidechain messages of sub-agents"), counts.sidechain);
  row(page, l10n.t("lines that were not understood"), counts.foreign);
  page.line("");

  heading(page, l10n.t("Compacted before the import"));
  if (counts.boundaries === 0) page.line("  ", l10n.t("Never."));
  else row(page, l10n.t("times; the context starts after the last one"), counts.boundaries);
  page.line("");

  listForeignLines(page, input.entries, counts.foreign);
  listProblems(page, input.problems);
  return page.finish();
}

function heading(page: PageBuilder, name: string): void {
  page.section({ name, detail: "", kind: "heading" });
  page.line(name);
}

function row(page: PageBuilder, what: string, value: number): void {
  page.line(`  ${grouped(value).padStart(9)}  ${what}`);
}

function listForeignLines(page: PageBuilder, entries: readonly LogEntry[], count: number): void {
  if (count === 0) return;
  heading(page, l10n.t("Lines that were not understood"));
  let listed = 0;
  for (const entry of entries) {
    if (entry.type !== "foreign") continue;
    if (listed === LISTED_LINES) {
      page.line("  ", l10n.t("… and {0} more; all of them are kept", grouped(count - listed)));
      break;
    }
    listed += 1;
    page.line(`  ${grouped(entry.line).padStart(9)}  ${oneLine(entry.reason, REASON_LENGTH)}`);
  }
  page.line("");
}

function listProblems(page: PageBuilder, problems: readonly ReplayProblem[]): void {
  if (problems.length === 0) return;
  heading(page, l10n.t("Damage in the session's own file"));
  for (const { kind, line, bytes } of problems.slice(0, LISTED_LINES)) {
    page.line("  ", l10n.t("line {0}: {1}, {2} bytes set aside", grouped(line), kind, grouped(bytes)));
  }
  page.line("");
}
