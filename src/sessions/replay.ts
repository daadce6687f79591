import { BranchTree } from "./branchTree.ts";
import type { AppendMark, ChainEntry, LogEntry } from "./entries.ts";
import { isChainEntry, LOG_FORMAT_VERSION } from "./entries.ts";
import type { LineMeaning } from "./entryShape.ts";
import { meaningOf } from "./entryShape.ts";
import type { Mutable } from "./mutable.ts";
import { parseLogLine } from "./parseLogLine.ts";
import type { ReplayProblem, SessionState } from "./session.ts";
import { MAX_PROBLEMS_KEPT } from "./session.ts";

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
  readonly state: SessionState;
  /** Another program's newer format: what is understood is shown, nothing is appended. */
  newerFormat = false;
  readonly #state: Mutable<SessionState> & {
    entries: LogEntry[];
    branch: ChainEntry[];
    problems: ReplayProblem[];
  };
  /** Called for each entry of a line before it counts: puts the texts of its blobs in their places. */
  readonly #restored: (entry: LogEntry) => LogEntry;
  #tree: BranchTree | undefined;
  #lineNumber = 0;
  #open: OpenAppend | undefined;
  /** The last line that is not blank was bad; it is the torn end of a write if a mark says so. */
  #badBefore: ReplayProblem | undefined;
  #hasHeader = false;
  /** The line end of the last line has not come. */
  #lastLineIsOpen = false;

  constructor(id: string, restored: (entry: LogEntry) => LogEntry) {
    this.#restored = restored;
    this.#state = {
      id,
      title: id,
      createdAt: 0,
      updatedAt: 0,
      entries: [],
      branch: [],
      messageCount: 0,
      headId: null,
      problems: [],
      problemCount: 0,
    };
    this.state = this.#state;
  }

  /** An append of several lines began and its last line has not come. */
  get isInsideAppend(): boolean {
    return this.#open !== undefined;
  }

  get hasHeader(): boolean {
    return this.#hasHeader;
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
    if (!this.#hasHeader) this.report("no_header", 0, 0);
  }

  /** Lines that this program wrote itself: counted, not read again. */
  skipLines(count: number): void {
    this.#lineNumber += count;
    this.#lastLineIsOpen = false;
    this.#badBefore = undefined;
  }

  report(kind: ReplayProblem["kind"], bytes: number, line = this.#lineNumber): ReplayProblem {
    const problem: ReplayProblem = { kind, line, bytes };
    this.#state.problemCount += 1;
    if (this.#state.problems.length < MAX_PROBLEMS_KEPT) this.#state.problems.push(problem);
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
    if (mark.voids !== undefined && mark.voids.length > 0) this.takeBack(new Set(mark.voids));
    if (mark.lines > 0) {
      this.#open = { mark, entries: [], line: this.#lineNumber, bytes: 0, linesLeft: mark.lines };
    }
  }

  /** Entries at the end that do not count after all. Costs a new replay in memory: it follows a failing disk. */
  takeBack(ids: ReadonlySet<string>): void {
    const state = this.#state;
    let kept = state.entries.length;
    while (kept > 0 && ids.has(state.entries[kept - 1]?.id ?? "")) kept -= 1;
    if (kept === state.entries.length) return;
    const entries = state.entries.slice(0, kept);
    this.#tree = undefined;
    this.#hasHeader = false;
    Object.assign(state, {
      entries: [],
      branch: [],
      headId: null,
      messageCount: 0,
      createdAt: 0,
      updatedAt: 0,
    });
    state.title = state.id;
    delete state.origin;
    this.add(entries);
  }

  #renameProblem(problem: ReplayProblem, kind: ReplayProblem["kind"]): void {
    const at = this.#state.problems.lastIndexOf(problem);
    if (at !== -1) this.#state.problems[at] = { ...problem, kind };
  }

  #add(entry: LogEntry): void {
    const state = this.#state;
    state.entries.push(entry);
    this.#tree?.add(entry);
    if (entry.at > state.updatedAt) state.updatedAt = entry.at;
    if (state.entries.length === 1) state.createdAt = entry.at;
    if (isChainEntry(entry)) {
      state.branch.push(entry);
      state.headId = entry.id;
      if (entry.type === "message") state.messageCount += 1;
      return;
    }
    switch (entry.type) {
      case "header":
        this.#addHeader(entry);
        break;
      case "title":
        state.title = entry.title;
        break;
      case "boundary":
        state.branch = [];
        state.headId = entry.id;
        break;
      case "branch":
        this.#moveHead(entry.from);
        break;
      default:
        break;
    }
  }

  #addHeader(entry: Extract<LogEntry, { type: "header" }>): void {
    if (this.#hasHeader) return;
    this.#hasHeader = true;
    const state = this.#state;
    state.title = entry.title;
    state.createdAt = entry.at;
    if (entry.origin !== undefined) state.origin = entry.origin;
    if (entry.format > LOG_FORMAT_VERSION) {
      this.newerFormat = true;
      this.report("newer_format", 0);
    }
  }

  #moveHead(from: string | null): void {
    const state = this.#state;
    if (from === state.headId) return;
    const at = from === null ? -1 : state.branch.findLastIndex((entry) => entry.id === from);
    if (at !== -1) {
      state.branch = state.branch.slice(0, at + 1);
      state.headId = from;
      return;
    }
    this.#tree ??= new BranchTree(state.entries);
    const path = this.#tree.pathTo(from);
    if (path === undefined) {
      this.report("missing_parent", 0);
      return;
    }
    state.branch = path.branch;
    state.headId = path.headId;
  }
}

function isMark(value: unknown): boolean {
  return meaningOf(value).kind === "mark";
}
