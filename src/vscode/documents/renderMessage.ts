import { l10n } from "vscode";
import { imageSize } from "../../core/imageTokens.ts";
import type { Basis, Message, Part, Usage } from "../../core/messages.ts";
import { resultSegmentId, textOf } from "../../core/messages.ts";
import type { EvictedPart } from "../../core/records.ts";
import { utf8Length } from "../../core/utf8.ts";
import type { PageBuilder, Piece } from "./documentPage.ts";
import { exactBytes, grouped, localTime } from "./documentWords.ts";
import type { ItemSize } from "./pageLayout.ts";
import { excerpt, FIELD_LENGTH, field, indentedLines, oneLine, shownBytesAtMost } from "./visibleText.ts";

/**
 * Structure stands in the first columns and text from a chat never does: a message's heading in column 0, a part's in
 * column 2, text from column 4 on. So no text can pass for a heading, and VS Code folds by indentation.
 */
const PART_INDENT = "  ";
export const TEXT_INDENT = "    ";
/** What a message's and a part's heading take beside ids and names; a page has room for longer words. */
const HEADING_BYTES = 240;
const PART_HEADING_BYTES = 160;
const NAME_LENGTH = 100;

export interface MessageView {
  /** Number in the record; undefined for a message that only the request has. */
  readonly number: number | undefined;
  readonly message: Message;
  readonly at?: number;
  readonly modelId?: string;
  readonly usageBasis?: Basis;
  /** Words after the ids: pinned, summarized … */
  readonly marks: readonly Piece[];
  /** What took the place of a segment. */
  readonly evicted: (segmentId: string) => EvictedPart | undefined;
  /** The text of an evicted segment is the citation itself: the document shows what is sent. */
  readonly asSent: boolean;
  readonly partLimitBytes: number;
}

/** The text of a part, which is cut to the limit of its page. */
export function partText(part: Part): string {
  switch (part.type) {
    case "text":
    case "reasoning":
      return part.text;
    case "tool-call":
      return inputText(part.input);
    case "tool-result":
      return part.output;
    case "image":
      return "";
  }
}

/** Arguments one a line; a text of several lines as a block below its name. */
function inputText(input: unknown): string {
  if (typeof input === "string") return input;
  if (input === null || typeof input !== "object" || Array.isArray(input)) return json(input);
  const lines: string[] = [];
  for (const [name, value] of Object.entries(input)) {
    if (typeof value !== "string") lines.push(`${name}: ${json(value)}`);
    else if (!value.includes("\n")) lines.push(`${name}: ${value}`);
    else lines.push(`${name}:`, `  ${value.replaceAll("\n", "\n  ")}`);
  }
  return lines.join("\n");
}

function json(value: unknown): string {
  return JSON.stringify(value) ?? "";
}

const sizes = new WeakMap<Message, ItemSize>();

/** Upper bounds of what `renderMessage` writes. */
export function messageSize(message: Message): ItemSize {
  const known = sizes.get(message);
  if (known !== undefined) return known;
  const parts = message.content.map(
    (part) => partHeadingBytes(part, message) + shownBytesAtMost(partText(part), TEXT_INDENT.length),
  );
  const size = { heading: HEADING_BYTES + fieldBytes(message.id), parts };
  sizes.set(message, size);
  return size;
}

function partHeadingBytes(part: Part, message: Message): number {
  if (part.type === "tool-call" || part.type === "tool-result") {
    return PART_HEADING_BYTES + fieldBytes(part.toolName) + fieldBytes(part.toolCallId);
  }
  return part.type === "text" && message.kind !== "attachment" ? 0 : PART_HEADING_BYTES;
}

const PLAIN = /^[\x20-\x7e]*$/;

function fieldBytes(text: string): number {
  return text.length <= FIELD_LENGTH && PLAIN.test(text) ? text.length : 3 * FIELD_LENGTH;
}

/** A message, or those of its parts that stand on this page. */
export function renderMessage(
  page: PageBuilder,
  view: MessageView,
  parts: { readonly from: number; readonly until: number },
): void {
  const { message, number } = view;
  const who = roleWord(message);
  const name = number === undefined ? who : `#${number} ${who}`;
  page.section({ name, detail: oneLine(previewText(message), NAME_LENGTH), kind: sectionKind(message) });
  page.anchor(message.id);
  const fields: Piece[] = [name];
  const add = (...pieces: readonly Piece[]): void => void fields.push(" · ", ...pieces);
  if (parts.from > 0) add(l10n.t("continued"));
  add(field(message.id));
  if (view.at !== undefined) add(localTime(view.at));
  if (view.modelId !== undefined) add(field(view.modelId));
  if (message.usage !== undefined) add(usageWords(message.usage, view.usageBasis));
  for (const mark of view.marks) add(mark);
  page.line(...fields);
  for (let index = parts.from; index < parts.until; index += 1) renderPart(page, view, index);
  page.line("");
}

function sectionKind(message: Message): "message" | "result" | "call" {
  if (message.role === "tool") return "result";
  return message.content.some((part) => part.type === "tool-call") ? "call" : "message";
}

/** What the outline and pickers show of a message. */
export function previewText(message: Message): string {
  const text = textOf(message);
  if (text !== "") return text.slice(0, 4 * NAME_LENGTH);
  return message.content.map((part) => (part.type === "tool-call" ? part.toolName : part.type)).join(", ");
}

export function roleWord(message: Message): string {
  if (message.kind === "capsule") return l10n.t("capsule");
  if (message.kind === "notice") return l10n.t("notice");
  if (message.kind === "attachment") return l10n.t("attachment");
  return message.role;
}

function usageWords(usage: Usage, basis: Basis | undefined): string {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage;
  const cached = (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0);
  const input =
    cached > 0
      ? l10n.t("{0} in ({1} cached)", grouped(inputTokens), grouped(cached))
      : l10n.t("{0} in", grouped(inputTokens));
  return `${l10n.t("{0}, {1} out", input, grouped(outputTokens))}, ${basis ?? "reported"}`;
}

function renderPart(page: PageBuilder, view: MessageView, index: number): void {
  const { message } = view;
  const part = message.content[index];
  if (part === undefined) return;
  const heading = partHeading(view, part);
  if (heading.length > 0) page.line(PART_INDENT, ...heading);
  const { head, tail, omitted } = excerpt(
    partText(part),
    view.partLimitBytes - 2 * PART_HEADING_BYTES,
    TEXT_INDENT.length,
  );
  if (head !== "" || omitted > 0) page.body(indentedLines(head, TEXT_INDENT));
  if (omitted === 0) return;
  page.line(PART_INDENT, l10n.t("{0} characters left out here", grouped(omitted)), " · ", {
    text: l10n.t("open the whole text"),
    target:
      message.kind === "capsule"
        ? { to: "generation", messageId: message.id }
        : { to: "part", messageId: message.id, part: index },
    tooltip: l10n.t("Open the whole text in a document of its own"),
  });
  page.body(indentedLines(tail, TEXT_INDENT));
}

function partHeading(view: MessageView, part: Part): Piece[] {
  const { message } = view;
  switch (part.type) {
    case "text": {
      const evicted = message.kind === "attachment" ? view.evicted(message.id) : undefined;
      return evicted === undefined ? [] : evictedPieces(evicted, view);
    }
    case "reasoning": {
      const signed = part.signature === undefined ? "" : ` · ${l10n.t("signed")}`;
      return [l10n.t("reasoning") + signed];
    }
    case "tool-call":
      return [`${l10n.t("call")} ${field(part.toolName)} · ${field(part.toolCallId)}`];
    case "tool-result": {
      const size = exactBytes(utf8Length(part.output));
      const error = part.isError === true ? ` · ${l10n.t("error")}` : "";
      const name = part.toolName === "" ? "" : ` ${field(part.toolName)}`;
      const evicted = view.evicted(resultSegmentId(message.id, part.toolCallId));
      const heading: Piece[] = [`${l10n.t("result")}${name} · ${field(part.toolCallId)} · ${size}${error}`];
      if (evicted !== undefined) heading.push(" · ", ...evictedPieces(evicted, view));
      return heading;
    }
    case "image": {
      const pixels = imageSize(part.data);
      const size = exactBytes(base64Bytes(part.data));
      const sides = pixels === undefined ? "" : ` · ${pixels.width} × ${pixels.height}`;
      return [`${l10n.t("image")} ${field(part.mediaType)} · ${size}${sides}`];
    }
  }
}

function evictedPieces(evicted: EvictedPart, view: MessageView): Piece[] {
  const state = view.asSent ? l10n.t("citation in place of") : l10n.t("evicted");
  return [
    `${state} · `,
    {
      text: l10n.t("original, {0}", exactBytes(evicted.bytes)),
      target: { to: "original", segmentId: evicted.segmentId },
      tooltip: l10n.t("Open the original; its SHA-256 {0} is checked first", evicted.digest),
    },
  ];
}

export function base64Bytes(data: string): number {
  const padding = data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0;
  return Math.max(0, Math.floor((data.length * 3) / 4) - padding);
}
