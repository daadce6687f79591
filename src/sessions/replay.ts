import type { AppendMark, LogEntry } from "./entries.ts";
import type { LineMeaning } from "./entryShape.ts";
import { meaningOf } from "./entryShape.ts";
import { parseLogLine } from "./parseLogLine.ts";
import type { ReplayProblem, SessionState } from "./session.ts";
import { MAX_PROBLEMS_KEPT } from "./session.ts";
import { SessionFold } from "./sessionFold.ts";

/** An append of several lines of which some are still to come. */
interface OpenAppend {
  readonly mark: AppendMark;
  readonly entries: LogEntry[];
  /** The line of its mark, from 1. */
  readonly line: number;
  /** Of its lines so far, their ends included. */
  bytes: number;
  linesLeft: number;
}

/** Lines of a log, one after another, to the state of the session. */
export class Replay {
  readonly #fold: SessionFold;
  /** Called for each entry of a line before it counts: puts the texts of its blobs in their places. */
  readonly #restored: (entry: LogEntry) => LogEntry;
  #lineNumber = 0;
  #open: OpenAppend | undefined;
  /** The last line that is not blank was bad; it is the torn end of a write if a mark says so. */
  #badBefore: ReplayProblem | undefined;
  /** The line end of the last line has not come. */
  #lastLineIsOpen = false;

  constructor(id: string, restored: (entry: LogEntry) => LogEntry) {
    this.#fold = new SessionFold(id);
    this.#restored = restored;
  }

  get state(): SessionState {
    return this.#fold.state;
  }

  get hasHeader(): boolean {
    return this.#fold.hasHeader;
  }

  /** Another program's newer format: what is understood is shown, nothing is appended. */
  get newerFormat(): boolean {
    return this.#fold.newerFormat;
  }

  /** An append of several lines began and its last line has not come. */
  get isInsideAppend(): boolean {
    return this.#open !== undefined;
  }

  /** The next line of the log, without its end. */
  line(bytes: Buffer): void {
    const isEndOfLastLine = this.#lastLineIsOpen && bytes.length === 0;
    this.#lastLineIsOpen = false;
    if (isEndOfLastLine) return;
    this.#lineNumber += 1;
    const parsed = parseLogLine(bytes);
    if (parsed.damage !== undefined) this.report(parsed.damage, bytes.length);
    if (parsed.blank) return;
    if (this.#open?.linesLeft === 0 && !parsed.values.some(isMark)) this.#finishOpenAppend();
    if (parsed.values.length === 0) this.#bad(bytes.length);
    for (const value of parsed.values) this.#take(meaningOf(value), bytes.length);
  }

  /** Bytes after the last line end of a log that nobody is writing. Returns whether they were a whole line. */
  lastLine(bytes: Buffer): boolean {
    const parsed = parseLogLine(bytes);
    const isWhole =
      parsed.values.length > 0 && parsed.values.every((value) => meaningOf(value).kind !== "bad");
    if (isWhole) this.line(bytes);
    else {
      this.#lineNumber += 1;
      this.report("torn_tail", bytes.length);
    }
    this.#lastLineIsOpen = true;
    return isWhole;
  }

  /** Its last line was bad and shorter than written, yet no mark says that it was cut off. */
  #finishOpenAppend(): void {
    const { entries } = this.#open ?? { entries: [] };
    this.#open = undefined;
    this.add(entries);
  }

  /** No more lines come: an append whose last line is missing does not count. */
  dropOpenAppend(): void {
    if (this.#open === undefined) return;
    this.report("torn_tail", this.#open.bytes, this.#open.line);
    this.#open = undefined;
  }

  /** Says what the whole log lacks. */
  reportMissingHeader(): void {
    if (!this.hasHeader) this.report("no_header", 0, 0);
  }

  /** Lines that this program wrote itself: counted, not read again. */
  skipLines(count: number): void {
    this.#lineNumber += count;
    this.#lastLineIsOpen = false;
    this.#badBefore = undefined;
  }

  report(kind: ReplayProblem["kind"], bytes: number, line = this.#lineNumber): ReplayProblem {
    const problem: ReplayProblem = { kind, line, bytes };
    const { state } = this.#fold;
    state.problemCount += 1;
    if (state.problems.length < MAX_PROBLEMS_KEPT) state.problems.push(problem);
    return problem;
  }

  /** Entries that count from now on, in order. */
  add(entries: readonly LogEntry[]): void {
    for (const entry of entries) this.#add(entry);
  }

  #take(meaning: LineMeaning, bytes: number): void {
    if (meaning.kind === "mark") this.#begin(meaning.mark);
    else if (meaning.kind === "bad") this.#bad(bytes);
    else this.#takeEntry(meaning, bytes);
  }

  #takeEntry(meaning: Extract<LineMeaning, { kind: "entry" | "unknown" }>, bytes: number): void {
    this.#badBefore = undefined;
    if (meaning.kind === "unknown") this.report("unknown_type", bytes);
    const entry = meaning.kind === "entry" ? this.#restored(meaning.entry) : undefined;
    if (this.#open !== undefined) this.#count(entry, bytes);
    else if (entry !== undefined) this.#add(entry);
  }

  #bad(bytes: number): void {
    this.#badBefore = this.report("bad_line", bytes);
    this.#count(undefined, bytes);
  }

  /** One more line of the open append; a bad one is a line of it as well. */
  #count(entry: LogEntry | undefined, bytes: number): void {
    const open = this.#open;
    if (open === undefined) return;
    if (entry !== undefined) open.entries.push(entry);
    open.bytes += bytes + 1;
    open.linesLeft -= 1;
    const mayBeCutOff = this.#badBefore !== undefined && open.bytes < open.mark.bytes;
    if (open.linesLeft === 0 && !mayBeCutOff) this.#finishOpenAppend();
  }

  #begin(mark: AppendMark): void {
    this.dropOpenAppend();
    if (mark.torn === true && this.#badBefore !== undefined)
      this.#renameProblem(this.#badBefore, "torn_tail");
    this.#badBefore = undefined;
    if (mark.voids !== undefined && mark.voids.length > 0) this.#fold.takeBack(new Set(mark.voids));
    if (mark.lines > 0) {
      this.#open = { mark, entries: [], line: this.#lineNumber, bytes: 0, linesLeft: mark.lines };
    }
  }

  #renameProblem(problem: ReplayProblem, kind: ReplayProblem["kind"]): void {
    const { problems } = this.#fold.state;
    const at = problems.lastIndexOf(problem);
    if (at !== -1) problems[at] = { ...problem, kind };
  }

  #add(entry: LogEntry): void {
    const wrong = this.#fold.add(entry);
    if (wrong !== undefined) this.report(wrong, 0);
  }
}

function isMark(value: unknown): boolean {
  return meaningOf(value).kind === "mark";
}
