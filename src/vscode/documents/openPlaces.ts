import * as vscode from "vscode";
import { DOCUMENT_SCHEME } from "../contributions.ts";
import type { DocumentAddress } from "./documentAddress.ts";
import { documentPath, parseDocumentPath } from "./documentAddress.ts";

export interface NamedDocument {
  readonly sessionId: string;
  readonly address: DocumentAddress;
  /** What the tab says. */
  readonly label: string;
}

export function documentUri({ sessionId, address, label }: NamedDocument): vscode.Uri {
  return vscode.Uri.from({ scheme: DOCUMENT_SCHEME, path: documentPath(sessionId, address, label) });
}

export function parseDocumentUri(
  uri: vscode.Uri,
): { readonly sessionId: string; readonly address: DocumentAddress } | undefined {
  return uri.scheme === DOCUMENT_SCHEME ? parseDocumentPath(uri.path) : undefined;
}

/** Opens a document with the cursor at a line; one above 50 MB opens too, which `openTextDocument` refuses. */
export async function openAtLine(document: NamedDocument, line: number, preview = true): Promise<void> {
  const selection = new vscode.Range(line, 0, line, 0);
  await vscode.commands.executeCommand("vscode.open", documentUri(document), { selection, preview });
}

export async function openDiff(left: NamedDocument, right: NamedDocument, title: string): Promise<void> {
  await vscode.commands.executeCommand("vscode.diff", documentUri(left), documentUri(right), title, {
    preview: true,
  });
}
