import { Buffer } from "node:buffer";
import type * as vscode from "vscode";
import { l10n } from "vscode";
import { imageSize } from "../../core/imageTokens.ts";
import type { Part } from "../../core/messages.ts";
import { DOCUMENT_SCHEME } from "../contributions.ts";
import { byteSize } from "../words.ts";
import { imageMediaType } from "./imageMediaType.ts";
import type { ReferenceFiles } from "./referenceFiles.ts";
import type { ReferenceValue } from "./referenceValue.ts";
import { isImplicit, placeKey, referenceValue } from "./referenceValue.ts";

/** About 64k tokens: more than most windows spare for one file. */
export const MAX_TEXT_BYTES = 250_000;
/** What providers take of one picture. */
export const MAX_IMAGE_BYTES = 5_000_000;
export const MAX_FOLDER_NAMES = 200;
/** A file is looked at this far for a NUL, which no text has. */
const BYTES_LOOKED_AT = 8192;

export interface Attachment {
  readonly name: string;
  readonly content: readonly Part[];
}

export interface Attached {
  readonly attachments: readonly Attachment[];
  /** What was not attached and why, one sentence each. */
  readonly notes: readonly string[];
  /** Files and ranges that were used. */
  readonly used: readonly (vscode.Uri | vscode.Location)[];
}

type Outcome = { readonly attachment: Attachment } | { readonly note: string } | undefined;

/** The references of a request as attachments. Never throws: what cannot be read becomes a note. */
export async function attach(
  references: readonly vscode.ChatPromptReference[],
  files: ReferenceFiles,
): Promise<Attached> {
  const attachments: Attachment[] = [];
  const notes: string[] = [];
  const used: (vscode.Uri | vscode.Location)[] = [];
  for (const reference of withoutDoubles(references)) {
    const value = referenceValue(reference.value);
    const outcome = await attachOne(reference, value, files).catch(
      (error: unknown): Outcome => ({ note: unreadable(nameOf(reference, value, files), error) }),
    );
    if (outcome === undefined) continue;
    if ("note" in outcome) {
      notes.push(outcome.note);
      continue;
    }
    attachments.push(outcome.attachment);
    if (value.kind === "file") used.push(value.uri);
    if (value.kind === "range") used.push(reference.value as vscode.Location);
  }
  return { attachments, notes, used };
}

/** The first of each place; what the person attached comes before what the editor adds unasked. */
function withoutDoubles(
  references: readonly vscode.ChatPromptReference[],
): readonly vscode.ChatPromptReference[] {
  const seen = new Set<string>();
  return references
    .toSorted((one, other) => Number(isImplicit(one)) - Number(isImplicit(other)))
    .filter((reference) => {
      const key = placeKey(referenceValue(reference.value));
      if (key === undefined) return true;
      if (seen.has(key)) return false;
      seen.add(key);
      return true;
    });
}

async function attachOne(
  reference: vscode.ChatPromptReference,
  value: ReferenceValue,
  files: ReferenceFiles,
): Promise<Outcome> {
  const name = nameOf(reference, value, files);
  switch (value.kind) {
    case "text":
      return text(name, `Attached text: ${name}`, value.text);
    case "image":
      return image(name, await value.data());
    case "file":
      return isOurs(value.uri) ? ownDocument(reference) : file(name, value.uri, files);
    case "range":
      return isOurs(value.uri) ? ownDocument(reference) : selection(name, value, files);
    case "other":
      return {
        note: l10n.t("“{0}” was not attached: this version takes files, selections and images.", name),
      };
  }
}

/** Our documents show the session itself: its text must not come into it a second time. */
function ownDocument(reference: vscode.ChatPromptReference): Outcome {
  if (isImplicit(reference)) return undefined;
  return { note: l10n.t("Documents of Context Capsule are not attached: they show this record itself.") };
}

function isOurs(uri: vscode.Uri): boolean {
  return uri.scheme === DOCUMENT_SCHEME;
}

async function file(name: string, uri: vscode.Uri, files: ReferenceFiles): Promise<Outcome> {
  const openText = files.openText(uri);
  if (openText !== undefined) return text(name, `Attached file: ${name}`, openText);
  const { isFolder, bytes } = await files.stat(uri);
  if (isFolder) return folder(name, await files.list(uri));
  if (bytes > (isImageName(uri.path) ? MAX_IMAGE_BYTES : MAX_TEXT_BYTES)) {
    return isImageName(uri.path) ? imageTooBig(name, bytes) : tooBig(name, bytes);
  }
  const content = await files.read(uri);
  if (imageMediaType(content) !== undefined || isImageName(uri.path)) return image(name, content);
  if (isBinary(content)) return { note: binary(name) };
  return text(name, `Attached file: ${name}`, await files.decode(uri, content));
}

async function selection(
  name: string,
  { uri, range }: Extract<ReferenceValue, { kind: "range" }>,
  files: ReferenceFiles,
): Promise<Outcome> {
  const whole = files.openText(uri) ?? (await textOnDisk(uri, files));
  if (whole === undefined) return { note: binary(name) };
  const lines = `lines ${range.start.line + 1}–${range.end.line + 1}`;
  return text(name, `Attached selection: ${files.nameOf(uri)}, ${lines}`, textInRange(whole, range));
}

async function textOnDisk(uri: vscode.Uri, files: ReferenceFiles): Promise<string | undefined> {
  const content = await files.read(uri);
  return isBinary(content) ? undefined : files.decode(uri, content);
}

function textInRange(whole: string, { start, end }: vscode.Range): string {
  const lines = whole.split(/\r\n|\r|\n/).slice(start.line, end.line + 1);
  const last = lines.length - 1;
  // The end first: on a single line it would move with the start.
  if (start.line + last === end.line) lines[last] = (lines[last] ?? "").slice(0, end.character);
  if (last >= 0) lines[0] = (lines[0] ?? "").slice(start.character);
  return lines.join("\n");
}

function folder(name: string, names: readonly string[]): Outcome {
  const shown = names.slice(0, MAX_FOLDER_NAMES);
  const more = names.length - shown.length;
  const list = more > 0 ? [...shown, `… and ${more} more`] : shown;
  return text(name, `Attached folder (names only): ${name}`, list.join("\n"));
}

function text(name: string, heading: string, content: string): Outcome {
  const bytes = Buffer.byteLength(content);
  if (bytes > MAX_TEXT_BYTES) return tooBig(name, bytes);
  return { attachment: { name, content: [{ type: "text", text: `${heading}\n\n${content}` }] } };
}

function image(name: string, content: Uint8Array): Outcome {
  if (content.length > MAX_IMAGE_BYTES) return imageTooBig(name, content.length);
  const mediaType = imageMediaType(content);
  const data = Buffer.from(content).toString("base64");
  if (mediaType === undefined || imageSize(data) === undefined) {
    return {
      note: l10n.t("“{0}” was not attached: it is no PNG, JPEG, GIF or WebP that can be read.", name),
    };
  }
  const heading: Part = { type: "text", text: `Attached image: ${name}` };
  return { attachment: { name, content: [heading, { type: "image", mediaType, data }] } };
}

function isImageName(path: string): boolean {
  return /\.(png|jpe?g|gif|webp)$/i.test(path);
}

function isBinary(content: Uint8Array): boolean {
  const [first, second] = content;
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return !isUtf16 && content.subarray(0, BYTES_LOOKED_AT).includes(0);
}

function tooBig(name: string, bytes: number): Outcome {
  return {
    note: l10n.t(
      "“{0}” was not attached: it has {1}, and at most {2} are taken. Attach a selection of it instead.",
      name,
      byteSize(bytes),
      byteSize(MAX_TEXT_BYTES),
    ),
  };
}

function imageTooBig(name: string, bytes: number): Outcome {
  return {
    note: l10n.t(
      "“{0}” was not attached: it has {1}, and an image may have {2}. Make it smaller first.",
      name,
      byteSize(bytes),
      byteSize(MAX_IMAGE_BYTES),
    ),
  };
}

function binary(name: string): string {
  return l10n.t("“{0}” was not attached: it is no text.", name);
}

function unreadable(name: string, error: unknown): string {
  const why = error instanceof Error ? error.message : String(error);
  return l10n.t("“{0}” was not attached, since it could not be read: {1}", name, why);
}

function nameOf(reference: vscode.ChatPromptReference, value: ReferenceValue, files: ReferenceFiles): string {
  if (value.kind === "file" || value.kind === "range") return files.nameOf(value.uri);
  return reference.modelDescription ?? reference.id;
}
