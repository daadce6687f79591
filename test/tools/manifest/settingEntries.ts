import type { SettingName } from "../../../src/vscode/contributions.ts";
import { commands, settingKey } from "../../../src/vscode/contributions.ts";

export interface SettingEntry {
  /** Markdown; short, with links to the settings it works with. */
  readonly description: string;
  /** One for each value of a choice. */
  readonly values?: Readonly<Record<string, string>>;
}

const link = (name: SettingName): string => `\`#${settingKey(name)}#\``;

/** In the order of the Settings editor. */
export const settingEntries: Readonly<Record<SettingName, SettingEntry>> = {
  automatic: {
    description:
      "Whether a chat's context is compacted by itself when it reaches the trigger line (window less reserve).",
    values: {
      ask: "Ask once in each workspace, with the line shown. Nothing is compacted before the answer.",
      on: "Compact when the line is reached. This may call the summarizer model.",
      off: "Never by itself. Capsules that exist stay in use, and Compact Now works.",
    },
  },
  summarizer: {
    description: `Id of the model that writes capsules, such as \`copilot/gpt-5\` or \`context-capsule/offline\`. Empty: the model of the chat, else the offline summarizer. [Choose a model](command:${commands.chooseSummarizer}).`,
  },
  minRemaining: {
    description: `Reserve in tokens: the trigger line lies this far below the window or ${link("contextBudget")}. At most 25 % of it is used.`,
  },
  keepRecentTokens: {
    description: `Tokens of recent messages that stay word for word. At most 20 % of the trigger line is used. See also ${link("keepRecentTurns")}.`,
  },
  keepRecentTurns: {
    description: `Recent turns (your message and all up to the next one) that stay word for word. Gives way where nothing could be compacted otherwise. See also ${link("keepRecentTokens")}.`,
  },
  summaryMaxTokens: {
    description: "Longest draft of a capsule in tokens. At most 1/8 of the window or context budget is used.",
  },
  contextBudget: {
    description: `Most tokens for one request, where that is to be less than the window. Empty: the window. See also ${link("window")}.`,
  },
  window: {
    description: "Context window in tokens, in place of what the model says. Empty: what the model says.",
  },
  estimatedMode: {
    description: `Let ${link("automatic")} compaction act on estimates where no provider has given a number. All it touches is marked as estimated.`,
  },
};
