import * as vscode from "vscode";
import type { ActiveSession } from "./activeSession.ts";
import type { CommandRegistry } from "./commandRegistry.ts";
import type { CompactCommand } from "./compactCommand.ts";
import { commands, EXTENSION_ID, SETTINGS_PREFIX } from "./contributions.ts";
import type { ImportCommand } from "./importCommand.ts";
import type { ImportReports } from "./importReports.ts";
import { showMeterActions } from "./meterActions.ts";
import { showInformation } from "./notices.ts";
import type { SessionCommands } from "./sessionCommands.ts";
import type { SessionsView } from "./sessionsView.ts";
import type { Settings } from "./settings.ts";
import { sessionIdOf } from "./targets.ts";
import { undoLastCompaction } from "./undoCommand.ts";

export interface CommandParts {
  readonly registry: CommandRegistry;
  readonly sessions: ActiveSession;
  readonly settings: Settings;
  readonly compact: CompactCommand;
  readonly sessionCommands: SessionCommands;
  readonly importCommand: ImportCommand;
  readonly importReports: ImportReports;
  readonly sessionsView: SessionsView;
}

/** Binds the commands of the meter and of sessions; documents, capsules and models bind their own. */
export function registerSessionCommands(parts: CommandParts): void {
  const { registry, sessions, settings, compact, sessionCommands, importCommand, importReports } = parts;

  /** Runs with the session that the argument names, else the active one, else one that the person picks. */
  const onSession = (run: (sessionId: string) => unknown) => async (target: unknown) => {
    const sessionId = sessionIdOf(target) ?? sessions.current?.id ?? (await sessionCommands.switch());
    return sessionId === undefined ? undefined : run(sessionId);
  };
  /** The same for what a key press in the Sessions view does: the focused row comes before the active session. */
  const onRow = (run: (sessionId: string) => unknown) => (target: unknown) =>
    onSession(run)(target ?? parts.sessionsView.selectedId);

  registry.register(
    commands.compactNow,
    onSession((id) => compact.compact(id)),
  );
  registry.register(
    commands.compactNowWithFocus,
    onSession((id) => compact.compactWithFocus(id)),
  );
  registry.register(
    commands.undo,
    onSession((id) => undoLastCompaction(sessions, id, registry.report)),
  );
  registry.register(commands.showMeterActions, async () => {
    if (sessions.current === undefined) await sessionCommands.switch();
    else await showMeterActions(sessions.current);
  });
  registry.register(commands.openSettings, (key) =>
    vscode.commands.executeCommand(
      "workbench.action.openSettings",
      typeof key === "string" && key.startsWith(`${SETTINGS_PREFIX}.`) ? key : `@ext:${EXTENSION_ID}`,
    ),
  );
  registry.register(commands.turnAutomaticOn, async () => {
    await settings.turnAutomaticOn();
    await sessions.current?.allowAutomatic();
    void showInformation(
      vscode.l10n.t("Automatic compaction is on: a chat is compacted when it reaches its trigger line."),
    );
  });

  registry.register(commands.newSession, () => sessionCommands.create());
  registry.register(
    commands.newSessionFromCapsule,
    onSession((id) => sessionCommands.createFromCapsule(id)),
  );
  registry.register(commands.switchSession, async (target) => {
    const sessionId = sessionIdOf(target);
    if (sessionId === undefined) return sessionCommands.switch();
    await sessions.activate(sessionId);
    return sessionId;
  });
  registry.register(
    commands.renameSession,
    onRow((id) => sessionCommands.rename(id)),
  );
  registry.register(
    commands.deleteSession,
    onRow((id) => sessionCommands.delete(id)),
  );
  registry.register(commands.searchSessions, () => sessionCommands.search());
  registry.register(commands.findSessions, () => sessionCommands.find());
  registry.register(
    commands.continueInChat,
    onSession((id) => sessionCommands.continueInChat(id)),
  );
  registry.register(
    commands.takeOverSession,
    onSession((id) => sessionCommands.takeOver(id)),
  );
  registry.register(commands.importSession, (file) =>
    importCommand.import(file instanceof vscode.Uri ? file : undefined),
  );
  registry.register(
    commands.showImportReport,
    onSession((id) => importReports.show(id)),
  );
}
