import * as vscode from "vscode";
import type { ActiveSession } from "../activeSession.ts";
import type { CommandRegistry } from "../commandRegistry.ts";
import { commands } from "../contributions.ts";
import type { LanguageModels } from "./languageModels.ts";
import { MeterModels } from "./meterModels.ts";
import { registerOfflineProvider } from "./offlineProvider.ts";
import type { SummarizerModels } from "./summarizerModels.ts";

export interface ModelParts {
  readonly registry: CommandRegistry;
  readonly sessions: ActiveSession;
  readonly models: LanguageModels;
  readonly summarizer: SummarizerModels;
}

/** Registers our own model, the command that picks a summarizer, and what keeps the meter's model up to date. */
export function registerModels({ registry, sessions, models, summarizer }: ModelParts): vscode.Disposable {
  registry.register(commands.chooseSummarizer, () => summarizer.pick());
  const provider = registerOfflineProvider();
  // Without this call the Chat view refuses the first message to @capsule: "Language model unavailable".
  vscode.lm.selectChatModels().then(undefined, registry.report);
  const meterModels = new MeterModels({ models, sessions, onError: registry.report });
  return vscode.Disposable.from(provider, meterModels, models);
}
