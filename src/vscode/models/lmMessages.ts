import * as vscode from "vscode";
import type { ImagePart, Message, Part } from "../../core/messages.ts";

type UserPart = Exclude<vscode.LanguageModelChatMessage["content"][number], vscode.LanguageModelToolCallPart>;
type AssistantPart = Exclude<
  vscode.LanguageModelChatMessage["content"][number],
  vscode.LanguageModelToolResultPart
>;

/**
 * Messages for `vscode.lm`. It has no system role, so the system text goes into the first user message. Tool calls
 * and results are given as text unless the request offers tools: providers refuse tool parts without tools.
 */
export function toLmMessages(
  messages: readonly Message[],
  options: { readonly withTools: boolean },
): vscode.LanguageModelChatMessage[] {
  const systemText = messages
    .filter(({ role }) => role === "system")
    .flatMap(({ content }) => content.flatMap((part) => (part.type === "text" ? part.text : [])))
    .join("\n\n");
  const lead = systemText === "" ? [] : [new vscode.LanguageModelTextPart(`${systemText}\n\n`)];
  const converted: vscode.LanguageModelChatMessage[] = [];
  let hasUser = false;
  for (const { role, content } of messages) {
    if (role === "system") continue;
    if (role === "assistant") {
      const parts = content.flatMap((part) => assistantPart(part, options.withTools));
      if (parts.length > 0) converted.push(vscode.LanguageModelChatMessage.Assistant(parts));
      continue;
    }
    const parts = content.flatMap((part) => userPart(part, options.withTools));
    if (!hasUser) parts.unshift(...lead);
    if (parts.length > 0) converted.push(vscode.LanguageModelChatMessage.User(parts));
    hasUser ||= parts.length > 0;
  }
  if (!hasUser && lead.length > 0) converted.unshift(vscode.LanguageModelChatMessage.User(lead));
  return converted;
}

function userPart(part: Part, withTools: boolean): UserPart[] {
  switch (part.type) {
    case "text":
      return textPart(part.text);
    case "image":
      return [imagePart(part)];
    case "tool-result":
      if (withTools) {
        const text = new vscode.LanguageModelTextPart(part.output);
        return [new vscode.LanguageModelToolResultPart(part.toolCallId, [text])];
      }
      return textPart(
        part.isError === true
          ? `[error of ${part.toolName}]\n${part.output}`
          : `[result of ${part.toolName}]\n${part.output}`,
      );
    case "reasoning":
    case "tool-call":
      return [];
  }
}

function assistantPart(part: Part, withTools: boolean): AssistantPart[] {
  switch (part.type) {
    case "text":
      return textPart(part.text);
    case "image":
      return [imagePart(part)];
    case "tool-call":
      return withTools
        ? [new vscode.LanguageModelToolCallPart(part.toolCallId, part.toolName, inputObject(part.input))]
        : textPart(`[called ${part.toolName}: ${JSON.stringify(part.input) ?? ""}]`);
    // The stable API has no part for reasoning, and it is nobody's words to the user.
    case "reasoning":
    case "tool-result":
      return [];
  }
}

/** Providers refuse empty text. */
function textPart(text: string): vscode.LanguageModelTextPart[] {
  return text === "" ? [] : [new vscode.LanguageModelTextPart(text)];
}

/** Raw bytes: the API's own maker of image parts writes another MIME type. */
function imagePart({ data, mediaType }: ImagePart): vscode.LanguageModelDataPart {
  return new vscode.LanguageModelDataPart(Buffer.from(data, "base64"), mediaType);
}

function inputObject(input: unknown): object {
  return typeof input === "object" && input !== null ? input : { value: input };
}
