import { createReadStream } from "node:fs";
import { basename } from "node:path";
import * as vscode from "vscode";
import type { ImportedSession, ImportReport, ImportResult } from "../sessions/import/importedSession.ts";
import type { ActiveSession } from "./activeSession.ts";
import { commands } from "./contributions.ts";
import type { ImportReports } from "./importReports.ts";
import { importSentence } from "./importSentence.ts";
import { showError, showInformation, withCancellableProgress } from "./notices.ts";
import { newId } from "./openSessions.ts";
import { createSlices } from "./slices.ts";
import { byteSize, excerpt } from "./words.ts";

/** A title made of a first message leaves room for age and size in the list. */
const TITLE_CHARACTERS = 60;

export interface ImportedSessionResult {
  readonly sessionId: string;
  readonly report: ImportReport;
}

export interface ImportCommandOptions {
  readonly sessions: ActiveSession;
  readonly reports: ImportReports;
  readonly onError: (error: unknown) => void;
}

/** Import Session: a file of another agent becomes a session of ours, with a report of all that was in it. */
export class ImportCommand {
  readonly #options: ImportCommandOptions;

  constructor(options: ImportCommandOptions) {
    this.#options = options;
  }

  /** Without a file it asks for one. Undefined where the person backed out or the file cannot be imported (said so). */
  async import(file: vscode.Uri | undefined): Promise<ImportedSessionResult | undefined> {
    const source = file ?? (await pickFile());
    if (source === undefined) return undefined;
    const fileName = basename(source.path);
    const result = await this.#readWithProgress(source, fileName);
    if (!result.ok) {
      if (result.code !== "cancelled") void showError(result.reason);
      return undefined;
    }
    const { sessions, reports, onError } = this.#options;
    const { imported } = result;
    const sessionId = await this.#store(imported, fileName);
    await reports.keep({ sessionId, fileName, report: imported.report });
    const live = await sessions.activate(sessionId);
    this.#tell(sessionId, live.meter.title, imported.report).catch(onError);
    return { sessionId, report: imported.report };
  }

  #readWithProgress(source: vscode.Uri, fileName: string): Thenable<ImportResult> {
    return withCancellableProgress(vscode.l10n.t("Importing {0}", fileName), async (report, token) => {
      const abort = new AbortController();
      const cancelled = token.onCancellationRequested(() => abort.abort());
      try {
        const { importSession } = await import("../sessions/import/importSession.ts");
        return await importSession({
          fileName,
          chunks: chunksOf(source, abort.signal),
          signal: abort.signal,
          onProgress: (bytes) => report(vscode.l10n.t("{0} read", byteSize(bytes))),
        });
      } finally {
        cancelled.dispose();
      }
    });
  }

  async #store(imported: ImportedSession, fileName: string): Promise<string> {
    const { importedEntries } = await import("../sessions/importedEntries.ts");
    const { format, sourceSessionId, title } = imported;
    const slices = createSlices();
    return (await this.#options.sessions.store()).create({
      title: title === undefined ? fileName : excerpt(title, TITLE_CHARACTERS),
      entries: await importedEntries(imported, { newId, now: Date.now(), pause: () => slices.pause() }),
      origin: {
        kind: "import",
        name: fileName,
        format,
        ...(sourceSessionId === undefined ? {} : { sessionId: sourceSessionId }),
      },
    });
  }

  async #tell(sessionId: string, title: string, report: ImportReport): Promise<void> {
    const showReport = vscode.l10n.t("Show Report");
    const openTranscript = vscode.l10n.t("Open Transcript");
    const picked = await showInformation(importSentence(title, report), showReport, openTranscript);
    if (picked === showReport) await vscode.commands.executeCommand(commands.showImportReport, sessionId);
    if (picked === openTranscript) await vscode.commands.executeCommand(commands.openTranscript, sessionId);
  }
}

async function pickFile(): Promise<vscode.Uri | undefined> {
  const picked = await vscode.window.showOpenDialog({
    title: vscode.l10n.t("Import Session"),
    openLabel: vscode.l10n.t("Import"),
    canSelectMany: false,
    filters: {
      [vscode.l10n.t("Sessions of agents")]: ["jsonl", "json"],
      [vscode.l10n.t("All files")]: ["*"],
    },
  });
  return picked?.[0];
}

/** A file on this disk is read in pieces; one of another file system comes whole, as its provider gives it. */
async function* chunksOf(source: vscode.Uri, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  if (source.scheme === "file") yield* createReadStream(source.fsPath, { signal });
  else yield await vscode.workspace.fs.readFile(source);
}
