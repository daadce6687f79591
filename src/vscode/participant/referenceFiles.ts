import * as vscode from "vscode";

/** The files behind references, as the person sees them: an editor's unsaved text comes before the disk. */
export interface ReferenceFiles {
  stat(uri: vscode.Uri): Promise<{ readonly isFolder: boolean; readonly bytes: number }>;
  read(uri: vscode.Uri): Promise<Uint8Array>;
  /** Text of an open editor; undefined where the file is not open. */
  openText(uri: vscode.Uri): string | undefined;
  decode(uri: vscode.Uri, bytes: Uint8Array): Promise<string>;
  /** Names in a folder, folders with a slash at their end. */
  list(uri: vscode.Uri): Promise<readonly string[]>;
  /** A path as a person in this workspace would write it. */
  nameOf(uri: vscode.Uri): string;
}

export const workspaceFiles: ReferenceFiles = {
  async stat(uri) {
    const { type, size } = await vscode.workspace.fs.stat(uri);
    return { isFolder: (type & vscode.FileType.Directory) !== 0, bytes: size };
  },
  async read(uri) {
    return vscode.workspace.fs.readFile(uri);
  },
  openText(uri) {
    const address = uri.toString();
    return vscode.workspace.textDocuments.find((document) => document.uri.toString() === address)?.getText();
  },
  async decode(uri, bytes) {
    return vscode.workspace.decode(bytes, { uri });
  },
  async list(uri) {
    const entries = await vscode.workspace.fs.readDirectory(uri);
    return entries.map(([name, type]) => ((type & vscode.FileType.Directory) !== 0 ? `${name}/` : name));
  },
  nameOf(uri) {
    return vscode.workspace.asRelativePath(uri);
  },
};
