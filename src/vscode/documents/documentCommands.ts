import * as vscode from "vscode";
import type { LiveSession } from "../../engine/liveSession.ts";
import type { ActiveSession } from "../activeSession.ts";
import { findGeneration } from "../capsules/capsuleHistory.ts";
import type { CommandRegistry } from "../commandRegistry.ts";
import { targetField } from "../commandTarget.ts";
import { commands } from "../contributions.ts";
import { showInformation } from "../notices.ts";
import { sessionIdOf } from "../targets.ts";
import type { DocumentAddress } from "./documentAddress.ts";
import { atPage } from "./documentAddress.ts";
import type { DocumentTarget } from "./documentPage.ts";
import type { Documents } from "./documents.ts";
import type { NamedDocument } from "./openPlaces.ts";
import { openAtLine, openDiff, parseDocumentUri } from "./openPlaces.ts";
import type { SegmentLookUp } from "./sessionDocuments.ts";

/** Opens the documents of sessions at the right page and line, and beside one another. */
export class DocumentCommands {
  readonly #documents: Documents;
  readonly #sessions: ActiveSession;

  constructor(documents: Documents, sessions: ActiveSession) {
    this.#documents = documents;
    this.#sessions = sessions;
  }

  register(registry: CommandRegistry): void {
    const onSession = (run: (sessionId: string, target: unknown) => unknown) => async (target: unknown) => {
      const sessionId = await this.sessionOf(target);
      return sessionId === undefined ? undefined : run(sessionId, target);
    };
    registry.register(
      commands.openTranscript,
      onSession((id, target) => this.openTranscript(id, targetField(target, "messageId"))),
    );
    registry.register(
      commands.openContextAsSent,
      onSession((id) => this.open(id, { kind: "sent", page: 1 })),
    );
    registry.register(
      commands.preview,
      onSession((id) => this.open(id, { kind: "preview" })),
    );
    registry.register(
      commands.openOriginal,
      onSession((id, target) => this.openOriginal(id, targetField(target, "segmentId"))),
    );
    registry.register(
      commands.openReceipt,
      onSession((id, target) => this.openReceipt(id, targetField(target, "runId"))),
    );
    registry.register(
      commands.compareWithSent,
      onSession((id) => this.compareWithSent(id)),
    );
    registry.register(
      commands.compareRun,
      onSession((id, target) => this.compareRun(id, targetField(target, "runId"))),
    );
    registry.register(commands.previousPage, () => this.turnPage(-1));
    registry.register(commands.nextPage, () => this.turnPage(1));
    registry.register(commands.openDocumentTarget, (link) => this.#openLink(link));
  }

  /** The session that a command is about: named, shown in the active editor, active, or picked now. */
  async sessionOf(target: unknown): Promise<string | undefined> {
    const uri = vscode.window.activeTextEditor?.document.uri;
    const shown = uri === undefined ? undefined : parseDocumentUri(uri)?.sessionId;
    const known = sessionIdOf(target) ?? shown ?? this.#sessions.current?.id;
    return known ?? (await vscode.commands.executeCommand<string | undefined>(commands.switchSession));
  }

  /** The transcript at a message, or at its newest one. */
  async openTranscript(sessionId: string, segmentId?: string): Promise<void> {
    const { place, label } = await this.#documents.use(sessionId, async (documents, live) => {
      const wanted = segmentId === undefined ? undefined : await documents.placeOf(live, segmentId);
      const found = wanted ?? (await documents.lastPlace(live));
      return { place: found, label: labelOf({ kind: "transcript", page: found.page }, live) };
    });
    await openAtLine({ sessionId, address: { kind: "transcript", page: place.page }, label }, place.line);
  }

  /** Opens a document at its first line. */
  async open(sessionId: string, address: DocumentAddress): Promise<void> {
    const label = await this.#label(sessionId, address);
    await openAtLine({ sessionId, address, label }, 0);
  }

  /** Opens what stood where the citation is now; throws where its bytes are not what was stored. */
  async openOriginal(sessionId: string, segmentId: string | undefined): Promise<void> {
    if (segmentId === undefined) return;
    await this.#documents.use(sessionId, async (_documents, live) => live.original(segmentId));
    await this.open(sessionId, { kind: "original", segmentId, page: 1 });
  }

  /** The receipt of a run, or of the newest one. */
  async openReceipt(sessionId: string, runId: string | undefined): Promise<void> {
    const known = runId ?? (await this.#newestRun(sessionId, ["eviction", "compaction", "attempt"]));
    if (known === undefined) {
      void showInformation(vscode.l10n.t("This session has no receipt: no compaction has run yet."));
      return;
    }
    await this.open(sessionId, { kind: "receipt", runId: known });
  }

  /** VS Code's diff of a page of the transcript and what the next request has of it. */
  async compareWithSent(sessionId: string, page?: number): Promise<void> {
    const shown =
      page ??
      (await this.#documents.use(sessionId, (documents, live) =>
        documents.abridgedPage(live, this.messageAtCursor(sessionId)),
      ));
    const left = await this.#named(sessionId, { kind: "abridged", page: shown });
    const right = await this.#named(sessionId, { kind: "beside", page: shown });
    await openDiff(left, right, `${left.label} ↔ ${vscode.l10n.t("As Sent")}`);
  }

  /** VS Code's diff of the context before and after a run, or the newest that stands. */
  async compareRun(sessionId: string, runId: string | undefined, page?: number): Promise<void> {
    const known = runId ?? (await this.#newestRun(sessionId, ["eviction", "compaction"]));
    const first =
      known === undefined
        ? undefined
        : (page ??
          (await this.#documents.use(sessionId, (documents, live) =>
            documents.firstChangedPage(live, known),
          )));
    if (known === undefined || first === undefined) {
      void showInformation(
        vscode.l10n.t("There is no compaction on this branch whose context could be compared."),
      );
      return;
    }
    const left = await this.#named(sessionId, { kind: "before", runId: known, page: first });
    const right = await this.#named(sessionId, { kind: "after", runId: known, page: first });
    await openDiff(left, right, vscode.l10n.t("Context before ↔ after Compaction"));
  }

  /** VS Code's diff of two capsules, given by the ids of their messages. */
  async compareGenerations(sessionId: string, older: string, newer: string): Promise<void> {
    const left = await this.#named(sessionId, { kind: "generation", messageId: older });
    const right = await this.#named(sessionId, { kind: "generation", messageId: newer });
    await openDiff(left, right, `${left.label} ↔ ${right.label}`);
  }

  /** Another page of the document in the active editor. */
  async turnPage(step: 1 | -1): Promise<void> {
    const uri = vscode.window.activeTextEditor?.document.uri;
    const named = uri === undefined ? undefined : parseDocumentUri(uri);
    if (uri === undefined || named === undefined || !("page" in named.address)) return;
    const page = named.address.page + step;
    const pageCount = this.#documents.shown(uri)?.pageCount ?? page;
    if (page >= 1 && page <= pageCount) await this.#openPage(named.sessionId, named.address, page);
  }

  async openTarget(sessionId: string, target: DocumentTarget, from?: DocumentAddress): Promise<void> {
    switch (target.to) {
      case "message":
        return this.openTranscript(sessionId, target.messageId);
      case "original":
        return this.openOriginal(sessionId, target.segmentId);
      case "part":
        return this.open(sessionId, {
          kind: "part",
          messageId: target.messageId,
          part: target.part,
          page: 1,
        });
      case "generation":
        return this.open(sessionId, { kind: "generation", messageId: target.messageId });
      case "receipt":
        return this.open(sessionId, { kind: "receipt", runId: target.runId });
      case "page":
        return from === undefined ? undefined : this.#openPage(sessionId, from, target.page);
      case "command":
        await vscode.commands.executeCommand(target.command, sessionId);
    }
  }

  async #openPage(sessionId: string, address: DocumentAddress, page: number): Promise<void> {
    if (address.kind === "beside" || address.kind === "abridged")
      return this.compareWithSent(sessionId, page);
    if (address.kind === "before" || address.kind === "after") {
      return this.compareRun(sessionId, address.runId, page);
    }
    const other = atPage(address, page);
    if (other !== undefined) await this.open(sessionId, other);
  }

  async #openLink(link: unknown): Promise<void> {
    const sessionId = targetField(link, "sessionId");
    const target = readTarget((link as { target?: unknown } | undefined)?.target);
    if (sessionId === undefined || target === undefined) return;
    const from = targetField(link, "from");
    const address = from === undefined ? undefined : parseDocumentUri(vscode.Uri.parse(from))?.address;
    await this.openTarget(sessionId, target, address);
  }

  /** Id of the message at the cursor of a transcript of this session. */
  messageAtCursor(sessionId: string): string | undefined {
    const editor = vscode.window.activeTextEditor;
    const named = editor === undefined ? undefined : parseDocumentUri(editor.document.uri);
    if (editor === undefined || named?.sessionId !== sessionId || named.address.kind !== "transcript") {
      return undefined;
    }
    let messageId: string | undefined;
    for (const [id, line] of this.#documents.shown(editor.document.uri)?.lines ?? []) {
      if (line <= editor.selection.active.line) messageId = id;
    }
    return messageId;
  }

  async #named(sessionId: string, address: DocumentAddress): Promise<NamedDocument> {
    return { sessionId, address, label: await this.#label(sessionId, address) };
  }

  #label(sessionId: string, address: DocumentAddress): Promise<string> {
    return this.#documents.use(sessionId, async (documents, live) =>
      labelOf(address, live, address.kind === "original" ? await documents.lookUp(live) : undefined),
    );
  }

  #newestRun(
    sessionId: string,
    types: readonly ("eviction" | "compaction" | "attempt")[],
  ): Promise<string | undefined> {
    return this.#documents.use(sessionId, async (_documents, live) => {
      const found = live.file.state.branch.findLast((entry) => types.some((type) => type === entry.type));
      return found !== undefined && "record" in found && "runId" in found.record
        ? found.record.runId
        : undefined;
    });
  }
}

/** What the tab says: the kind of document and the session's title. */
function labelOf(address: DocumentAddress, { context, file }: LiveSession, lookUp?: SegmentLookUp): string {
  const { title } = file.state;
  const paged = (name: string, page: number): string =>
    page === 1 ? `${name} · ${title}` : `${vscode.l10n.t("{0}, page {1}", name, page)} · ${title}`;
  switch (address.kind) {
    case "transcript":
    case "abridged":
      return paged(vscode.l10n.t("Transcript"), address.page);
    case "sent":
    case "beside":
      return paged(vscode.l10n.t("As Sent"), address.page);
    case "before":
      return paged(vscode.l10n.t("Before Compaction"), address.page);
    case "after":
      return paged(vscode.l10n.t("After Compaction"), address.page);
    case "original": {
      const { segmentId } = address;
      const names = [lookUp?.toolName(segmentId), lookUp?.messageName(segmentId) ?? segmentId];
      return paged(
        vscode.l10n.t("Original of {0}", names.filter((name) => name !== undefined).join(" ")),
        address.page,
      );
    }
    case "part":
      return paged(vscode.l10n.t("Text of {0}", address.messageId), address.page);
    case "generation": {
      const found = findGeneration(file.state.branch, context, address.messageId);
      return `${vscode.l10n.t("Capsule {0}", found?.summary.generation ?? "")} · ${title}`;
    }
    case "receipt":
      return `${vscode.l10n.t("Receipt")} · ${title}`;
    case "preview":
      return `${vscode.l10n.t("Preview")} · ${title}`;
  }
}

/** A link's target, as far as it is one: links come back to us through the editor. */
function readTarget(value: unknown): DocumentTarget | undefined {
  const messageId = targetField(value, "messageId");
  const segmentId = targetField(value, "segmentId");
  const runId = targetField(value, "runId");
  const number = (name: string): number | undefined => {
    const found = (value as Record<string, unknown>)[name];
    return typeof found === "number" && Number.isSafeInteger(found) && found >= 0 ? found : undefined;
  };
  switch (targetField(value, "to")) {
    case "message":
      return messageId === undefined ? undefined : { to: "message", messageId };
    case "original":
      return segmentId === undefined ? undefined : { to: "original", segmentId };
    case "generation":
      return messageId === undefined ? undefined : { to: "generation", messageId };
    case "receipt":
      return runId === undefined ? undefined : { to: "receipt", runId };
    case "part": {
      const part = number("part");
      return messageId === undefined || part === undefined ? undefined : { to: "part", messageId, part };
    }
    case "page": {
      const page = number("page");
      return page === undefined || page < 1 ? undefined : { to: "page", page };
    }
    case "command": {
      const command = Object.values(commands).find((id) => id === targetField(value, "command"));
      return command === undefined ? undefined : { to: "command", command };
    }
    default:
      return undefined;
  }
}
