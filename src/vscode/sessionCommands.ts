import * as vscode from "vscode";
import type { LogEntry } from "../sessions/entries.ts";
import { MAX_TITLE_CHARACTERS } from "../sessions/sessionTitle.ts";
import type { ActiveSession } from "./activeSession.ts";
import type { ChatBinding } from "./chatBinding.ts";
import { commands, participant } from "./contributions.ts";
import { showInformation, showWarning } from "./notices.ts";
import type { SessionPlaces } from "./openSessions.ts";
import { pickPlaces, pickSession, SessionSearch } from "./sessionPicks.ts";
import { fullNumber, sessionErrorSentence } from "./words.ts";

export interface SessionCommandsOptions {
  readonly sessions: ActiveSession;
  readonly chats: ChatBinding;
  readonly places: SessionPlaces;
  /** What a new session starts with when it continues another one's capsule; loaded on first use. */
  readonly capsuleEntries: (sessionId: string) => Promise<readonly LogEntry[] | undefined>;
  readonly onError: (error: unknown) => void;
}

/** What a person does with sessions as a whole. Every method takes the id of a session. */
export class SessionCommands {
  readonly #sessions: ActiveSession;
  readonly #options: SessionCommandsOptions;

  constructor(options: SessionCommandsOptions) {
    this.#options = options;
    this.#sessions = options.sessions;
  }

  /** Asks for a title; returns the new session's id. */
  async create(): Promise<string | undefined> {
    const title = await askTitle(vscode.l10n.t("New Session"), vscode.l10n.t("New session"));
    if (title === undefined) return undefined;
    return (await this.#sessions.create({ title })).id;
  }

  async createFromCapsule(sessionId: string): Promise<string | undefined> {
    const entries = await this.#options.capsuleEntries(sessionId);
    if (entries === undefined) {
      void showInformation(
        vscode.l10n.t("This session has no capsule yet. Compact it first, then start a new session from it."),
      );
      return undefined;
    }
    const before = await this.#titleOf(sessionId);
    if (before === undefined) {
      tellGone();
      return undefined;
    }
    const title = await askTitle(
      vscode.l10n.t("New Session from This Capsule"),
      vscode.l10n.t("{0} (continued)", before),
    );
    if (title === undefined) return undefined;
    const live = await this.#sessions.create({
      title,
      entries,
      origin: { kind: "capsule", name: before, sessionId },
    });
    return live.id;
  }

  async rename(sessionId: string): Promise<void> {
    const before = await this.#titleOf(sessionId);
    if (before === undefined) return tellGone();
    const title = await askTitle(vscode.l10n.t("Rename Session"), before);
    if (title === undefined || title === before) return;
    await (await this.#sessions.store()).rename(sessionId, title);
  }

  /** Moves it away and offers to take that back; a run that is under way is not pulled from under its feet. */
  async delete(sessionId: string): Promise<void> {
    const title = await this.#titleOf(sessionId);
    if (title === undefined) return tellGone();
    if (this.#sessions.isBusy(sessionId)) {
      void showWarning(
        vscode.l10n.t(
          "“{0}” is in use: a compaction or a chat is running. Cancel it or wait, then delete.",
          title,
        ),
      );
      return;
    }
    const wasActive = this.#sessions.current?.id === sessionId;
    if (wasActive) await this.#sessions.deactivate();
    const store = await this.#sessions.store();
    try {
      await store.delete(sessionId);
    } catch (error) {
      if (wasActive) await this.#sessions.activate(sessionId);
      throw error;
    }
    this.#offerUndo(sessionId, title, wasActive).catch(this.#options.onError);
  }

  async switch(): Promise<string | undefined> {
    const list = await (await this.#sessions.store()).list();
    if (list.length === 0) {
      await this.#offerFirstSession();
      return undefined;
    }
    const picked = await pickSession(list, this.#sessions.current?.id);
    if (picked !== undefined) await this.#sessions.activate(picked);
    return picked;
  }

  async search(): Promise<void> {
    const picked = await new SessionSearch(await this.#sessions.store(), this.#options.onError).run();
    if (picked === undefined) return;
    await this.#sessions.activate(picked.sessionId);
    const { sessionId, messageId } = picked;
    if (messageId !== undefined) {
      await vscode.commands.executeCommand(commands.openTranscript, { sessionId, messageId });
    }
  }

  /**
   * Says what is there, and offers the places of other workspaces: a folder that was copied or moved to another disk
   * is a stranger to the register, but not to its owner.
   */
  async find(): Promise<void> {
    const list = await (await this.#sessions.store()).list();
    const others = await this.#options.places.otherPlaces();
    if (others.length === 0) {
      const places = new Set(list.map(({ place }) => place)).size;
      void showInformation(foundSentence(list.length, places));
      return;
    }
    const picked = await pickPlaces(others, list.length);
    if (picked === undefined || picked.length === 0) return;
    for (const place of picked) await this.#options.places.adopt(place);
    await this.#sessions.addPlaces(picked);
  }

  /** Opens a new chat whose first message goes on in this session. */
  async continueInChat(sessionId: string): Promise<void> {
    await this.#sessions.activate(sessionId);
    this.#options.chats.bindNext(sessionId);
    await vscode.commands.executeCommand("workbench.action.chat.newChat");
    await vscode.commands.executeCommand("workbench.action.chat.open", {
      query: `@${participant.name} `,
      isPartialQuery: true,
    });
  }

  async takeOver(sessionId: string): Promise<void> {
    const live = await this.#sessions.activate(sessionId);
    if (live.file.readOnly === undefined) return;
    await live.file.takeOver();
    void showInformation(
      vscode.l10n.t("This window writes “{0}” now; in the other one it is read-only.", live.meter.title),
    );
  }

  /** Undefined where the session is gone. */
  async #titleOf(sessionId: string): Promise<string | undefined> {
    if (this.#sessions.current?.id === sessionId) return this.#sessions.current.meter.title;
    const list = await (await this.#sessions.store()).list();
    return list.find(({ id }) => id === sessionId)?.title;
  }

  async #offerUndo(sessionId: string, title: string, wasActive: boolean): Promise<void> {
    const undo = vscode.l10n.t("Undo");
    const picked = await showInformation(
      vscode.l10n.t("Deleted “{0}”. It is kept for 30 days.", title),
      undo,
    );
    if (picked !== undo) return;
    await (await this.#sessions.store()).restore(sessionId);
    if (wasActive) await this.#sessions.activate(sessionId);
  }

  async #offerFirstSession(): Promise<void> {
    const importSession = vscode.l10n.t("Import Session…");
    const newSession = vscode.l10n.t("New Session…");
    const picked = await showInformation(
      vscode.l10n.t("There are no sessions in this workspace yet."),
      importSession,
      newSession,
    );
    if (picked === importSession) await vscode.commands.executeCommand(commands.importSession);
    if (picked === newSession) await vscode.commands.executeCommand(commands.newSession);
  }
}

function tellGone(): void {
  const gone = sessionErrorSentence("not_found");
  if (gone !== undefined) void showInformation(gone);
}

function foundSentence(sessions: number, places: number): string {
  if (sessions === 0) return vscode.l10n.t("No sessions of this workspace were found.");
  if (places === 1) {
    return sessions === 1
      ? vscode.l10n.t("1 session found.")
      : vscode.l10n.t("{0} sessions found.", fullNumber(sessions));
  }
  return vscode.l10n.t("{0} sessions found in {1} places.", fullNumber(sessions), fullNumber(places));
}

function askTitle(title: string, value: string): Thenable<string | undefined> {
  return vscode.window
    .showInputBox({
      title,
      prompt: vscode.l10n.t("Title of the session"),
      value,
      validateInput: titleProblem,
    })
    .then((given) => given?.trim());
}

export function titleProblem(title: string): string | undefined {
  if (title.trim() === "") return vscode.l10n.t("A session needs a title.");
  if (Array.from(title.trim()).length > MAX_TITLE_CHARACTERS) {
    return vscode.l10n.t("A title has at most {0} characters.", MAX_TITLE_CHARACTERS);
  }
  return undefined;
}
