import * as vscode from "vscode";
import type { Message } from "../../core/messages.ts";
import { textOf } from "../../core/messages.ts";
import type { CommitmentRequest, LiveSession } from "../../engine/liveSession.ts";
import { isPinnable } from "../../engine/pinnable.ts";
import type { CommandRegistry } from "../commandRegistry.ts";
import { targetField } from "../commandTarget.ts";
import { commands } from "../contributions.ts";
import type { DocumentCommands } from "../documents/documentCommands.ts";
import type { Documents } from "../documents/documents.ts";
import { showInformation, showWarning } from "../notices.ts";
import { plainLabel } from "../plainText.ts";
import { excerpt } from "../words.ts";
import { commitmentFailureSentence, commitmentTextProblem } from "./commitmentWords.ts";

const STATUS_MS = 6_000;
const DETAIL_LENGTH = 200;
/** A longer message is offered by its beginning: a commitment is a sentence, not a page. */
const OFFERED_LENGTH = 400;

/** The person's hand on commitments and pins (contract section 5). Every change says what it did or why it did not. */
export class CommitmentCommands {
  readonly #documents: Documents;
  readonly #documentCommands: DocumentCommands;
  /** Told of what goes wrong after a command has returned. */
  readonly #onError: (error: unknown) => void;

  constructor(documents: Documents, documentCommands: DocumentCommands, onError: (error: unknown) => void) {
    this.#documents = documents;
    this.#documentCommands = documentCommands;
    this.#onError = onError;
  }

  register(registry: CommandRegistry): void {
    const onSession = (run: (sessionId: string, target: unknown) => unknown) => async (target: unknown) => {
      const sessionId = await this.#documentCommands.sessionOf(target);
      return sessionId === undefined ? undefined : run(sessionId, target);
    };
    registry.register(
      commands.retireCommitment,
      onSession((id, target) => this.retire(id, targetField(target, "key"))),
    );
    registry.register(
      commands.rewordCommitment,
      onSession((id, target) => this.reword(id, targetField(target, "key"))),
    );
    registry.register(
      commands.restoreCommitment,
      onSession((id, target) => this.restore(id, targetField(target, "key"))),
    );
    registry.register(
      commands.addCommitment,
      onSession((id) => this.add(id)),
    );
    registry.register(
      commands.pinMessage,
      onSession((id, target) => this.pin(id, targetField(target, "messageId"))),
    );
    registry.register(
      commands.unpinMessage,
      onSession((id, target) => this.unpin(id, targetField(target, "messageId"))),
    );
  }

  async retire(sessionId: string, key: string | undefined): Promise<void> {
    const chosen = await this.#commitment(sessionId, key, vscode.l10n.t("Retire Commitment"));
    if (chosen === undefined) return;
    const done = await this.#change(sessionId, { action: "retire", key: chosen.key });
    if (done) this.#offerRestore(sessionId, chosen).catch(this.#onError);
  }

  async #offerRestore(sessionId: string, { key, text }: { key: string; text: string }): Promise<void> {
    const restore = vscode.l10n.t("Restore");
    const retired = vscode.l10n.t("Retired: “{0}”", excerpt(text));
    if ((await showInformation(retired, restore)) === restore) {
      await this.restore(sessionId, key);
    }
  }

  async reword(sessionId: string, key: string | undefined): Promise<void> {
    const chosen = await this.#commitment(sessionId, key, vscode.l10n.t("Reword Commitment"));
    if (chosen === undefined) return;
    const text = await vscode.window.showInputBox({
      title: vscode.l10n.t("Reword Commitment"),
      prompt: vscode.l10n.t(
        "Your words replace the old ones in the capsule, and are kept in the transcript.",
      ),
      value: chosen.text,
      ignoreFocusOut: true,
      validateInput: (value) => commitmentTextProblem(value, chosen.text),
    });
    if (text === undefined) return;
    const done = await this.#change(sessionId, { action: "reword", key: chosen.key, text: text.trim() });
    if (done) tell(vscode.l10n.t("Reworded: “{0}”", excerpt(text)));
  }

  /** From the message at the cursor of a transcript, or one that the person picks. */
  async add(sessionId: string): Promise<void> {
    const here = this.#documentCommands.messageAtCursor(sessionId);
    const message = await this.#message(sessionId, here, {
      title: vscode.l10n.t("Add Commitment from Message"),
      accepts: (candidate) => textOf(candidate).trim() !== "",
    });
    if (message === undefined) return;
    const text = await vscode.window.showInputBox({
      title: vscode.l10n.t("Add Commitment from Message"),
      prompt: vscode.l10n.t(
        "What shall hold from now on. The sentence is yours, whatever message it comes from.",
      ),
      value: (here === message.id ? selectedText() : undefined) ?? offered(textOf(message)),
      ignoreFocusOut: true,
      validateInput: (value) => commitmentTextProblem(value),
    });
    if (text === undefined) return;
    const request = { action: "add", messageId: message.id, text: text.trim() } as const;
    const done = await this.#change(sessionId, request);
    if (!done) return;
    tell(
      done.generation === undefined
        ? vscode.l10n.t("Noted. It becomes a commitment of the capsule with the next compaction.")
        : vscode.l10n.t("Added: “{0}”", excerpt(text)),
    );
  }

  /** Makes a retired commitment hold again, in the words it had. */
  async restore(sessionId: string, key: string | undefined): Promise<void> {
    if (key === undefined) return;
    const { restoreRequest } = await import("./restoreRequest.ts");
    const request = await this.#documents.use(sessionId, async (_documents, live) =>
      restoreRequest(live, key),
    );
    if (request === undefined) {
      void showWarning(
        vscode.l10n.t(
          "Nothing was changed. This commitment was not retired on the session's branch, or holds again.",
        ),
      );
      return;
    }
    const done = await this.#change(sessionId, request);
    if (done) tell(vscode.l10n.t("Restored: “{0}”", excerpt(request.text ?? "")));
  }

  async pin(sessionId: string, messageId: string | undefined): Promise<void> {
    const pinnedIds = await this.#pinnedIds(sessionId);
    const message = await this.#message(
      sessionId,
      messageId ?? this.#documentCommands.messageAtCursor(sessionId),
      {
        title: vscode.l10n.t("Pin Message"),
        accepts: (candidate) => isPinnable(candidate) && !pinnedIds.has(candidate.id),
      },
    );
    if (message === undefined) return;
    const done = await this.#change(sessionId, { action: "pin", messageId: message.id });
    if (done) tell(vscode.l10n.t("Pinned: it stays in the context word for word."));
  }

  async unpin(sessionId: string, messageId: string | undefined): Promise<void> {
    const pinnedIds = await this.#pinnedIds(sessionId);
    if (pinnedIds.size === 0) {
      void showInformation(vscode.l10n.t("No message of this session is pinned."));
      return;
    }
    const here = this.#documentCommands.messageAtCursor(sessionId);
    const known = messageId ?? (here !== undefined && pinnedIds.has(here) ? here : undefined);
    const message = await this.#message(sessionId, known, {
      title: vscode.l10n.t("Unpin Message"),
      accepts: (candidate) => pinnedIds.has(candidate.id),
    });
    if (message === undefined) return;
    const done = await this.#change(sessionId, { action: "unpin", messageId: message.id });
    if (done) tell(vscode.l10n.t("Unpinned: it leaves with the next compaction, unless it is recent."));
  }

  /** The outcome where it was made; a sentence for the person where it was not. */
  async #change(
    sessionId: string,
    request: CommitmentRequest,
  ): Promise<{ readonly generation?: number } | undefined> {
    const outcome = await this.#documents.use(sessionId, (_documents, live) =>
      live.changeCommitment(request),
    );
    if (outcome.ok) return outcome;
    const takeOver = vscode.l10n.t("Take Over Session");
    const buttons = outcome.failures[0] === "read_only" ? [takeOver] : [];
    const picked = await showWarning(commitmentFailureSentence(outcome.failures), ...buttons);
    if (picked === takeOver) await vscode.commands.executeCommand(commands.takeOverSession, sessionId);
    return undefined;
  }

  /** The commitment with this key, or one that the person picks. */
  async #commitment(
    sessionId: string,
    key: string | undefined,
    title: string,
  ): Promise<{ readonly key: string; readonly text: string } | undefined> {
    const all = await this.#documents.use(sessionId, async (_documents, live) => commitmentsOf(live));
    if (key !== undefined) {
      const found = all.find((commitment) => commitment.key === key);
      if (found === undefined) {
        void showWarning(commitmentFailureSentence(["unknown_commitment"]));
      }
      return found;
    }
    if (all.length === 0) {
      void showInformation(vscode.l10n.t("The capsule has no commitments; add one from a message."));
      return undefined;
    }
    const picks = all.map((commitment) => ({
      label: plainLabel(excerpt(commitment.text)),
      description: commitment.kind,
      commitment,
    }));
    return (await vscode.window.showQuickPick(picks, { title, matchOnDescription: true }))?.commitment;
  }

  /** The message with this id, or one that the person picks. */
  async #message(
    sessionId: string,
    messageId: string | undefined,
    { title, accepts }: { readonly title: string; readonly accepts: (message: Message) => boolean },
  ): Promise<Message | undefined> {
    const all = await this.#documents.use(sessionId, (documents, live) => documents.messages(live));
    if (messageId !== undefined) {
      const found = all.find(({ message }) => message.id === messageId)?.message;
      if (found !== undefined) return found;
    }
    const picks = all
      .filter(({ message }) => accepts(message))
      .map(({ number, message }) => ({
        label: `#${number} ${message.kind ?? message.role}`,
        detail: plainLabel(excerpt(textOf(message), DETAIL_LENGTH)),
        message,
      }));
    if (picks.length === 0) {
      void showInformation(vscode.l10n.t("No message of this session fits."));
      return undefined;
    }
    const picked = await vscode.window.showQuickPick(picks, {
      title,
      placeHolder: vscode.l10n.t("Pick a message, newest first"),
      matchOnDetail: true,
    });
    return picked?.message;
  }

  #pinnedIds(sessionId: string): Promise<ReadonlySet<string>> {
    return this.#documents.use(sessionId, async (_documents, live) => live.context.pinnedIds);
  }
}

/** The selected text of the active editor, on one line. */
function selectedText(): string | undefined {
  const editor = vscode.window.activeTextEditor;
  const text = editor?.document.getText(editor.selection).replaceAll(/\s+/g, " ").trim() ?? "";
  return text === "" ? undefined : text;
}

function commitmentsOf({ context }: LiveSession) {
  return context.summary?.anchors.filter(({ critical }) => critical) ?? [];
}

function offered(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length <= OFFERED_LENGTH ? line : line.slice(0, OFFERED_LENGTH).trimEnd();
}

function tell(message: string): void {
  vscode.window.setStatusBarMessage(`$(check) ${plainLabel(message)}`, STATUS_MS);
}
