import { ClaudeReader } from "./claudeReader.ts";
import type { FoundDocument } from "./detectFormat.ts";
import { detectFormat, findRecords, knownForeignFormat } from "./detectFormat.ts";
import { finishImport } from "./finishImport.ts";
import type { ImportFormat, ImportResult } from "./importedSession.ts";
import type { ImportFailure } from "./importFailure.ts";
import { noMessages, noSession, notJson, severalConversations, tooLarge } from "./importFailure.ts";
import { CUT_DOCUMENT, NOT_UTF8, NUL_BYTES } from "./importNotes.ts";
import { compactJson, isObject } from "./jsonValues.ts";
import type { ByteLine } from "./lineSplitter.ts";
import { joinBytes, LineSplitter } from "./lineSplitter.ts";
import type { LineText } from "./lineText.ts";
import { decodeLine, decodeText, parseLine, stripMarks } from "./lineText.ts";
import { OpenaiReader } from "./openaiReader.ts";
import { PiReader } from "./piReader.ts";
import { salvageJson } from "./salvageJson.ts";
import type { FormatReader } from "./sessionDraft.ts";
import { SessionDraft } from "./sessionDraft.ts";
import type { TimeSlices } from "./timeSlices.ts";

/** A JSON document, or one line of JSONL, is parsed in one go; above this size it is refused. */
export const MAX_DOCUMENT_BYTES = 256 * 1024 * 1024;

type State =
  /** No line with anything in it has ended yet: the bytes are kept, they may be those of one JSON document. */
  | "first"
  /** The first line opens a JSON document that goes on over many lines. */
  | "document"
  /** Lines are kept until one of them tells the format. */
  | "undecided"
  /** JSONL of a known format, read line by line. */
  | "lines"
  /** A whole document stood on one line. */
  | "single";

/** Reads a session file from its bytes, deciding by content what it is. */
export class SessionFileReader {
  readonly #fileName: string;
  readonly #slices: TimeSlices;
  readonly #limit: number;
  #splitter = new LineSplitter();
  #state: State = "first";
  #chunks: Uint8Array[] = [];
  #heldLines: LineText[] = [];
  #heldBytes = 0;
  #document: unknown;
  #foreign: string | undefined;
  #jsonLines = 0;
  #otherLines = 0;
  #format: ImportFormat | undefined;
  #draft = new SessionDraft();
  #reader: FormatReader | undefined;

  constructor(fileName: string, slices: TimeSlices, limit: number = MAX_DOCUMENT_BYTES) {
    this.#fileName = fileName;
    this.#slices = slices;
    this.#limit = limit;
  }

  /** Takes the next bytes; gives a failure when reading on makes no sense. */
  async push(chunk: Uint8Array): Promise<ImportFailure | undefined> {
    if (this.#state === "first" || this.#state === "document") this.#holdChunk(chunk);
    if (this.#state !== "document") await this.#readLines(this.#splitter.push(chunk), "all");
    const held =
      this.#state === "lines" ? this.#splitter.pendingBytes : this.#heldBytes + this.#splitter.pendingBytes;
    return held > this.#limit ? tooLarge(this.#fileName, this.#limit) : undefined;
  }

  async finish(): Promise<ImportResult> {
    if (this.#state !== "document") await this.#readLines(this.#splitter.end(), "all");
    // The last line may have opened a document, so the state is asked again.
    if (this.#state === "document") return await this.#finishDocument();
    return await this.#finishDecided();
  }

  async #finishDecided(): Promise<ImportResult> {
    return this.#state === "single" ? await this.#finishSingle() : await this.#finishLines();
  }

  /** With `typed` only records of Claude Code and pi decide: a line of a document may look like a message. */
  async #readLines(lines: Iterable<ByteLine>, deciders: "all" | "typed"): Promise<void> {
    for (const line of lines) {
      await this.#readLine(decodeLine(line), deciders);
      if (this.#state === "document") return;
      if (this.#slices.isOver()) await this.#slices.next();
    }
  }

  async #readLine(line: LineText, deciders: "all" | "typed"): Promise<void> {
    if (line.text.trim() === "") return;
    if (this.#reader !== undefined) {
      this.#acceptLine(line, this.#reader);
      return;
    }
    const parsed = parseLine(line);
    if (this.#state === "first" && !parsed.ok && /^[[{]/.test(stripMarks(line.text).trimStart())) {
      this.#state = "document";
      return;
    }
    if (this.#state === "first") this.#dropChunks();
    if (this.#state !== "single") this.#state = "undecided";
    if (parsed.ok) this.#jsonLines += 1;
    else this.#otherLines += 1;
    if (parsed.ok && this.#state === "undecided") {
      const format = detectFormat(parsed.value);
      if (format !== undefined && (deciders === "all" || format !== "openai")) {
        await this.#startLines(format, line);
        return;
      }
      if (findRecords(parsed.value) !== undefined && deciders === "all") {
        this.#document = parsed.value;
        this.#state = "single";
        return;
      }
      this.#foreign ??= knownForeignFormat(parsed.value);
    }
    this.#heldLines.push(line);
    this.#heldBytes += line.text.length;
  }

  async #startLines(format: ImportFormat, line: LineText): Promise<void> {
    this.#state = "lines";
    const reader = this.#start(format, "line");
    const held = [...this.#heldLines, line];
    this.#heldLines = [];
    for (const earlier of held) {
      this.#acceptLine(earlier, reader);
      if (this.#slices.isOver()) await this.#slices.next();
    }
  }

  #start(format: ImportFormat, unit: "line" | "message"): FormatReader {
    this.#format = format;
    this.#draft = new SessionDraft(unit);
    this.#reader = newReader(format, this.#draft, this.#slices);
    return this.#reader;
  }

  #acceptLine(line: LineText, reader: FormatReader): void {
    const { lineCounts } = this.#draft;
    const parsed = parseLine(line);
    if (!parsed.ok) {
      this.#draft.addUnknown(line, parsed.reason);
      lineCounts.unknown += 1;
      return;
    }
    if (parsed.strippedNuls) this.#draft.meet(NUL_BYTES);
    if (line.bytesBase64 !== undefined) this.#draft.meet(NOT_UTF8);
    lineCounts[reader.accept(parsed.value, line)] += 1;
  }

  async #finishLines(): Promise<ImportResult> {
    if (this.#reader === undefined || this.#format === undefined) return this.#refusal();
    await this.#reader.finish();
    return { ok: true, imported: await finishImport(this.#format, this.#draft, this.#slices) };
  }

  async #finishSingle(): Promise<ImportResult> {
    const several = this.#heldLines.some((line) => {
      const parsed = parseLine(line);
      return parsed.ok && findRecords(parsed.value) !== undefined;
    });
    if (several) return severalConversations(this.#fileName);
    return await this.#readDocument(this.#document, this.#heldLines);
  }

  /** The document as a whole; else, damaged, as JSONL whose first line is broken; else what stands before the cut. */
  async #finishDocument(): Promise<ImportResult> {
    const bytes = joinBytes(this.#chunks, this.#heldBytes);
    this.#dropChunks();
    const text = stripMarks(decodeText(bytes));
    const whole = parseDocument(text);
    if (whole !== undefined) {
      this.#jsonLines += 1;
      return await this.#readDocument(whole.value, []);
    }
    this.#state = "undecided";
    this.#splitter = new LineSplitter();
    await this.#readLines(this.#splitter.push(bytes), "typed");
    await this.#readLines(this.#splitter.end(), "typed");
    if (this.#reader !== undefined) return await this.#finishLines();
    const salvaged = salvageJson(text);
    if (salvaged !== undefined && findRecords(salvaged.value) !== undefined) {
      const rest: LineText = { number: 0, text: text.slice(salvaged.restAt), complete: false };
      this.#draft.meet(CUT_DOCUMENT);
      return await this.#readDocument(salvaged.value, [rest], CUT_DOCUMENT);
    }
    const held = this.#heldLines;
    this.#heldLines = [];
    for (const line of held) await this.#readLine(line, "all");
    return await this.#finishDecided();
  }

  async #readDocument(document: unknown, rest: readonly LineText[], met?: string): Promise<ImportResult> {
    const found = findRecords(document);
    if (found === undefined) {
      this.#foreign ??= knownForeignFormat(document);
      return this.#refusal();
    }
    const reader = this.#start(found.format, "message");
    if (met !== undefined) this.#draft.meet(met);
    if (reader instanceof OpenaiReader && isObject(document)) reader.readDocument(document);
    await this.#readElements(found, reader);
    for (const line of rest) {
      if (line.text.trim() === "") continue;
      this.#draft.addUnknown(
        { ...line, number: found.elements.length + 1 },
        "It is no part of the document.",
      );
      this.#draft.lineCounts.unknown += 1;
    }
    if (this.#draft.records.length === 0) return noMessages(this.#fileName);
    return await this.#finishLines();
  }

  async #readElements({ elements }: FoundDocument, reader: FormatReader): Promise<void> {
    const { lineCounts } = this.#draft;
    for (const [index, element] of elements.entries()) {
      lineCounts[reader.accept(element, new ElementText(index + 1, element))] += 1;
      if (this.#slices.isOver()) await this.#slices.next();
    }
  }

  #refusal(): ImportFailure {
    if (this.#state === "first") return noMessages(this.#fileName);
    // A number on a line of its own does not make JSON of a text.
    return this.#jsonLines > this.#otherLines
      ? noSession(this.#fileName, this.#foreign)
      : notJson(this.#fileName);
  }

  /** A copy: whoever reads the file may use its buffer again. */
  #holdChunk(chunk: Uint8Array): void {
    this.#chunks.push(chunk.slice());
    this.#heldBytes += chunk.length;
  }

  #dropChunks(): void {
    this.#chunks = [];
    this.#heldBytes = 0;
  }
}

/** The text of a document's element is only written when a record keeps it. */
class ElementText implements LineText {
  readonly number: number;
  readonly complete = true;
  readonly #element: unknown;

  constructor(number: number, element: unknown) {
    this.number = number;
    this.#element = element;
  }

  get text(): string {
    return compactJson(this.#element);
  }
}

function newReader(format: ImportFormat, draft: SessionDraft, slices: TimeSlices): FormatReader {
  switch (format) {
    case "claude-code":
      return new ClaudeReader(draft, slices);
    case "pi":
      return new PiReader(draft, slices);
    case "openai":
      return new OpenaiReader(draft);
  }
}

function parseDocument(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
