import { l10n } from "vscode";
import type { CapsuleLabels } from "../../core/capsule/markdown.ts";
import { capsuleMarkdown } from "../../core/capsule/markdown.ts";
import type { Message } from "../../core/messages.ts";
import { resultSegmentId } from "../../core/messages.ts";
import { answerOpenCalls } from "../../core/openCalls.ts";
import type { ContextState } from "../../core/projection.ts";
import { projectContext } from "../../core/projection.ts";
import type { CompactionReceipt } from "../../core/records.ts";
import type { EngineSettings, LiveSession } from "../../engine/liveSession.ts";
import { isPinnable } from "../../engine/pinnable.ts";
import type { ChainEntry } from "../../sessions/entries.ts";
import { findGeneration } from "../capsules/capsuleHistory.ts";
import { createSlices } from "../slices.ts";
import { basisWord, tokensInWords } from "../words.ts";
import type { DocumentAddress } from "./documentAddress.ts";
import type { DocumentPage } from "./documentPage.ts";
import { exactBytes, grouped, localTime } from "./documentWords.ts";
import type { PagedDocument } from "./pagedDocument.ts";
import { previewPage } from "./previewDocument.ts";
import { receiptText } from "./receiptDocument.ts";
import { partText } from "./renderMessage.ts";
import { besidePage, sentDocument } from "./sentDocument.ts";
import { textPage, textPageStarts } from "./textPages.ts";
import type { DocumentPlace } from "./transcriptDocument.ts";
import { TranscriptDocument } from "./transcriptDocument.ts";
import { oneLine } from "./visibleText.ts";

/** The parts of a live session that its documents read. */
export type DocumentSession = Pick<LiveSession, "id" | "context" | "meter" | "original" | "preview"> & {
  readonly file: Pick<LiveSession["file"], "state" | "recover">;
};

/** A document's content, and what tells whether it would be another one now. */
export interface ShownDocument extends DocumentPage {
  readonly signature: string;
  readonly pageCount: number;
  /** What stands above an original: where it comes from and that it was checked. */
  readonly caption?: string;
}

export interface PreviewModel {
  readonly model: Parameters<LiveSession["preview"]>[0]["model"];
  readonly settings: EngineSettings;
}

export interface SegmentLookUp {
  readonly messageName: (segmentId: string) => string | undefined;
  readonly pinnableId: (segmentId: string) => string | undefined;
  readonly toolName: (segmentId: string) => string | undefined;
}

/** A run of the branch, as the context was before and after it. */
interface RunView {
  readonly runId: string;
  readonly at: number;
  readonly receipt: CompactionReceipt;
  readonly before: ContextState;
  readonly after: ContextState;
  readonly pages: PagedDocument;
  /** Position of each message in the request before the run. */
  readonly positions: ReadonlyMap<string, number>;
}

/** The documents of one session, kept while one of them is open: what was measured stays measured. */
export class SessionDocuments {
  readonly #transcript = new TranscriptDocument();
  #sent:
    | {
        readonly context: ContextState;
        readonly length: number;
        readonly facts: string;
        readonly pages: PagedDocument;
      }
    | undefined;
  #answered:
    | { readonly context: ContextState; readonly length: number; readonly messages: readonly Message[] }
    | undefined;
  #run: RunView | undefined;

  /** The content of a document as the session is now; a problem is said in the document itself. */
  async show(
    session: DocumentSession,
    address: DocumentAddress,
    preview: () => Promise<PreviewModel>,
  ): Promise<ShownDocument> {
    switch (address.kind) {
      case "transcript": {
        await this.#updateTranscript(session);
        const page = await this.#transcript.render(address.page, createSlices());
        return this.#shown(page, this.#transcript.signature(address.page), this.#transcript.pageCount);
      }
      case "sent": {
        const pages = await this.#sentPages(session);
        const page = await pages.render(address.page, createSlices());
        return this.#shown(page, pages.signature(address.page), pages.pageCount);
      }
      case "abridged": {
        const pages = await this.#abridged(session);
        const page = await pages.render(address.page, createSlices());
        return this.#shown(page, pages.signature(address.page), pages.pageCount);
      }
      case "beside": {
        const pages = await this.#besideTranscript(session, address.page);
        const page = await pages.render(1, createSlices());
        const { pageCount } = await this.#abridged(session);
        return this.#shown(page, pages.signature(1), pageCount);
      }
      case "before":
      case "after":
        return this.#runPage(session, address);
      case "original": {
        const { text, digest, message } = await session.original(address.segmentId);
        await this.#updateTranscript(session);
        const caption = l10n.t(
          "Original of {0} · {1} · SHA-256 {2} checked",
          this.messageName(message.id),
          exactBytes(Buffer.byteLength(text)),
          digest,
        );
        return plain(text, address.page, caption);
      }
      case "part": {
        await this.#updateTranscript(session);
        const item = this.#transcript.record.message(address.messageId);
        const part = item?.message.content[address.part];
        const text = part === undefined ? l10n.t("This part is not in the session.") : partText(part);
        const caption = l10n.t("Whole text of {0}", this.messageName(address.messageId));
        return plain(text, address.page, caption);
      }
      case "generation": {
        const generation = findGeneration(session.file.state.branch, session.context, address.messageId);
        if (generation === undefined)
          return plain(l10n.t("This generation is not on the session's branch."), 1);
        return plain(capsuleDocument(session, generation), 1);
      }
      case "receipt": {
        const text = receiptText(session.file.state.entries, address.runId);
        return plain(text ?? l10n.t("This run is not in the session."), 1);
      }
      case "preview": {
        await this.#updateTranscript(session);
        const { model, settings } = await preview();
        const page = previewPage({
          preview: await session.preview({ model }),
          title: session.file.state.title,
          modelName: model?.name,
          settings,
          record: this.#transcript.record,
        });
        return this.#shown(page, previewSignature(session, { model, settings }), 1);
      }
    }
  }

  /** Differs from the signature of what was shown when the document would be another one now. */
  async signature(
    session: DocumentSession,
    address: DocumentAddress,
    preview: () => Promise<PreviewModel>,
  ): Promise<string | undefined> {
    switch (address.kind) {
      case "transcript":
        await this.#updateTranscript(session);
        return this.#transcript.signature(address.page);
      case "sent":
        return (await this.#sentPages(session)).signature(address.page);
      case "abridged":
        return (await this.#abridged(session)).signature(address.page);
      case "beside":
        return (await this.#besideTranscript(session, address.page)).signature(1);
      case "receipt":
      case "generation":
        return (await this.show(session, address, preview)).text;
      case "preview":
        return previewSignature(session, await preview());
      case "before":
      case "after":
      case "original":
      case "part":
        return undefined;
    }
  }

  /** Page and line of the message that a segment belongs to, in the transcript. */
  async placeOf(session: DocumentSession, segmentId: string): Promise<DocumentPlace | undefined> {
    await this.#updateTranscript(session);
    return this.#transcript.placeOf(segmentId, createSlices());
  }

  /** Where the newest message stands; page 1 where there is none. */
  async lastPlace(session: DocumentSession): Promise<DocumentPlace> {
    await this.#updateTranscript(session);
    const { record } = this.#transcript;
    const last = record.items.findLast((item) => item.kind === "message");
    const place =
      last?.kind === "message" ? await this.#transcript.placeOf(last.message.id, createSlices()) : undefined;
    return place ?? { page: 1, line: 0 };
  }

  /** Page of the abridged transcript on which a message stands; the last one where none is named. */
  async abridgedPage(session: DocumentSession, messageId: string | undefined): Promise<number> {
    const pages = await this.#abridged(session);
    const position = messageId === undefined ? undefined : this.#transcript.record.positionOf(messageId);
    return (position === undefined ? undefined : pages.pageOf(position)) ?? pages.pageCount;
  }

  /** The page on which a run first changed something that the context before it had. */
  async firstChangedPage(session: DocumentSession, runId: string): Promise<number | undefined> {
    const run = await this.#runView(session, runId);
    if (run === undefined) return undefined;
    const after = new Map(run.after.messages.map((message) => [message.id, message]));
    const position = run.before.messages.findIndex((message) => after.get(message.id) !== message);
    return position < 0 ? 1 : (run.pages.pageOf(position) ?? 1);
  }

  /** `#12` for a message of the record, its id for any other. Known for what a document has shown. */
  messageName(segmentId: string): string {
    const item = this.#transcript.record.message(segmentId);
    return item === undefined ? segmentId : `#${item.number}`;
  }

  /** The newest messages that a person may want to quote or pin, newest first. */
  async messages(
    session: DocumentSession,
  ): Promise<readonly { readonly number: number; readonly message: Message }[]> {
    await this.#updateTranscript(session);
    const { record } = this.#transcript;
    return session.context.transcript
      .flatMap(({ id }) => record.message(id) ?? [])
      .filter(({ message, statement }) => statement === undefined && message.kind !== "capsule")
      .reverse();
  }

  /** Names of messages and tools for rows that show a capsule; the record is read, no page is measured. */
  async lookUp(session: DocumentSession): Promise<SegmentLookUp> {
    await this.#transcript.read(session.file.state.entries, createSlices());
    const { record } = this.#transcript;
    return {
      messageName: (segmentId) => {
        const item = record.message(segmentId);
        return item === undefined ? undefined : `#${item.number}`;
      },
      pinnableId: (segmentId) => {
        const item = record.message(segmentId);
        const isWhole = item?.message.id === segmentId && item.statement === undefined;
        return isWhole && isPinnable(item.message) ? segmentId : undefined;
      },
      toolName: (segmentId) => {
        const message = record.message(segmentId)?.message;
        const part = message?.content.find(
          (one) => one.type === "tool-result" && resultSegmentId(message.id, one.toolCallId) === segmentId,
        );
        return part?.type === "tool-result" ? part.toolName : undefined;
      },
    };
  }

  /** The capsule as Markdown, under a heading of its own. */
  capsuleText(session: DocumentSession, generation: ContextState["generations"][number]): string {
    return capsuleDocument(session, generation);
  }

  #shown(page: DocumentPage, signature: string, pageCount: number): ShownDocument {
    return { ...page, signature, pageCount };
  }

  #updateTranscript(session: DocumentSession): Promise<void> {
    const { title, entries } = session.file.state;
    return this.#transcript.update({ title, entries, context: session.context }, createSlices());
  }

  async #sentPages(session: DocumentSession): Promise<PagedDocument> {
    await this.#updateTranscript(session);
    const { context } = session;
    const { length } = context.messages;
    const facts = JSON.stringify([session.file.state.title, session.meter.usedTokens, session.meter.basis]);
    const known = this.#sent;
    if (known?.context === context && known.length === length && known.facts === facts) {
      await known.pages.grow(createSlices());
      return known.pages;
    }
    const messages = this.#answeredMessages(context);
    const heading = sentHeading(session, messages.length);
    const pages = sentDocument({ messages, context, record: this.#transcript.record, ...heading });
    this.#sent = { context, length, facts, pages };
    await pages.grow(createSlices());
    return pages;
  }

  /** What the request holds: every call with a result. */
  #answeredMessages(context: ContextState): readonly Message[] {
    const { length } = context.messages;
    if (this.#answered?.context !== context || this.#answered.length !== length) {
      this.#answered = { context, length, messages: answerOpenCalls(context.messages) };
    }
    return this.#answered.messages;
  }

  async #abridged(session: DocumentSession): Promise<PagedDocument> {
    await this.#updateTranscript(session);
    return this.#transcript.abridged(createSlices());
  }

  async #besideTranscript(session: DocumentSession, page: number): Promise<PagedDocument> {
    const transcript = await this.#abridged(session);
    const { context } = session;
    const all = this.#answeredMessages(context);
    const { record } = this.#transcript;
    const pageOf = (messageId: string): number | undefined => {
      const position = record.positionOf(messageId);
      const item = position === undefined ? undefined : record.items[position];
      const isThis = position !== undefined && item?.kind === "message" && item.message.id === messageId;
      return isThis ? transcript.pageOf(position) : undefined;
    };
    const lastPage = transcript.pageCount;
    const messages = await besidePage(all, { page, lastPage, pageOf }, createSlices());
    const heading = sentHeading(session, all.length);
    const pages = sentDocument({ messages, context, record, ...heading, beside: page, abridged: true });
    await pages.grow(createSlices());
    return pages;
  }

  async #runPage(
    session: DocumentSession,
    address: Extract<DocumentAddress, { kind: "before" | "after" }>,
  ): Promise<ShownDocument> {
    const run = await this.#runView(session, address.runId);
    if (run === undefined) return plain(l10n.t("This run is not on the session's branch."), 1);
    const { pages, after, positions } = run;
    if (address.kind === "before") {
      return this.#shown(await pages.render(address.page, createSlices()), "", pages.pageCount);
    }
    const pageOf = (messageId: string): number | undefined => {
      const position = positions.get(messageId);
      return position === undefined ? undefined : pages.pageOf(position);
    };
    const all = answerOpenCalls(after.messages);
    const beside = sentDocument({
      messages: await besidePage(
        all,
        { page: address.page, lastPage: pages.pageCount, pageOf },
        createSlices(),
      ),
      context: after,
      record: this.#transcript.record,
      heading: runHeading(
        l10n.t("Context after the compaction of {0}", localTime(run.at)),
        all.length,
        run.receipt.after,
      ),
      beside: address.page,
      abridged: true,
    });
    await beside.grow(createSlices());
    return this.#shown(await beside.render(1, createSlices()), "", pages.pageCount);
  }

  async #runView(session: DocumentSession, runId: string): Promise<RunView | undefined> {
    await this.#updateTranscript(session);
    if (this.#run?.runId === runId) return this.#run;
    const { branch } = session.file.state;
    const first = branch.findIndex((entry) => isOfRun(entry, runId));
    const last = branch.findLastIndex((entry) => isOfRun(entry, runId));
    const entry = branch[last];
    if (first < 0 || (entry?.type !== "eviction" && entry?.type !== "compaction")) return undefined;
    const opening = branch[first];
    const before = projectContext(branch.slice(0, first));
    const after = projectContext(branch.slice(0, last + 1));
    const messages = answerOpenCalls(before.messages);
    const tokens =
      opening?.type === "eviction" || opening?.type === "compaction" ? opening.record.receipt.before : 0;
    const pages = sentDocument({
      messages,
      context: before,
      record: this.#transcript.record,
      heading: runHeading(
        l10n.t("Context before the compaction of {0}", localTime(entry.at)),
        messages.length,
        tokens,
      ),
      abridged: true,
    });
    await pages.grow(createSlices());
    const positions = new Map(messages.map((message, at) => [message.id, at]));
    this.#run = { runId, at: entry.at, receipt: entry.record.receipt, before, after, pages, positions };
    return this.#run;
  }
}

function isOfRun(entry: ChainEntry, runId: string): boolean {
  return (entry.type === "eviction" || entry.type === "compaction") && entry.record.runId === runId;
}

function sentHeading(
  { file, meter, context }: DocumentSession,
  count: number,
): { readonly heading: readonly string[]; readonly end: readonly string[] } {
  const facts = [count === 1 ? l10n.t("1 message") : l10n.t("{0} messages", grouped(count))];
  if (meter.usedTokens !== undefined) {
    facts.push(l10n.t("{0} ({1})", tokensInWords(meter.usedTokens), basisWord(meter.basis)));
  }
  if (context.summary !== undefined)
    facts.push(l10n.t("capsule of generation {0}", context.summary.generation));
  const heading = l10n.t("Context as sent now of {0}", oneLine(file.state.title, 120));
  return { heading: [heading], end: [facts.join(", ")] };
}

function runHeading(first: string, count: number, tokens: number): string[] {
  const messages = count === 1 ? l10n.t("1 message") : l10n.t("{0} messages", grouped(count));
  return [first, `${messages}, ${tokensInWords(tokens)}`];
}

function plain(text: string, page: number, caption?: string): ShownDocument {
  const starts = textPageStarts(text);
  return {
    text: textPage(text, starts, page),
    links: [],
    sections: [],
    lines: new Map(),
    signature: text,
    pageCount: starts.length,
    ...(caption === undefined ? {} : { caption }),
  };
}

function previewSignature({ context, file }: DocumentSession, { model, settings }: PreviewModel): string {
  const { messages, receipts, pinnedIds, runs } = context;
  return JSON.stringify([
    file.state.title,
    messages.length,
    receipts.length,
    [...pinnedIds],
    runs.length,
    model?.id,
    model?.limits,
    settings,
  ]);
}

function capsuleDocument({ file }: DocumentSession, generation: ContextState["generations"][number]): string {
  const title = oneLine(file.state.title, 120).replaceAll(/[\\`*_[\]<>#]/g, "\\$&");
  const number = generation.summary.generation;
  const heading = generation.undone ? l10n.t("Capsule {0}, undone", number) : l10n.t("Capsule {0}", number);
  return `# ${heading} – ${title}\n\n${capsuleMarkdown(generation.summary, capsuleLabels())}`;
}

/** Module A's headings in the display language. */
export function capsuleLabels(): CapsuleLabels {
  return {
    context: l10n.t("Context"),
    done: l10n.t("What was done"),
    current: l10n.t("Current state"),
    preferences: l10n.t("Preferences and constraints"),
    commitments: l10n.t("Commitments (the user's own words)"),
    saidEarlier: l10n.t("Said earlier"),
    objective: l10n.t("Objective"),
    facts: l10n.t("Facts"),
    decisions: l10n.t("Decisions"),
    artifacts: l10n.t("Artifacts"),
    completed: l10n.t("Completed"),
    active: l10n.t("Active"),
    blocked: l10n.t("Blocked"),
    next: l10n.t("Next"),
    citations: l10n.t("Left the context, can be recovered"),
    lookupHints: l10n.t("Where to look"),
    nothing: l10n.t("Nothing was noted."),
  };
}
