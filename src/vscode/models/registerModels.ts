import * as vscode from "vscode";
import type { ActiveSession } from "../activeSession.ts";
import type { CommandRegistry } from "../commandRegistry.ts";
import { commands, MODEL_VENDOR } from "../contributions.ts";
import { sessionIdOf } from "../targets.ts";
import type { LanguageModels } from "./languageModels.ts";
import { MeterModels } from "./meterModels.ts";
import { registerOfflineProvider } from "./offlineProvider.ts";
import { pickSessionModel } from "./sessionModel.ts";
import type { SummarizerModels } from "./summarizerModels.ts";
import { withinTime } from "./withinTime.ts";

/** Other providers get this long to list their models before ours is registered. */
const OTHERS_TIMEOUT_MS = 3000;

export interface ModelParts {
  readonly registry: CommandRegistry;
  readonly sessions: ActiveSession;
  readonly models: LanguageModels;
  readonly summarizer: SummarizerModels;
}

/** Registers our own model, the command that picks a summarizer, and what keeps the meter's model up to date. */
export function registerModels({ registry, sessions, models, summarizer }: ModelParts): vscode.Disposable {
  registry.register(commands.chooseSummarizer, () => summarizer.pick());
  registry.register(commands.chooseSessionModel, async (target) => {
    const sessionId = sessionIdOf(target) ?? sessions.current?.id;
    if (sessionId === undefined) return false;
    return sessions.borrow(sessionId, (live) => pickSessionModel(live, models));
  });
  const provider = registerAfterOthers(registry);
  const meterModels = new MeterModels({ models, sessions, onError: registry.report });
  return vscode.Disposable.from(provider, meterModels, models);
}

/**
 * Without a call of `selectChatModels` the Chat view refuses the first message to @capsule ("Language model
 * unavailable"). The call also wakes the other providers: ours comes after them, since the view takes the first model
 * that it meets as its default, for every chat.
 */
function registerAfterOthers({ report }: CommandRegistry): vscode.Disposable {
  let provider: vscode.Disposable | undefined;
  let isDisposed = false;
  withinTime(vscode.lm.selectChatModels(), OTHERS_TIMEOUT_MS)
    .then(undefined, report)
    .then(async () => {
      if (isDisposed) return;
      provider = registerOfflineProvider();
      await vscode.lm.selectChatModels({ vendor: MODEL_VENDOR });
    })
    .catch(report);
  return new vscode.Disposable(() => {
    isDisposed = true;
    provider?.dispose();
  });
}
