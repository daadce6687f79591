import * as vscode from "vscode";
import type { ActiveSession } from "../activeSession.ts";
import type { CommandRegistry } from "../commandRegistry.ts";
import { DocumentCommands } from "../documents/documentCommands.ts";
import { registerDocumentFeatures } from "../documents/documentFeatures.ts";
import { Documents } from "../documents/documents.ts";
import type { Settings } from "../settings.ts";
import type { SummarizerForecast } from "../summarizerChoice.ts";
import { CapsulesView } from "./capsulesView.ts";
import { CommitmentCommands } from "./commitmentCommands.ts";

export interface CapsuleParts {
  readonly registry: CommandRegistry;
  readonly sessions: ActiveSession;
  readonly settings: Settings;
  readonly summarizer: SummarizerForecast;
}

/** The Capsules view, the read-only documents, and the commands of both. */
export function registerCapsules({
  registry,
  sessions,
  settings,
  summarizer,
}: CapsuleParts): vscode.Disposable {
  const documents = new Documents({ sessions, settings, summarizer, onError: registry.report });
  const documentCommands = new DocumentCommands(documents, sessions);
  const view = new CapsulesView({ sessions, documents, documentCommands });
  documentCommands.register(registry);
  view.register(registry);
  new CommitmentCommands(documents, documentCommands, registry.report).register(registry);
  return vscode.Disposable.from(view, registerDocumentFeatures(documents), documents);
}
