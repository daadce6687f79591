import { BranchTree } from "./branchTree.ts";
import type { ChainEntry, HeaderEntry, LogEntry } from "./entries.ts";
import { isChainEntry, LOG_FORMAT_VERSION } from "./entries.ts";
import type { Mutable } from "./mutable.ts";
import type { ReplayProblem, SessionState } from "./session.ts";
import { readableTitle } from "./sessionTitle.ts";

/** The state's own lists, writable. */
type GrowingState = Mutable<SessionState> & {
  entries: LogEntry[];
  branch: ChainEntry[];
  problems: ReplayProblem[];
};

/** Entries, one after another, to the state of a session. */
export class SessionFold {
  readonly state: GrowingState;
  hasHeader = false;
  /** Another program's newer format: what is understood is shown, nothing is appended. */
  newerFormat = false;
  #tree: BranchTree | undefined;

  constructor(id: string) {
    this.state = {
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
  }

  /** Returns what the entry makes wrong, if anything. */
  add(entry: LogEntry): "newer_format" | "missing_parent" | undefined {
    const { state } = this;
    state.entries.push(entry);
    this.#tree?.add(entry);
    if (entry.at > state.updatedAt) state.updatedAt = entry.at;
    if (state.entries.length === 1) state.createdAt = entry.at;
    if (isChainEntry(entry)) {
      state.branch.push(entry);
      state.headId = entry.id;
      if (entry.type === "message") state.messageCount += 1;
      return undefined;
    }
    switch (entry.type) {
      case "header":
        return this.#addHeader(entry);
      case "title":
        state.title = readableTitle(entry.title) ?? state.id;
        return undefined;
      case "boundary":
        state.branch = [];
        state.headId = entry.id;
        return undefined;
      case "branch":
        return this.#moveHead(entry.from);
      default:
        return undefined;
    }
  }

  /** Entries at the end that do not count after all. Costs a new fold of the rest: it follows a failing disk. */
  takeBack(ids: ReadonlySet<string>): void {
    const { state } = this;
    let kept = state.entries.length;
    while (kept > 0 && ids.has(state.entries[kept - 1]?.id ?? "")) kept -= 1;
    if (kept === state.entries.length) return;
    const entries = state.entries.slice(0, kept);
    this.#tree = undefined;
    this.hasHeader = false;
    Object.assign(state, {
      entries: [],
      branch: [],
      headId: null,
      messageCount: 0,
      createdAt: 0,
      updatedAt: 0,
      title: state.id,
    });
    delete state.origin;
    for (const entry of entries) this.add(entry);
  }

  #addHeader(entry: HeaderEntry): "newer_format" | undefined {
    if (this.hasHeader) return undefined;
    const { state } = this;
    this.hasHeader = true;
    state.title = readableTitle(entry.title) ?? state.id;
    state.createdAt = entry.at;
    if (entry.origin !== undefined) state.origin = entry.origin;
    if (entry.format <= LOG_FORMAT_VERSION) return undefined;
    this.newerFormat = true;
    return "newer_format";
  }

  #moveHead(from: string | null): "missing_parent" | undefined {
    const { state } = this;
    if (from === state.headId) return undefined;
    const at = from === null ? -1 : state.branch.findLastIndex((entry) => entry.id === from);
    if (at !== -1) {
      state.branch = state.branch.slice(0, at + 1);
      state.headId = from;
      return undefined;
    }
    this.#tree ??= new BranchTree(state.entries);
    const path = this.#tree.pathTo(from);
    if (path === undefined) return "missing_parent";
    state.branch = path.branch;
    state.headId = path.headId;
    return undefined;
  }
}
