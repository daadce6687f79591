import { l10n } from "vscode";

/** What the offline summarizer is called and what it says in a chat; the same to us and to VS Code. */
export const offlineName = (): string => l10n.t("Offline Summarizer");

export const offlineChatReply = (): string =>
  l10n.t(
    "I am the offline summarizer of Context Capsule, not a language model, so I cannot answer questions. I write capsules without a key and without a network. For answers, choose another model below the chat box. `@capsule /compact`, `/context`, `/undo` and `/new` work with me too.",
  );
