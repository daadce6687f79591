import * as vscode from "vscode";
import type { LiveSession } from "../../engine/liveSession.ts";
import type { ActiveSession } from "../activeSession.ts";
import { DOCUMENT_SCHEME } from "../contributions.ts";
import type { Settings } from "../settings.ts";
import type { SummarizerForecast } from "../summarizerChoice.ts";
import { errorSentence } from "../words.ts";
import { parseDocumentUri } from "./openPlaces.ts";
import type { PreviewModel, SessionDocuments, ShownDocument } from "./sessionDocuments.ts";

export interface DocumentParts {
  readonly sessions: ActiveSession;
  readonly settings: Settings;
  readonly summarizer: SummarizerForecast;
  readonly onError: (error: unknown) => void;
}

/** A burst of changes refreshes the open documents once. */
const REFRESH_MS = 250;

/**
 * The read-only documents of all sessions: their text, and which of the open ones must be read again. A session's
 * documents keep what they measured while one of them is open.
 */
export class Documents implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #parts: DocumentParts;
  readonly #sessionDocuments = new Map<string, SessionDocuments>();
  readonly #shown = new Map<string, ShownDocument>();
  readonly #textChanged = new vscode.EventEmitter<vscode.Uri>();
  readonly #shownChanged = new vscode.EventEmitter<vscode.Uri>();
  readonly #subscriptions: vscode.Disposable[];
  readonly #stale = new Set<string>();
  #pending: NodeJS.Timeout | undefined;

  readonly onDidChange = this.#textChanged.event;
  /** The text of an open document was given to the editor, the first time or again. */
  readonly onDidShow = this.#shownChanged.event;

  constructor(parts: DocumentParts) {
    this.#parts = parts;
    const { sessions, settings } = parts;
    this.#subscriptions = [
      vscode.workspace.registerTextDocumentContentProvider(DOCUMENT_SCHEME, this),
      vscode.workspace.onDidCloseTextDocument((document) => this.#forget(document.uri)),
      vscode.window.onDidChangeVisibleTextEditors((editors) => {
        // Only the active session tells of its changes; others are looked at when somebody looks at them.
        for (const { document } of editors) this.#refreshSoon(parseDocumentUri(document.uri)?.sessionId);
      }),
      sessions.onDidChange((live) => this.#refreshSoon(live.id)),
      sessions.onDidChangeActive((live) => {
        this.#dropUnused();
        this.#refreshSoon(live?.id);
      }),
      settings.onDidChange(() => this.#refreshSoon(sessions.current?.id)),
    ];
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const named = parseDocumentUri(uri);
    if (named === undefined) return vscode.l10n.t("There is no such document.");
    try {
      const shown = await this.use(named.sessionId, (documents, live) =>
        documents.show(live, named.address, () => this.#previewModel(live)),
      );
      this.#shown.set(uri.toString(), shown);
      this.#shownChanged.fire(uri);
      return shown.text;
    } catch (error) {
      return errorSentence(error) ?? "";
    }
  }

  /** What the editor was given for a document, with its links and sections; undefined before that. */
  shown(uri: vscode.Uri): ShownDocument | undefined {
    return this.#shown.get(uri.toString());
  }

  /** Works with a session and its documents; the session stays open meanwhile. */
  use<Result>(
    sessionId: string,
    work: (documents: SessionDocuments, live: LiveSession) => Promise<Result>,
  ): Promise<Result> {
    return this.#parts.sessions.borrow(sessionId, async (live) =>
      work(await this.#documentsOf(sessionId), live),
    );
  }

  dispose(): void {
    clearTimeout(this.#pending);
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#textChanged.dispose();
    this.#shownChanged.dispose();
  }

  async #documentsOf(sessionId: string): Promise<SessionDocuments> {
    const known = this.#sessionDocuments.get(sessionId);
    if (known !== undefined) return known;
    const { SessionDocuments } = await import("./sessionDocuments.ts");
    const made = this.#sessionDocuments.get(sessionId) ?? new SessionDocuments();
    this.#sessionDocuments.set(sessionId, made);
    return made;
  }

  async #previewModel(live: LiveSession): Promise<PreviewModel> {
    const { settings, summarizer } = this.#parts;
    return { model: await summarizer.foresee(live.meter.modelId), settings: settings.engine };
  }

  #refreshSoon(sessionId: string | undefined): void {
    if (sessionId === undefined || !this.#sessionDocuments.has(sessionId)) return;
    this.#stale.add(sessionId);
    this.#pending ??= setTimeout(() => {
      this.#pending = undefined;
      const stale = [...this.#stale];
      this.#stale.clear();
      for (const id of stale) this.#refresh(id).catch(this.#parts.onError);
    }, REFRESH_MS);
  }

  /** Asks the editor to read those documents again whose content is another one now. */
  async #refresh(sessionId: string): Promise<void> {
    const open = vscode.workspace.textDocuments.flatMap(({ uri }) => {
      const named = parseDocumentUri(uri);
      return named?.sessionId === sessionId ? [{ uri, address: named.address }] : [];
    });
    if (open.length === 0) return;
    await this.use(sessionId, async (documents, live) => {
      for (const { uri, address } of open) {
        const signature = await documents.signature(live, address, () => this.#previewModel(live));
        const shown = this.#shown.get(uri.toString());
        if (signature !== undefined && signature !== shown?.signature) this.#textChanged.fire(uri);
      }
    });
  }

  #forget(uri: vscode.Uri): void {
    if (!this.#shown.delete(uri.toString())) return;
    this.#dropUnused(uri);
  }

  /** What was measured is kept for the active session and for sessions of which a document is open. */
  #dropUnused(closed?: vscode.Uri): void {
    const used = new Set([this.#parts.sessions.current?.id]);
    for (const { uri } of vscode.workspace.textDocuments) {
      if (uri.toString() !== closed?.toString()) used.add(parseDocumentUri(uri)?.sessionId);
    }
    for (const id of this.#sessionDocuments.keys()) if (!used.has(id)) this.#sessionDocuments.delete(id);
  }
}
