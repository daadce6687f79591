import * as vscode from "vscode";
import type { ImportReport } from "../sessions/import/importedSession.ts";
import { importReportMarkdown } from "./importReportWords.ts";

const STATE_KEY = "importReports";
const KEPT_REPORTS = 20;
const SCHEME = "context-capsule-import";

export interface NamedImportReport {
  readonly sessionId: string;
  /** Base name of the file. */
  readonly fileName: string;
  readonly report: ImportReport;
}

/** The reports of the newest imports, kept over reloads, each shown as a read-only document. */
export class ImportReports implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #workspaceState: vscode.Memento;
  readonly #registered: vscode.Disposable;

  constructor(workspaceState: vscode.Memento) {
    this.#workspaceState = workspaceState;
    this.#registered = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
  }

  async keep(report: NamedImportReport): Promise<void> {
    const others = this.#all().filter(({ sessionId }) => sessionId !== report.sessionId);
    await this.#workspaceState.update(STATE_KEY, [report, ...others].slice(0, KEPT_REPORTS));
  }

  async show(sessionId: string): Promise<void> {
    const fileName = this.#of(sessionId)?.fileName ?? sessionId;
    const title = vscode.l10n.t("Import Report of {0}", fileName).replaceAll("/", "_");
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${title}.md`, query: sessionId });
    await vscode.commands.executeCommand("markdown.showPreview", uri);
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    const named = this.#of(uri.query);
    return named === undefined
      ? vscode.l10n.t("This report is not kept any more: only the newest {0} are.", KEPT_REPORTS)
      : importReportMarkdown(named.fileName, named.report);
  }

  dispose(): void {
    this.#registered.dispose();
  }

  #all(): readonly NamedImportReport[] {
    return this.#workspaceState.get<NamedImportReport[]>(STATE_KEY) ?? [];
  }

  #of(id: string): NamedImportReport | undefined {
    return this.#all().find(({ sessionId }) => sessionId === id);
  }
}
