import * as vscode from "vscode";
import { ActiveSession } from "./activeSession.ts";
import { AutomaticQuestion } from "./automaticQuestion.ts";
import { registerCapsules } from "./capsules/registerCapsules.ts";
import { ChatBinding } from "./chatBinding.ts";
import { CommandRegistry } from "./commandRegistry.ts";
import { CompactCommand } from "./compactCommand.ts";
import { ImportCommand } from "./importCommand.ts";
import { ImportReports } from "./importReports.ts";
import { LanguageModels } from "./models/languageModels.ts";
import { registerModels } from "./models/registerModels.ts";
import { SummarizerModels } from "./models/summarizerModels.ts";
import { newId, openLive, SessionPlaces } from "./openSessions.ts";
import { registerParticipant } from "./participant/registerParticipant.ts";
import { registerSessionCommands } from "./registerCommands.ts";
import { SessionCommands } from "./sessionCommands.ts";
import { SessionContext } from "./sessionContext.ts";
import { SessionsView } from "./sessionsView.ts";
import { Settings } from "./settings.ts";
import { StatusBar } from "./statusBar.ts";

export interface Surface {
  /** Closes every session; VS Code waits for it. */
  close(): Promise<void>;
}

/** Builds the surface. Nothing is read from disk here but what a session that was active needs. */
export function activateSurface(context: vscode.ExtensionContext): Surface {
  const { workspaceState, subscriptions } = context;
  const log = vscode.window.createOutputChannel("Context Capsule", { log: true });
  const registry = new CommandRegistry(log);
  const settings = new Settings(workspaceState);
  const places = new SessionPlaces(context);
  const sessions = new ActiveSession({
    openStore: () => places.openStore(),
    openLive: (file) => openLive(file, settings),
    workspaceState,
  });
  const chats = new ChatBinding();
  const models = new LanguageModels(context.globalState);
  const summarizer = new SummarizerModels(models, settings);
  const sessionsView = new SessionsView(sessions, workspaceState);
  const importReports = new ImportReports(workspaceState);

  const question = new AutomaticQuestion({ sessions, settings, onError: registry.report });
  const compact = new CompactCommand({ sessions, summarizer, onError: registry.report });
  const sessionCommands = new SessionCommands({
    sessions,
    chats,
    places,
    capsuleEntries: (sessionId) =>
      sessions.borrow(sessionId, async ({ context: state }) => {
        const { continuedEntries } = await import("../sessions/continuedEntries.ts");
        return continuedEntries(state, { newId, now: Date.now() });
      }),
    onError: registry.report,
  });
  const importCommand = new ImportCommand({ sessions, reports: importReports, onError: registry.report });

  registerSessionCommands({
    registry,
    sessions,
    settings,
    compact,
    sessionCommands,
    importCommand,
    importReports,
    sessionsView,
  });
  subscriptions.push(
    log,
    registry,
    settings,
    registerModels({ registry, sessions, models, summarizer }),
    registerParticipant(
      {
        sessions,
        chats,
        models,
        summarizer,
        question,
        onError: (error) => log.error(error instanceof Error ? error : String(error)),
      },
      vscode.Uri.joinPath(context.extensionUri, "media", "icon.png"),
    ),
    sessionsView,
    importReports,
    question,
    registerCapsules({ registry, sessions, settings, summarizer }),
    new StatusBar(sessions),
    new SessionContext(sessions),
    // A window learns of the folders of a .code-workspace file after its start, and more can be added at any time.
    vscode.workspace.onDidChangeWorkspaceFolders(() => {
      places
        .known()
        .then((paths) => sessions.addPlaces(paths))
        .catch(registry.report);
    }),
    settings.onDidChange(() => {
      sessions.openSessions().then((open) => {
        for (const live of open) live.settingsChanged();
      }, registry.report);
    }),
  );
  if (sessions.rememberedId !== undefined) sessions.restore().catch(registry.report);
  return { close: () => sessions.close() };
}
