import { basename } from "node:path";
import * as vscode from "vscode";
import type { RegisteredPlace } from "../sessions/placeRegister.ts";
import type { SessionStore, SessionSummary } from "../sessions/session.ts";
import { plainLabel } from "./plainText.ts";
import { age, byteSize, excerpt, fullNumber } from "./words.ts";

export interface SessionPick extends vscode.QuickPickItem {
  readonly sessionId: string;
  readonly messageId?: string;
}

/** One of the workspace's sessions, by its title; undefined = dismissed. */
export async function pickSession(
  list: readonly SessionSummary[],
  activeId: string | undefined,
): Promise<string | undefined> {
  const now = Date.now();
  const picks = list
    .toSorted((a, b) => b.updatedAt - a.updatedAt)
    .map((summary) => ({
      sessionId: summary.id,
      label: `$(${summary.id === activeId ? "check" : "comment"}) ${plainLabel(summary.title)}`,
      description: [
        age(summary.updatedAt, now),
        byteSize(summary.bytes),
        ...(summary.id === activeId ? [vscode.l10n.t("active")] : []),
      ].join(" · "),
    }));
  const picked = await vscode.window.showQuickPick(picks, {
    title: vscode.l10n.t("Switch Session"),
    placeHolder: vscode.l10n.t("The session that the meter and the Capsules view show"),
  });
  return picked?.sessionId;
}

/** Places of other workspaces whose sessions are to be listed here too; undefined = dismissed. */
export async function pickPlaces(
  places: readonly RegisteredPlace[],
  listed: number,
): Promise<readonly string[] | undefined> {
  const now = Date.now();
  const picked = await vscode.window.showQuickPick(
    places.map(({ place, folders, workspaceFile, at }) => ({
      label: [...(workspaceFile === undefined ? [] : [workspaceFile]), ...folders.map(({ uri }) => uri)]
        .map((uri) => basename(decodeURIComponent(uri)))
        .join(", "),
      description: age(at, now),
      detail: folders.map(({ uri }) => whereOf(uri)).join(", "),
      place,
    })),
    {
      title: vscode.l10n.t("Find Sessions on Disk"),
      placeHolder:
        listed === 1
          ? vscode.l10n.t("1 session is listed. Also list the sessions of:")
          : vscode.l10n.t("{0} sessions are listed. Also list the sessions of:", fullNumber(listed)),
      canPickMany: true,
      matchOnDetail: true,
    },
  );
  return picked?.map(({ place }) => place);
}

/** A path as people write it, where the folder is on this machine. */
function whereOf(uri: string): string {
  const parsed = vscode.Uri.parse(uri);
  return parsed.scheme === "file" ? parsed.fsPath : decodeURIComponent(uri);
}

/** Quiet time after a key before the disk is searched. */
const SEARCH_DELAY_MS = 200;
const MAX_FOUND = 200;
const EXCERPT_CHARACTERS = 160;

/** Searches titles and messages while the person types; a new word cancels the search before it. */
export class SessionSearch {
  readonly #store: SessionStore;
  readonly #onError: (error: unknown) => void;
  readonly #pick = vscode.window.createQuickPick<SessionPick>();
  #abort = new AbortController();
  #delay: NodeJS.Timeout | undefined;

  constructor(store: SessionStore, onError: (error: unknown) => void) {
    this.#store = store;
    this.#onError = onError;
    this.#pick.title = vscode.l10n.t("Search Sessions");
    this.#pick.placeholder = vscode.l10n.t("Words in a title or a message");
    this.#pick.matchOnDescription = true;
    this.#pick.matchOnDetail = true;
    this.#pick.onDidChangeValue((words) => this.#searchSoon(words));
  }

  /** Resolves with what was picked; undefined = dismissed. */
  run(): Promise<SessionPick | undefined> {
    return new Promise((resolve) => {
      this.#pick.onDidAccept(() => {
        const [picked] = this.#pick.selectedItems;
        if (picked === undefined || picked.sessionId === "") return;
        resolve(picked);
        this.#pick.hide();
      });
      this.#pick.onDidHide(() => {
        clearTimeout(this.#delay);
        this.#abort.abort();
        this.#pick.dispose();
        resolve(undefined);
      });
      this.#pick.show();
    });
  }

  #searchSoon(words: string): void {
    clearTimeout(this.#delay);
    this.#abort.abort();
    this.#abort = new AbortController();
    const { signal } = this.#abort;
    this.#pick.items = [];
    this.#pick.busy = words.trim() !== "";
    if (!this.#pick.busy) return;
    this.#delay = setTimeout(() => {
      this.#search(words, signal).catch((error: unknown) => {
        if (!signal.aborted) this.#onError(error);
      });
    }, SEARCH_DELAY_MS);
  }

  async #search(words: string, signal: AbortSignal): Promise<void> {
    const found: SessionPick[] = [];
    const now = Date.now();
    for await (const { session, messageId, excerpt: text } of this.#store.search(words, signal)) {
      if (signal.aborted) return;
      found.push({
        sessionId: session.id,
        ...(messageId === undefined ? {} : { messageId }),
        label: plainLabel(session.title),
        description: age(session.updatedAt, now),
        detail: plainLabel(excerpt(text, EXCERPT_CHARACTERS)),
        alwaysShow: true,
      });
      this.#pick.items = found;
      if (found.length >= MAX_FOUND) break;
    }
    if (signal.aborted) return;
    this.#pick.busy = false;
    if (found.length === 0) {
      this.#pick.items = [
        {
          sessionId: "",
          label: vscode.l10n.t("No session holds all of these words"),
          alwaysShow: true,
        },
      ];
    }
  }
}
