import { randomUUID } from "node:crypto";
import { join } from "node:path";
import * as vscode from "vscode";
import type { LiveSession } from "../engine/liveSession.ts";
import type { PlaceRegister, RegisteredPlace } from "../sessions/placeRegister.ts";
import type { OpenSession, SessionStore } from "../sessions/session.ts";
import type { Settings } from "./settings.ts";
import { nextTurn, systemClock } from "./systemClock.ts";

const SESSIONS_FOLDER = "sessions";

export const newId = (): string => randomUUID();

/** Where the sessions of this workspace lie, and the code that opens them, each part read from disk on first use. */
export class SessionPlaces {
  readonly #context: vscode.ExtensionContext;

  constructor(context: vscode.ExtensionContext) {
    this.#context = context;
  }

  /** The workspace's own storage; where no folder is open, the installation's. */
  get ownPlace(): string {
    const { storageUri, globalStorageUri } = this.#context;
    return join((storageUri ?? globalStorageUri).fsPath, SESSIONS_FOLDER);
  }

  async openStore(): Promise<SessionStore> {
    const [{ openSessionStore }, { nodeFiles }, { nodeProcesses }, register] = await Promise.all([
      import("../sessions/sessionStore.ts"),
      import("../sessions/nodeFiles.ts"),
      import("../sessions/nodeProcesses.ts"),
      this.#register(),
    ]);
    const environment = {
      files: nodeFiles,
      processes: nodeProcesses,
      now: () => Date.now(),
      newId,
      windowName: vscode.workspace.name ?? vscode.l10n.t("a window without a folder"),
    };
    return openSessionStore(environment, [this.ownPlace, ...(await this.#knownPlaces(register))]);
  }

  /** Places of other workspaces of this installation: what a person may adopt who knows better than the register. */
  async otherPlaces(): Promise<readonly RegisteredPlace[]> {
    const register = await this.#register();
    const known = new Set([this.ownPlace, ...(await this.#knownPlaces(register))]);
    return (await register.all()).filter(({ place }) => !known.has(place));
  }

  /** Places of this workspace as it is now, older ones too; what it is now is written down. */
  async known(): Promise<readonly string[]> {
    return [this.ownPlace, ...(await this.#knownPlaces(await this.#register()))];
  }

  /** From now on the sessions of this place are listed here. */
  async adopt(place: string): Promise<void> {
    await (await this.#register()).remember(place, openWorkspace());
  }

  async #knownPlaces(register: PlaceRegister): Promise<readonly string[]> {
    const workspace = openWorkspace();
    if (workspace.folders.length === 0 && workspace.workspaceFile === undefined) return [];
    await register.remember(this.ownPlace, workspace);
    return (await register.placesFor(workspace)).filter((place) => place !== this.ownPlace);
  }

  async #register(): Promise<PlaceRegister> {
    const [{ PlaceRegister }, { nodeFiles }] = await Promise.all([
      import("../sessions/placeRegister.ts"),
      import("../sessions/nodeFiles.ts"),
    ]);
    const folder = this.#context.globalStorageUri.fsPath;
    return new PlaceRegister({ files: nodeFiles, folder, now: () => Date.now() });
  }
}

function openWorkspace() {
  const { workspaceFile, workspaceFolders = [] } = vscode.workspace;
  return {
    ...(workspaceFile === undefined || workspaceFile.scheme === "untitled"
      ? {}
      : { workspaceFile: workspaceFile.toString() }),
    folders: workspaceFolders.map(({ uri }) =>
      uri.scheme === "file" ? { uri: uri.toString(), path: uri.fsPath } : { uri: uri.toString() },
    ),
  };
}

export async function openLive(file: OpenSession, settings: Settings): Promise<LiveSession> {
  const [{ createLiveSession }, { useNodePrimitives }] = await Promise.all([
    import("../engine/createLiveSession.ts"),
    import("./nodePrimitives.ts"),
  ]);
  useNodePrimitives();
  return createLiveSession({
    file,
    settings: () => settings.engine,
    clock: systemClock,
    newId,
    pause: nextTurn,
  });
}
