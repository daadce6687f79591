import * as vscode from "vscode";
import type { CompactOutcome } from "../../core/compactionOutcome.ts";
import type { CompactionPhase } from "../../engine/liveSession.ts";
import type { CommandId } from "../contributions.ts";
import { commands } from "../contributions.ts";
import { didCompact, excerpt, nextStep, phaseWords } from "../words.ts";
import { compactionMarkdown, quoted } from "./chatWords.ts";

/** The stream as our turns use it. Markdown stays with the chat; buttons are dead once it is opened again. */
export class ChatReply {
  readonly #stream: vscode.ChatResponseStream;

  constructor(stream: vscode.ChatResponseStream) {
    this.#stream = stream;
  }

  /** Text of a model: Markdown that nobody vouches for. */
  modelText(text: string): void {
    this.#stream.markdown(text);
  }

  paragraph(markdown: string): void {
    this.#stream.markdown(`${markdown}\n\n`);
  }

  /** Markdown with links to these commands. */
  linked(markdown: string, enabledCommands: readonly CommandId[]): void {
    const value = new vscode.MarkdownString(`${markdown}\n\n`);
    value.isTrusted = { enabledCommands };
    this.#stream.markdown(value);
  }

  notes(notes: readonly string[]): void {
    if (notes.length > 0) this.#stream.markdown(quoted(...notes));
  }

  phase(phase: CompactionPhase, writer: string | undefined): void {
    this.#stream.progress(
      phase === "summarizing" && writer !== undefined
        ? vscode.l10n.t("Summarizing with {0}…", writer)
        : phaseWords(phase),
    );
  }

  progress(text: string): void {
    this.#stream.progress(text);
  }

  used(references: readonly (vscode.Uri | vscode.Location)[]): void {
    for (const reference of references) this.#stream.reference(reference);
  }

  button(title: string, command: string, ...args: readonly unknown[]): void {
    this.#stream.button({ title, command, arguments: [...args] });
  }

  /** The end state of a run, before a model's reply or by itself, with what a person may want to do about it. */
  compaction(
    outcome: CompactOutcome,
    writer: string | undefined,
    place: { readonly sessionId: string; readonly beforeReply: boolean },
  ): void {
    const { sessionId, beforeReply } = place;
    const markdown = compactionMarkdown(outcome, writer);
    if (beforeReply) this.notes([markdown]);
    else this.paragraph(markdown);
    for (const { key, text } of outcome.retired.slice(0, MAX_RESTORE_BUTTONS)) {
      const title = vscode.l10n.t("Restore “{0}”", excerpt(text, BUTTON_CHARACTERS));
      this.button(title, commands.restoreCommitment, { sessionId, key });
    }
    if (didCompact(outcome.state)) {
      this.button(vscode.l10n.t("Undo Compaction"), commands.undo, sessionId);
      if (!beforeReply) this.button(vscode.l10n.t("Open Receipt"), commands.openReceipt, sessionId);
    }
    // To continue is what the person does anyway.
    if (outcome.nextAction === "continue") return;
    const next = nextStep(outcome.nextAction, sessionId);
    if (next !== undefined) this.button(next.label, next.command, ...next.arguments);
  }
}

const MAX_RESTORE_BUTTONS = 3;
const BUTTON_CHARACTERS = 40;
