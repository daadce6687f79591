import { l10n } from "vscode";
import type { ContextState } from "../../core/projection.ts";
import type { CompactionReceipt } from "../../core/records.ts";
import type { LogEntry } from "../../sessions/entries.ts";
import type { Slices } from "../slices.ts";
import { endStateName } from "../words.ts";
import type { DocumentPage, PageBuilder, Piece } from "./documentPage.ts";
import { grouped, localTime } from "./documentWords.ts";
import type { PageSource } from "./pagedDocument.ts";
import { PagedDocument } from "./pagedDocument.ts";
import type { Block } from "./pageLayout.ts";
import { COMPARED_PART_LIMIT_BYTES, PART_LIMIT_BYTES } from "./pageLayout.ts";
import { RecordMarks } from "./recordMarks.ts";
import { messageSize, renderMessage } from "./renderMessage.ts";
import type { NoteItem } from "./transcriptRecord.ts";
import { TranscriptRecord } from "./transcriptRecord.ts";
import { field, oneLine } from "./visibleText.ts";

const ENTRIES_AT_ONCE = 500;
const NOTE_BYTES = 1_200;
const REASON_LENGTH = 100;
const TITLE_LENGTH = 120;

/** What a transcript is rendered from; a session's file and context fit. */
export interface TranscriptInput {
  readonly title: string;
  readonly entries: readonly LogEntry[];
  readonly context: ContextState;
}

interface RenderedRecord {
  readonly record: TranscriptRecord;
  readonly marks: RecordMarks;
  readonly partLimitBytes: number;
}

/** Where a message stands: page from 1, line from 0. */
export interface DocumentPlace {
  readonly page: number;
  readonly line: number;
}

/** The whole record of a session as a read-only document, in pages. */
export class TranscriptDocument {
  #record = new TranscriptRecord();
  #pages: PagedDocument;
  /** The same with long parts cut short, to be compared; made when it is asked for. */
  #abridged: PagedDocument | undefined;
  #marks: RecordMarks;
  #title = "";

  constructor() {
    this.#marks = new RecordMarks();
    this.#pages = this.#newPages(PART_LIMIT_BYTES);
  }

  get record(): TranscriptRecord {
    return this.#record;
  }

  get pageCount(): number {
    return this.#pages.pageCount;
  }

  /** Takes in what the session has become. Work goes with what is new, unless the log was replaced. */
  async update(input: TranscriptInput, slices: Slices): Promise<void> {
    await this.read(input.entries, slices);
    this.#title = input.title;
    this.#marks.update(input.context, this.#record);
    await this.#pages.grow(slices);
  }

  /** Brings the record up to the entries; no page is measured. */
  async read(entries: readonly LogEntry[], slices: Slices): Promise<void> {
    if (!this.#record.continues(entries)) {
      this.#record = new TranscriptRecord();
      this.#marks = new RecordMarks();
      this.#pages = this.#newPages(PART_LIMIT_BYTES);
      this.#abridged = undefined;
    }
    const record = this.#record;
    while (!record.extend(entries, ENTRIES_AT_ONCE)) {
      const turn = slices.pause();
      if (turn !== undefined) await turn;
    }
  }

  render(page: number, slices: Slices): Promise<DocumentPage> {
    return this.#pages.render(page, slices);
  }

  signature(page: number): string {
    return this.#pages.signature(page);
  }

  /** Items on a page, as positions in the record. */
  itemsOf(page: number): readonly number[] {
    return this.#pages.itemsOf(page);
  }

  /** The page of a message, a segment or a statement. */
  pageOf(segmentId: string): number | undefined {
    const position = this.#record.positionOf(segmentId);
    return position === undefined ? undefined : this.#pages.pageOf(position);
  }

  /** Renders the one page that holds the message. */
  async placeOf(segmentId: string, slices: Slices): Promise<DocumentPlace | undefined> {
    const page = this.pageOf(segmentId);
    const item = this.#record.message(segmentId);
    if (page === undefined || item === undefined) return undefined;
    const { lines } = await this.render(page, slices);
    return { page, line: lines.get(item.message.id) ?? 0 };
  }

  /** The transcript with long parts cut short, as it is after `update`. */
  async abridged(slices: Slices): Promise<PagedDocument> {
    this.#abridged ??= this.#newPages(COMPARED_PART_LIMIT_BYTES);
    const pages = this.#abridged;
    await pages.grow(slices);
    return pages;
  }

  #newPages(partLimitBytes: number): PagedDocument {
    const record = this.#record;
    const marks = this.#marks;
    const source: PageSource = {
      get length() {
        return record.items.length;
      },
      size: (position) => {
        const item = record.items[position];
        if (item?.kind !== "message") return { heading: NOTE_BYTES, parts: [] };
        return messageSize(item.message);
      },
      render: (page, block) => this.#renderItem(page, block, { record, marks, partLimitBytes }),
      signature: (position) => {
        const item = record.items[position];
        if (item?.kind === "message") return marks.signature(item);
        if (item?.kind === "sidechain" || item?.kind === "foreign") return String(item.count);
        if (item?.kind === "compaction" || item?.kind === "eviction") {
          return record.undoneRunIds.has(item.record.runId) ? "undone" : "";
        }
        return "";
      },
      heading: (page) => {
        const title = oneLine(this.#title, TITLE_LENGTH);
        if (page === 1) return [[l10n.t("Transcript of {0}", title)]];
        return [[l10n.t("Transcript of {0}, page {1}", title, page)]];
      },
      end: () => [l10n.t("End of the transcript."), this.#counts()],
      hasPages: true,
      partLimitBytes,
    };
    return new PagedDocument(source);
  }

  #counts(): string {
    const { counts } = this.#record;
    const facts: readonly (readonly [name: string, count: number, always: boolean])[] = [
      [l10n.t("messages"), counts.messages, true],
      [l10n.t("user"), counts.user, true],
      [l10n.t("assistant"), counts.assistant, true],
      [l10n.t("tool"), counts.tool, true],
      [l10n.t("notices"), counts.notices, false],
      [l10n.t("attachments"), counts.attachments, false],
      [l10n.t("stated by hand"), counts.statements, false],
      [l10n.t("calls"), counts.calls, true],
      [l10n.t("results"), counts.results, true],
      [l10n.t("images"), counts.images, false],
      [l10n.t("sidechain messages"), counts.sidechain, false],
      [l10n.t("other lines"), counts.foreign, false],
    ];
    const shown = facts.filter(([, count, always]) => always || count > 0);
    return shown.map(([name, count]) => `${name} ${grouped(count)}`).join(", ");
  }

  #renderItem(page: PageBuilder, block: Block, { record, marks, partLimitBytes }: RenderedRecord): void {
    const item = record.items[block.item];
    if (item === undefined) return;
    if (item.kind !== "message") {
      this.#renderNote(page, item, record);
      return;
    }
    const { number, message, at, modelId, usageBasis } = item;
    const view = {
      number,
      message,
      at,
      ...(modelId === undefined ? {} : { modelId }),
      ...(usageBasis === undefined ? {} : { usageBasis }),
      marks: marks.words(item),
      evicted: (segmentId: string) => marks.evicted(segmentId),
      asSent: false,
      partLimitBytes,
    };
    renderMessage(page, view, { from: block.partFrom, until: block.partUntil });
  }

  #renderNote(page: PageBuilder, note: NoteItem, record: TranscriptRecord): void {
    const pieces = notePieces(note, record);
    const first = pieces[0];
    const name = typeof first === "string" ? first : (first?.text ?? "");
    page.section({ name, detail: "", kind: "note" });
    page.line("── ", ...pieces);
    page.line("");
  }
}

function notePieces(note: NoteItem, record: TranscriptRecord): Piece[] {
  const n = (value: number): string => grouped(value);
  switch (note.kind) {
    case "sidechain":
      return [l10n.t("{0} sidechain messages of a sub-agent, never in the context", n(note.count))];
    case "foreign": {
      const reason = note.reasons.map((each) => oneLine(each, REASON_LENGTH)).join("; ");
      if (note.count === 1)
        return [l10n.t("Line {0} of the file, kept as it is: {1}", n(note.firstLine), reason)];
      const [first, last] = [n(note.firstLine), n(note.lastLine)];
      return [
        l10n.t(
          "{0} lines of the file, from {1} to {2}, kept as they are: {3}",
          n(note.count),
          first,
          last,
          reason,
        ),
      ];
    }
    case "boundary":
      return [l10n.t("Compacted by the program that this session was imported from")];
    case "eviction": {
      const { record: run } = note;
      const what = l10n.t("{0} outputs evicted", n(run.evicted.length));
      return runPieces({ at: note.at, what, runId: run.runId, receipt: run.receipt }, record);
    }
    case "compaction": {
      const { record: run } = note;
      const { generation } = run.summary;
      const messageId = `capsule-${run.runId}-${generation}`;
      const pieces = runPieces(
        { at: note.at, what: l10n.t("Compacted"), runId: run.runId, receipt: run.receipt },
        record,
      );
      const tooltip = l10n.t("Open the capsule of generation {0}", generation);
      const text = l10n.t("generation {0}", generation);
      return [...pieces, " · ", { text, target: { to: "generation", messageId }, tooltip }];
    }
    case "attempt": {
      const { record: run } = note;
      const what = l10n.t("Compaction changed nothing: {0}", endStateName(run.receipt.state));
      return [
        what,
        ` · ${localTime(note.at)} · `,
        {
          text: l10n.t("receipt"),
          target: { to: "receipt", runId: run.runId },
          tooltip: l10n.t("Open the receipt"),
        },
      ];
    }
    case "undo":
      return [`${l10n.t("Compaction undone")} · ${localTime(note.at)}`];
    case "branch": {
      if (note.from === null) return [l10n.t("The session went on from its beginning")];
      const from = record.message(note.from);
      const name = from === undefined ? field(note.from) : `#${from.number}`;
      const target = from === undefined ? undefined : from.message.id;
      if (target === undefined) return [l10n.t("The session went on after {0}", name)];
      const link = {
        text: name,
        target: { to: "message", messageId: target },
        tooltip: l10n.t("Show it"),
      } as const;
      return [`${l10n.t("The session went on after")} `, link];
    }
    case "hand":
      return [handWord(note.record.action, note.record.key ?? note.record.messageId ?? "")];
  }
}

function runPieces(
  run: {
    readonly at: number;
    readonly what: string;
    readonly runId: string;
    readonly receipt: CompactionReceipt;
  },
  record: TranscriptRecord,
): Piece[] {
  const { before, after } = run.receipt;
  const undone = record.undoneRunIds.has(run.runId) ? ` · ${l10n.t("undone")}` : "";
  return [
    run.what,
    ` · ${l10n.t("{0} → {1} tokens", grouped(before), grouped(after))} · ${localTime(run.at)}${undone} · `,
    {
      text: l10n.t("receipt"),
      target: { to: "receipt", runId: run.runId },
      tooltip: l10n.t("Open the receipt"),
    },
  ];
}

function handWord(action: string, what: string): string {
  const shown = field(what);
  switch (action) {
    case "pin":
      return l10n.t("Message {0} pinned by hand", shown);
    case "unpin":
      return l10n.t("Message {0} unpinned by hand", shown);
    default:
      return l10n.t("Commitment {0} retired by hand", shown);
  }
}
