import type * as vscode from "vscode";

/** What a reference of a chat request can be; told by shape, since a picture's class is no stable API. */
export type ReferenceValue =
  | { readonly kind: "file"; readonly uri: vscode.Uri }
  | { readonly kind: "range"; readonly uri: vscode.Uri; readonly range: vscode.Range }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "image"; readonly mediaType: string; data(): Thenable<Uint8Array> }
  | { readonly kind: "other" };

/** The editor's own selection comes unasked under an id that begins so. */
const IMPLICIT_ID = "vscode.implicit";

export function isImplicit({ id }: Pick<vscode.ChatPromptReference, "id">): boolean {
  return id.startsWith(IMPLICIT_ID);
}

export function referenceValue(value: unknown): ReferenceValue {
  if (typeof value === "string") return { kind: "text", text: value };
  if (isUri(value)) return { kind: "file", uri: value };
  if (typeof value !== "object" || value === null) return { kind: "other" };
  const { uri, range, mimeType, data } = value as Record<string, unknown>;
  if (isUri(uri) && isRange(range)) return { kind: "range", uri, range };
  if (typeof mimeType === "string" && typeof data === "function") {
    const picture = value as { data(): Thenable<Uint8Array> };
    return { kind: "image", mediaType: mimeType, data: () => picture.data() };
  }
  return { kind: "other" };
}

function isUri(value: unknown): value is vscode.Uri {
  if (typeof value !== "object" || value === null) return false;
  const { scheme, path } = value as Record<string, unknown>;
  return typeof scheme === "string" && typeof path === "string";
}

function isRange(value: unknown): value is vscode.Range {
  if (typeof value !== "object" || value === null) return false;
  const { start, end } = value as Record<string, unknown>;
  return isPosition(start) && isPosition(end);
}

function isPosition(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { line, character } = value as Record<string, unknown>;
  return typeof line === "number" && typeof character === "number";
}

/** The same for two references to the same place. */
export function placeKey(value: ReferenceValue): string | undefined {
  if (value.kind === "file") return value.uri.toString();
  if (value.kind !== "range") return undefined;
  const { start, end } = value.range;
  return `${value.uri.toString()} ${start.line}:${start.character}-${end.line}:${end.character}`;
}
