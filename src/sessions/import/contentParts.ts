import type {
  ImagePart,
  Part,
  ReasoningPart,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from "../../core/messages.ts";
import type { JsonObject } from "./jsonValues.ts";
import { compactJson, isObject, nonEmptyString, writableJson } from "./jsonValues.ts";

/**
 * What a block that has no place in a message costs at most as text; a longer one is named and its line kept. A tool's
 * output is text as a whole, however long.
 */
const FOREIGN_BLOCK_MAX_CHARACTERS = 4000;

export interface ReadContent {
  readonly parts: Part[];
  /** A block was too long to stand as text, so the line itself has to be kept. */
  readonly leftOut: boolean;
  /** Types of blocks that stand as text. */
  readonly foreignTypes: readonly string[];
}

interface Reading {
  readonly maxForeignCharacters: number;
  readonly parts: Part[];
  leftOut: boolean;
  readonly foreignTypes: string[];
}

/**
 * The content of a message as parts: a string, or blocks as Anthropic, OpenAI, pi and the AI SDK write them. A call or
 * a result without an id gets "" and is paired later. Images inside a tool result follow their result.
 */
export function readContent(content: unknown): ReadContent {
  return read(content, FOREIGN_BLOCK_MAX_CHARACTERS);
}

function read(content: unknown, maxForeignCharacters: number): ReadContent {
  const reading: Reading = { maxForeignCharacters, parts: [], leftOut: false, foreignTypes: [] };
  if (typeof content === "string") {
    if (content !== "") reading.parts.push({ type: "text", text: content });
  } else if (Array.isArray(content)) {
    for (const block of content) readBlock(block, reading);
  } else if (content !== undefined && content !== null) {
    readForeign(content, reading);
  }
  return reading;
}

/** What a tool gave back as one text, with its images beside. Anything but text and images is written as JSON. */
export function readOutput(
  content: unknown,
): ReadContent & { readonly output: string; readonly images: ImagePart[] } {
  const inner = read(content, Number.POSITIVE_INFINITY);
  const texts: string[] = [];
  const images: ImagePart[] = [];
  for (const part of inner.parts) {
    if (part.type === "text") texts.push(part.text);
    else if (part.type === "image") images.push(part);
    else texts.push(compactJson(part));
  }
  return { ...inner, output: texts.join("\n"), images };
}

function readBlock(block: unknown, reading: Reading): void {
  if (typeof block === "string") {
    reading.parts.push({ type: "text", text: block });
    return;
  }
  if (!isObject(block)) {
    readForeign(block, reading);
    return;
  }
  switch (block["type"]) {
    case "tool_use":
    case "toolCall":
    case "tool-call":
      reading.parts.push(callFrom(block));
      return;
    case "tool_result":
    case "tool-result":
      readResult(block, reading);
      return;
    default: {
      const part = textFrom(block) ?? reasoningFrom(block) ?? imageFrom(block);
      if (part !== undefined) reading.parts.push(part);
      else readForeign(block, reading);
    }
  }
}

function textFrom(block: JsonObject): TextPart | undefined {
  const { type, text, refusal } = block;
  if ((type === "text" || type === "input_text" || type === "output_text") && typeof text === "string") {
    return { type: "text", text };
  }
  if (type === "refusal" && typeof refusal === "string") return { type: "text", text: refusal };
  return undefined;
}

/** A redacted thought has no text; its opaque data travels as the signature. */
function reasoningFrom(block: JsonObject): ReasoningPart | undefined {
  const type = block["type"];
  if (type === "redacted_thinking" && typeof block["data"] === "string") {
    return { type: "reasoning", text: "", signature: block["data"] };
  }
  if (type !== "thinking" && type !== "reasoning") return undefined;
  const text = block["thinking"] ?? block["text"] ?? block["reasoning"];
  if (typeof text !== "string") return undefined;
  const signature = nonEmptyString(block["signature"] ?? block["thinkingSignature"]);
  return { type: "reasoning", text, ...(signature !== undefined && { signature }) };
}

/** An image whose bytes are in the file. One that only has an address stays text: the import asks no network. */
function imageFrom(block: JsonObject): ImagePart | TextPart | undefined {
  const { type, source, data } = block;
  if (type === "image_url" || type === "input_image") {
    const holder = block["image_url"];
    const url = isObject(holder) ? holder["url"] : holder;
    return typeof url === "string" ? imageAt(url) : undefined;
  }
  if (type !== "image") return undefined;
  if (isObject(source)) {
    if (typeof source["data"] === "string") {
      return {
        type: "image",
        mediaType: nonEmptyString(source["media_type"]) ?? "image/png",
        data: source["data"],
      };
    }
    return typeof source["url"] === "string" ? imageAt(source["url"]) : undefined;
  }
  const bytes = data ?? block["image"];
  if (typeof bytes !== "string") return undefined;
  if (bytes.startsWith("data:") || bytes.startsWith("http")) return imageAt(bytes);
  return {
    type: "image",
    mediaType: nonEmptyString(block["mimeType"] ?? block["mediaType"]) ?? "image/png",
    data: bytes,
  };
}

function imageAt(url: string): ImagePart | TextPart {
  const header = /^data:([^;,]*)((?:;[^;,]*)*),/.exec(url);
  if (header === null || !(header[2] ?? "").endsWith(";base64"))
    return { type: "text", text: `[image: ${url}]` };
  return { type: "image", mediaType: header[1] || "image/png", data: url.slice(header[0].length) };
}

function callFrom(block: JsonObject): ToolCallPart {
  return {
    type: "tool-call",
    toolCallId: nonEmptyString(block["id"] ?? block["toolCallId"]) ?? "",
    toolName: nonEmptyString(block["name"] ?? block["toolName"]) ?? "",
    input: writableJson(block["input"] ?? block["arguments"] ?? {}),
  };
}

function readResult(block: JsonObject, reading: Reading): void {
  const output = readOutput(block["content"] ?? block["output"]);
  reading.parts.push(
    toolResult({
      toolCallId: nonEmptyString(block["tool_use_id"] ?? block["toolCallId"]) ?? "",
      toolName: nonEmptyString(block["name"] ?? block["toolName"]) ?? "",
      output: output.output,
      isError: block["is_error"] === true || block["isError"] === true,
    }),
    ...output.images,
  );
  reading.foreignTypes.push(...output.foreignTypes);
}

export function toolResult(result: {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly output: string;
  readonly isError: boolean;
}): ToolResultPart {
  const { isError, ...rest } = result;
  return { type: "tool-result", ...rest, ...(isError && { isError }) };
}

/** Arguments as the chat completions API writes them: JSON in a string. What does not parse stays the string. */
export function parseArguments(value: unknown): unknown {
  if (typeof value !== "string") return writableJson(value ?? {});
  if (value.trim() === "") return {};
  try {
    const parsed: unknown = JSON.parse(value);
    return writableJson(parsed) === parsed ? parsed : value;
  } catch {
    return value;
  }
}

/** Anything else as JSON; a block with a type of its own is counted, plain data of a tool is not. */
function readForeign(block: unknown, reading: Reading): void {
  const type = isObject(block) ? nonEmptyString(block["type"]) : undefined;
  if (type !== undefined) reading.foreignTypes.push(type);
  const prefix = type === undefined ? "" : `[${type}] `;
  const json = compactJson(block);
  if (json.length <= reading.maxForeignCharacters) {
    reading.parts.push({ type: "text", text: `${prefix}${json}` });
    return;
  }
  reading.leftOut = true;
  const left = `${json.length} characters left out; the line is kept in the session's record`;
  reading.parts.push({ type: "text", text: `${prefix}[${left}]` });
}

/** The content of one user line: what tools gave back (with the images of each result), and everything else. */
export function readUserContent(content: unknown): {
  readonly results: ReadContent;
  readonly rest: ReadContent;
} {
  if (!Array.isArray(content)) return { results: readContent(undefined), rest: readContent(content) };
  const isResult = (block: unknown) =>
    isObject(block) && (block["type"] === "tool_result" || block["type"] === "tool-result");
  return {
    results: readContent(content.filter(isResult)),
    rest: readContent(content.filter((block) => !isResult(block))),
  };
}
