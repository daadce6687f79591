import * as vscode from "vscode";
import type { ImagePart, Message, Part } from "../../core/messages.ts";

/**
 * Messages for `vscode.lm`. It has no system role, so the system text goes into the first user message. Tool calls
 * and results are given as text unless the request offers tools: providers refuse tool parts without tools.
 */
export function toLmMessages(
  messages: readonly Message[],
  options: { readonly withTools: boolean },
): vscode.LanguageModelChatMessage[] {
  const system = messages.filter((message) => message.role === "system");
  const systemText = system.flatMap(({ content }) =>
    content.flatMap((part) => (part.type === "text" ? part.text : [])),
  );
  const converted: vscode.LanguageModelChatMessage[] = [];
  let lead = systemText.join("\n\n");
  for (const message of messages) {
    if (message.role === "system") continue;
    const isUser = message.role !== "assistant";
    const parts = message.content.flatMap((part) => partFor(part, options.withTools));
    if (lead !== "" && isUser) {
      parts.unshift(new vscode.LanguageModelTextPart(`${lead}\n\n`));
      lead = "";
    }
    if (parts.length === 0) continue;
    converted.push(isUser ? userMessage(parts) : assistantMessage(parts));
  }
  return converted;
}

type LmPart =
  | vscode.LanguageModelTextPart
  | vscode.LanguageModelToolCallPart
  | vscode.LanguageModelToolResultPart
  | vscode.LanguageModelDataPart;

function partFor(part: Part, withTools: boolean): LmPart[] {
  switch (part.type) {
    case "text":
      return part.text === "" ? [] : [new vscode.LanguageModelTextPart(part.text)];
    case "reasoning":
      // Stable API has no part for it, and it is nobody's words to the user.
      return [];
    case "image":
      return [imagePart(part)];
    case "tool-call":
      return withTools
        ? [new vscode.LanguageModelToolCallPart(part.toolCallId, part.toolName, inputObject(part.input))]
        : [
            new vscode.LanguageModelTextPart(
              `[called ${part.toolName}: ${JSON.stringify(part.input) ?? ""}]`,
            ),
          ];
    case "tool-result": {
      const text = new vscode.LanguageModelTextPart(part.output);
      if (withTools) return [new vscode.LanguageModelToolResultPart(part.toolCallId, [text])];
      const outcome = part.isError === true ? "error" : "result";
      return [new vscode.LanguageModelTextPart(`[${outcome} of ${part.toolName}]\n${part.output}`)];
    }
  }
}

function imagePart({ data, mediaType }: ImagePart): vscode.LanguageModelDataPart {
  return new vscode.LanguageModelDataPart(Buffer.from(data, "base64"), mediaType);
}

function inputObject(input: unknown): object {
  return typeof input === "object" && input !== null ? input : { value: input };
}

function userMessage(parts: readonly LmPart[]): vscode.LanguageModelChatMessage {
  const content = parts.filter((part) => !(part instanceof vscode.LanguageModelToolCallPart));
  return vscode.LanguageModelChatMessage.User(content);
}

function assistantMessage(parts: readonly LmPart[]): vscode.LanguageModelChatMessage {
  const content = parts.filter((part) => !(part instanceof vscode.LanguageModelToolResultPart));
  return vscode.LanguageModelChatMessage.Assistant(content);
}
