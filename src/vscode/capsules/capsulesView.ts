import * as vscode from "vscode";
import type { LiveSession } from "../../engine/liveSession.ts";
import type { ActiveSession } from "../activeSession.ts";
import type { CommandRegistry } from "../commandRegistry.ts";
import { targetField, targetNumber } from "../commandTarget.ts";
import { commands, views } from "../contributions.ts";
import type { DocumentCommands } from "../documents/documentCommands.ts";
import type { Documents } from "../documents/documents.ts";
import { escapeMarkdown } from "../markdown.ts";
import { showInformation } from "../notices.ts";
import { errorSentence } from "../words.ts";
import type { CapsuleNode, TooltipLine } from "./capsuleNodes.ts";

const COALESCE_MS = 150;
const STATUS_MS = 4_000;
const TOOLTIP_CHARACTERS = 2_000;

export interface CapsulesViewParts {
  readonly sessions: ActiveSession;
  readonly documents: Documents;
  readonly documentCommands: DocumentCommands;
}

/** The Capsules view: what compaction did to the active session, newest first, and what each capsule holds. */
export class CapsulesView implements vscode.TreeDataProvider<CapsuleNode>, vscode.Disposable {
  readonly #parts: CapsulesViewParts;
  readonly #view: vscode.TreeView<CapsuleNode>;
  readonly #treeChanged = new vscode.EventEmitter<undefined>();
  readonly #subscriptions: vscode.Disposable[];
  #pending: NodeJS.Timeout | undefined;
  /** What the rows were made from; the same objects stand while nothing changed that they show. */
  #shown: readonly unknown[] = [];

  readonly onDidChangeTreeData = this.#treeChanged.event;

  constructor(parts: CapsulesViewParts) {
    this.#parts = parts;
    this.#view = vscode.window.createTreeView(views.capsules, {
      treeDataProvider: this,
      showCollapseAll: true,
    });
    const { sessions } = parts;
    this.#subscriptions = [
      this.#view,
      sessions.onDidChangeActive(() => this.#refreshSoon()),
      sessions.onDidChange((live) => {
        if (shownParts(live).some((part, at) => part !== this.#shown[at])) this.#refreshSoon();
      }),
    ];
  }

  register(registry: CommandRegistry): void {
    const { documentCommands } = this.#parts;
    registry.register(commands.compareGenerations, async (target) => {
      const sessionId = await documentCommands.sessionOf(target);
      if (sessionId !== undefined) await this.#compare(sessionId, target);
    });
    registry.register(commands.copyCapsuleAsMarkdown, async (target) => {
      const sessionId = await documentCommands.sessionOf(target);
      if (sessionId !== undefined) await this.#copy(sessionId, target);
    });
  }

  async getChildren(node?: CapsuleNode): Promise<CapsuleNode[]> {
    const live = this.#parts.sessions.current;
    if (node !== undefined) return node.children?.() ?? [];
    this.#view.description = live?.meter.title ?? "";
    this.#shown = live === undefined ? [] : shownParts(live);
    if (live === undefined || live.context.receipts.length + live.context.generations.length === 0) return [];
    try {
      const [{ capsuleHistory }, { capsuleNodes }] = await Promise.all([
        import("./capsuleHistory.ts"),
        import("./capsuleNodes.ts"),
      ]);
      const lookUp = await this.#parts.documents.use(live.id, (documents) => documents.lookUp(live));
      this.#view.message = "";
      return capsuleNodes({
        sessionId: live.id,
        history: capsuleHistory(live.file.state.branch, live.context),
        context: live.context,
        ...lookUp,
        now: Date.now(),
      });
    } catch (error) {
      this.#view.message = errorSentence(error) ?? "";
      return [];
    }
  }

  getTreeItem(node: CapsuleNode): vscode.TreeItem {
    const { None, Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
    const state = node.children === undefined ? None : node.expanded === true ? Expanded : Collapsed;
    const item = new vscode.TreeItem(node.label, state);
    item.id = `${node.sessionId}/${node.id}`;
    item.contextValue = node.contextValue;
    item.accessibilityInformation = { label: node.spoken };
    if (node.description !== undefined) item.description = node.description;
    if (node.icon !== undefined) {
      const { name, color } = node.icon;
      item.iconPath = new vscode.ThemeIcon(
        name,
        color === undefined ? undefined : new vscode.ThemeColor(color),
      );
    }
    if (node.open !== undefined) {
      item.command = {
        command: commands.openDocumentTarget,
        title: vscode.l10n.t("Open"),
        arguments: [{ sessionId: node.sessionId, target: node.open }],
      };
    }
    return item;
  }

  /** Made when a person asks for it. */
  resolveTreeItem(item: vscode.TreeItem, node: CapsuleNode): vscode.TreeItem {
    item.tooltip = tooltip(node.tooltip);
    return item;
  }

  dispose(): void {
    clearTimeout(this.#pending);
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#treeChanged.dispose();
  }

  #refreshSoon(): void {
    this.#pending ??= setTimeout(() => {
      this.#pending = undefined;
      const live = this.#parts.sessions.current;
      this.#shown = live === undefined ? [] : shownParts(live);
      this.#treeChanged.fire(undefined);
    }, COALESCE_MS);
  }

  async #compare(sessionId: string, target: unknown): Promise<void> {
    const { capsuleHistory } = await import("./capsuleHistory.ts");
    const pair = await this.#parts.documents.use(sessionId, async (_documents, live) => {
      const items = capsuleHistory(live.file.state.branch, live.context).flatMap((item) =>
        item.kind === "generation" ? [item] : [],
      );
      const capsuleId = targetField(target, "capsuleId");
      const number = targetNumber(target, "generation");
      const item = items.find(({ generation, current }) =>
        capsuleId !== undefined
          ? generation.messageId === capsuleId
          : number === undefined
            ? current
            : generation.summary.generation === number && !generation.undone,
      );
      return item?.previous === undefined
        ? undefined
        : { older: item.previous.messageId, newer: item.generation.messageId };
    });
    if (pair === undefined) {
      void showInformation(
        vscode.l10n.t("This is the first generation: there is none before it to compare with."),
      );
      return;
    }
    await this.#parts.documentCommands.compareGenerations(sessionId, pair.older, pair.newer);
  }

  async #copy(sessionId: string, target: unknown): Promise<void> {
    const capsuleId = targetField(target, "capsuleId");
    const markdown = await this.#parts.documents.use(sessionId, async (documents, live) => {
      const { findGeneration } = await import("./capsuleHistory.ts");
      const { generations, summary } = live.context;
      const found =
        capsuleId === undefined
          ? generations.findLast((generation) => generation.summary === summary)
          : findGeneration(live.file.state.branch, live.context, capsuleId);
      return found === undefined ? undefined : documents.capsuleText(live, found);
    });
    if (markdown === undefined) {
      void showInformation(vscode.l10n.t("This session has no capsule yet."));
      return;
    }
    await vscode.env.clipboard.writeText(markdown);
    vscode.window.setStatusBarMessage(`$(check) ${vscode.l10n.t("Capsule copied as Markdown")}`, STATUS_MS);
  }
}

/** A fold of the branch makes all of these anew; a message at its end none of them. */
function shownParts({ context, file }: LiveSession): readonly unknown[] {
  return [file, context.generations, context.receipts, context.pinnedIds, context.runs, file.state.title];
}

/** Chat text is escaped and nothing in it is trusted: no link in a tooltip runs a command. */
function tooltip(lines: readonly TooltipLine[]): vscode.MarkdownString {
  const texts: string[] = [];
  const facts: string[] = [];
  for (const line of lines) {
    if (line.type === "text") texts.push(paragraph(line.text));
    else
      facts.push(
        `| ${escapeMarkdown(line.name)} | ${escapeMarkdown(line.value.slice(0, TOOLTIP_CHARACTERS))} |`,
      );
  }
  const table = facts.length === 0 ? [] : [["| | |", "| :-- | :-- |", ...facts].join("\n")];
  return new vscode.MarkdownString([...texts, ...table].join("\n\n"));
}

function paragraph(text: string): string {
  const shown = text.length > TOOLTIP_CHARACTERS ? `${text.slice(0, TOOLTIP_CHARACTERS)}…` : text;
  return shown.split("\n").map(escapeMarkdown).join("  \n");
}
