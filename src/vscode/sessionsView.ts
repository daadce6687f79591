import * as vscode from "vscode";
import type { ActiveSession } from "./activeSession.ts";
import { contextKeys, views } from "./contributions.ts";
import { FullnessMemory } from "./fullnessMemory.ts";
import type { SessionNode } from "./sessionItem.ts";
import { SESSION_RESOURCE_SCHEME, sessionItem, sessionResource, sessionTooltip } from "./sessionItem.ts";
import { errorSentence } from "./words.ts";

const COALESCE_MS = 150;
/** Ages in the list are coarse; while it is visible they are brought up to date once a minute. */
const AGE_REFRESH_MS = 60_000;

/** The Sessions view: every session of the workspace, newest first, the active one marked. */
export class SessionsView
  implements vscode.TreeDataProvider<SessionNode>, vscode.FileDecorationProvider, vscode.Disposable
{
  readonly #sessions: ActiveSession;
  readonly #fullness: FullnessMemory;
  readonly #view: vscode.TreeView<SessionNode>;
  readonly #treeChanged = new vscode.EventEmitter<SessionNode[] | undefined>();
  readonly #badgesChanged = new vscode.EventEmitter<vscode.Uri | vscode.Uri[] | undefined>();
  readonly #subscriptions: vscode.Disposable[];
  #nodes = new Map<string, SessionNode>();
  #pending: NodeJS.Timeout | undefined;
  #ages: NodeJS.Timeout | undefined;
  #shownActive = "";

  readonly onDidChangeTreeData = this.#treeChanged.event;
  readonly onDidChangeFileDecorations = this.#badgesChanged.event;

  constructor(sessions: ActiveSession, workspaceState: vscode.Memento) {
    this.#sessions = sessions;
    this.#fullness = new FullnessMemory(sessions, workspaceState);
    this.#view = vscode.window.createTreeView(views.sessions, { treeDataProvider: this });
    this.#subscriptions = [
      this.#view,
      this.#fullness,
      vscode.window.registerFileDecorationProvider(this),
      sessions.onDidChangeList(() => this.#refreshSoon()),
      sessions.onDidChangeActive(() => this.#refreshSoon()),
      sessions.onDidChange((live) => {
        this.#fullness.note(live.meter);
        // The row shows less than the session holds: most changes change nothing here.
        if (this.#activeState() !== this.#shownActive) this.#refreshSoon();
      }),
      this.#view.onDidChangeVisibility(() => this.#keepAges()),
    ];
    this.#keepAges();
  }

  /** The row that has the focus: what keyboard commands act on. */
  get selectedId(): string | undefined {
    return this.#view.selection[0]?.sessionId;
  }

  async getChildren(node?: SessionNode): Promise<SessionNode[]> {
    if (node !== undefined) return [];
    try {
      const list = await (await this.#sessions.store()).list();
      const nodes = list
        .toSorted((a, b) => b.updatedAt - a.updatedAt || a.title.localeCompare(b.title))
        .map((summary) => ({ sessionId: summary.id, summary }));
      this.#nodes = new Map(nodes.map((each) => [each.sessionId, each]));
      this.#show(undefined, nodes.length === 0);
      return nodes;
    } catch (error) {
      this.#show(errorSentence(error), false);
      return [];
    }
  }

  getTreeItem(node: SessionNode): vscode.TreeItem {
    const active = this.#sessions.current?.id === node.sessionId;
    if (active) this.#shownActive = this.#activeState();
    return sessionItem(node, {
      active,
      readOnly: this.#isReadOnly(node.sessionId),
      fullness: this.#fullness.of(node.sessionId),
      now: Date.now(),
    });
  }

  getParent(): undefined {
    return undefined;
  }

  resolveTreeItem(item: vscode.TreeItem, node: SessionNode): vscode.TreeItem {
    item.tooltip = sessionTooltip(node.summary, this.#fullness.of(node.sessionId));
    return item;
  }

  provideFileDecoration(uri: vscode.Uri): vscode.FileDecoration | undefined {
    if (uri.scheme !== SESSION_RESOURCE_SCHEME || !this.#isReadOnly(uri.path.slice(1))) return undefined;
    return new vscode.FileDecoration("R", vscode.l10n.t("Read-only: another window is writing this session"));
  }

  /** Brings a session's row into view and selects it, where the view is open. */
  async reveal(sessionId: string): Promise<void> {
    const node = this.#nodes.get(sessionId);
    if (node !== undefined && this.#view.visible)
      await this.#view.reveal(node, { select: true, focus: false });
  }

  dispose(): void {
    clearTimeout(this.#pending);
    clearInterval(this.#ages);
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#treeChanged.dispose();
    this.#badgesChanged.dispose();
  }

  #isReadOnly(sessionId: string): boolean {
    const live = this.#sessions.current;
    return live?.id === sessionId && live.meter.readOnly;
  }

  /** What of the active session its row shows. */
  #activeState(): string {
    const meter = this.#sessions.current?.meter;
    if (meter === undefined) return "";
    const percent = meter.fraction === undefined ? meter.usedTokens : Math.floor(meter.fraction * 100);
    return JSON.stringify([
      meter.sessionId,
      meter.title,
      percent,
      meter.readOnly,
      meter.generation?.generation,
    ]);
  }

  #show(problem: string | undefined, empty: boolean): void {
    // A message would stand in the place of the welcome view.
    this.#view.message = problem ?? "";
    void vscode.commands.executeCommand("setContext", contextKeys.noSessions, empty);
  }

  #refreshSoon(): void {
    this.#pending ??= setTimeout(() => {
      this.#pending = undefined;
      this.#treeChanged.fire(undefined);
      this.#badgesChanged.fire([...this.#nodes.keys()].map(sessionResource));
    }, COALESCE_MS);
  }

  #keepAges(): void {
    clearInterval(this.#ages);
    this.#ages = this.#view.visible
      ? setInterval(() => this.#treeChanged.fire([...this.#nodes.values()]), AGE_REFRESH_MS)
      : undefined;
  }
}
