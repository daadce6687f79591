import * as vscode from "vscode";
import { commands, contextKeys, DOCUMENT_SCHEME } from "../contributions.ts";
import type { DocumentSection, DocumentTarget } from "./documentPage.ts";
import type { Documents } from "./documents.ts";
import { parseDocumentUri } from "./openPlaces.ts";
import type { ShownDocument } from "./sessionDocuments.ts";

const symbolKinds: Readonly<Record<DocumentSection["kind"], vscode.SymbolKind>> = {
  message: vscode.SymbolKind.String,
  call: vscode.SymbolKind.Function,
  result: vscode.SymbolKind.Field,
  note: vscode.SymbolKind.Event,
  heading: vscode.SymbolKind.Namespace,
};

/** Links, outline, captions and page buttons of our documents, all made by what made their text. */
export function registerDocumentFeatures(documents: Documents): vscode.Disposable {
  const selector = { scheme: DOCUMENT_SCHEME };
  const lensesChanged = new vscode.EventEmitter<void>();
  const keys = new EditorKeys(documents);
  return vscode.Disposable.from(
    keys,
    lensesChanged,
    documents.onDidShow((uri) => {
      lensesChanged.fire();
      if (vscode.window.activeTextEditor?.document.uri.toString() === uri.toString()) keys.update();
    }),
    vscode.languages.registerDocumentLinkProvider(selector, {
      provideDocumentLinks: (document) => links(document.uri, documents),
    }),
    vscode.languages.registerDocumentSymbolProvider(selector, {
      provideDocumentSymbols: (document) => symbols(document, documents.shown(document.uri)),
    }),
    vscode.languages.registerCodeLensProvider(selector, {
      onDidChangeCodeLenses: lensesChanged.event,
      provideCodeLenses: (document) => lenses(document.uri, documents.shown(document.uri)),
    }),
  );
}

function links(uri: vscode.Uri, documents: Documents): vscode.DocumentLink[] {
  const named = parseDocumentUri(uri);
  const shown = documents.shown(uri);
  if (named === undefined || shown === undefined) return [];
  return shown.links.map(({ line, from, until, target, tooltip }) => {
    const link = new vscode.DocumentLink(
      new vscode.Range(line, from, line, until),
      targetUri(uri, named.sessionId, target),
    );
    link.tooltip = tooltip;
    return link;
  });
}

/** A link that runs our own command; the target is ours, ids inside it are data. */
function targetUri(from: vscode.Uri, sessionId: string, target: DocumentTarget): vscode.Uri {
  const args = JSON.stringify([{ sessionId, from: from.toString(), target }]);
  return vscode.Uri.from({ scheme: "command", path: commands.openDocumentTarget, query: args });
}

function symbols(document: vscode.TextDocument, shown: ShownDocument | undefined): vscode.DocumentSymbol[] {
  if (shown === undefined) return [];
  return shown.sections.flatMap(({ name, detail, kind, line, lastLine }) => {
    if (lastLine >= document.lineCount) return [];
    const whole = new vscode.Range(line, 0, lastLine, document.lineAt(lastLine).text.length);
    const title = new vscode.Range(line, 0, line, document.lineAt(line).text.length);
    return [new vscode.DocumentSymbol(name, detail, symbolKinds[kind], whole, title)];
  });
}

/** Above a text that is shown as it is: where it comes from, and its pages. */
function lenses(uri: vscode.Uri, shown: ShownDocument | undefined): vscode.CodeLens[] {
  const named = parseDocumentUri(uri);
  if (named === undefined || shown?.caption === undefined) return [];
  const { address, sessionId } = named;
  const top = new vscode.Range(0, 0, 0, 0);
  const lens = (title: string, target?: DocumentTarget): vscode.CodeLens =>
    new vscode.CodeLens(top, {
      title,
      command: target === undefined ? "" : commands.openDocumentTarget,
      ...(target === undefined ? {} : { arguments: [{ sessionId, from: uri.toString(), target }] }),
    });
  const made = [lens(shown.caption)];
  const messageId =
    address.kind === "original" ? address.segmentId : address.kind === "part" ? address.messageId : undefined;
  if (messageId !== undefined) {
    made.push(lens(vscode.l10n.t("Show in Transcript"), { to: "message", messageId }));
  }
  if ("page" in address && address.page > 1) {
    made.push(lens(vscode.l10n.t("Previous Page"), { to: "page", page: address.page - 1 }));
  }
  if ("page" in address && address.page < shown.pageCount) {
    made.push(lens(vscode.l10n.t("Next Page"), { to: "page", page: address.page + 1 }));
  }
  return made;
}

/** The context keys of the active editor, for its title buttons and context menu. */
class EditorKeys implements vscode.Disposable {
  readonly #documents: Documents;
  readonly #subscription: vscode.Disposable;
  readonly #set = new Map<string, boolean>();

  constructor(documents: Documents) {
    this.#documents = documents;
    this.#subscription = vscode.window.onDidChangeActiveTextEditor(() => this.update());
    this.update();
  }

  update(): void {
    const uri = vscode.window.activeTextEditor?.document.uri;
    const address = uri === undefined ? undefined : parseDocumentUri(uri)?.address;
    const page = address !== undefined && "page" in address ? address.page : undefined;
    const pageCount = uri === undefined ? 1 : (this.#documents.shown(uri)?.pageCount ?? 1);
    this.#change(contextKeys.transcriptShown, address?.kind === "transcript");
    this.#change(contextKeys.pageBefore, page !== undefined && page > 1);
    this.#change(contextKeys.pageAfter, page !== undefined && page < pageCount);
  }

  dispose(): void {
    this.#subscription.dispose();
  }

  #change(key: string, value: boolean): void {
    if (this.#set.get(key) === value) return;
    this.#set.set(key, value);
    void vscode.commands.executeCommand("setContext", key, value);
  }
}
