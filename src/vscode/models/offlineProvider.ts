import * as vscode from "vscode";
import { utf8Length } from "../../core/utf8.ts";
import { MODEL_VENDOR } from "../contributions.ts";
import { offlineChatReply, offlineName } from "./offlineWords.ts";

/** What the model picker shows as its window: any transcript, since nothing is sent anywhere. */
const SHOWN_WINDOW_TOKENS = 1_000_000;
const SHOWN_REPLY_TOKENS = 8_192;
const BYTES_PER_TOKEN = 4;

/**
 * The offline summarizer as a language model of VS Code: with one tool-capable model of our own the Chat view takes
 * `@capsule` and its commands where no other model is installed. Asked a question, it says what it is.
 */
export function registerOfflineProvider(): vscode.Disposable {
  return vscode.lm.registerLanguageModelChatProvider(MODEL_VENDOR, {
    provideLanguageModelChatInformation: () => [
      {
        id: "offline",
        name: offlineName(),
        family: "extract",
        version: "1",
        tooltip: vscode.l10n.t("Writes capsules without a model. It cannot answer questions."),
        detail: vscode.l10n.t("no key, no network"),
        maxInputTokens: SHOWN_WINDOW_TOKENS,
        maxOutputTokens: SHOWN_REPLY_TOKENS,
        capabilities: { toolCalling: true, imageInput: false },
      },
    ],
    provideLanguageModelChatResponse: async (_model, _messages, _options, progress) => {
      progress.report(new vscode.LanguageModelTextPart(offlineChatReply()));
    },
    provideTokenCount: async (_model, text) => Math.ceil(utf8Length(textOf(text)) / BYTES_PER_TOKEN),
  });
}

function textOf(text: string | vscode.LanguageModelChatRequestMessage): string {
  if (typeof text === "string") return text;
  return text.content
    .map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : ""))
    .join("\n");
}
