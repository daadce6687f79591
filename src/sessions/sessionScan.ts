import type { ChainEntry, LogEntry } from "./entries.ts";
import { readLines } from "./logLines.ts";
import { Replay } from "./replay.ts";
import type { SessionState, SessionSummary } from "./session.ts";
import type { SessionFiles } from "./sessionFiles.ts";
import { sessionPaths } from "./sessionPaths.ts";

/** Reads a log for its summary alone: the texts of its messages are dropped as they come. */
export class SessionScan {
  readonly #files: SessionFiles;
  readonly #place: string;
  readonly #replay: Replay;
  #position = 0;
  #restProblems = 0;

  constructor(files: SessionFiles, place: string, id: string) {
    this.#files = files;
    this.#place = place;
    this.#replay = new Replay(id, withoutTexts);
  }

  /** Reads on from where it was. */
  async read(): Promise<SessionSummary> {
    const { state } = this.#replay;
    const handle = await this.#files.openForReading(sessionPaths(this.#place, state.id).log);
    try {
      const { end, rest } = await readLines(handle, this.#position, (line) => this.#replay.line(line));
      this.#position = end - rest.length;
      this.#restProblems = rest.length > 0 ? 1 : 0;
      const summary = summaryOf(state, this.#place, end);
      const missingHeader = this.#replay.hasHeader ? 0 : 1;
      return { ...summary, problems: summary.problems + this.#restProblems + missingHeader };
    } finally {
      await handle.close();
    }
  }
}

/** What a list shows of a session. */
export function summaryOf(state: SessionState, place: string, bytes: number): SessionSummary {
  return {
    id: state.id,
    title: state.title,
    createdAt: state.createdAt,
    updatedAt: state.updatedAt,
    messageCount: state.messageCount,
    generation: generationOf(state.branch),
    bytes,
    problems: state.problemCount,
    place,
  };
}

/** Generation of the capsule that rules the branch; 0 = none. */
export function generationOf(branch: readonly ChainEntry[]): number {
  const undone = new Set<string>();
  for (const entry of branch) if (entry.type === "undo") undone.add(entry.runId);
  let generation = 0;
  for (const entry of branch) {
    if (entry.type === "compaction" && !undone.has(entry.record.runId))
      generation = entry.record.summary.generation;
    else if (entry.type === "commitment" && entry.record.summary?.generation === generation + 1)
      generation += 1;
  }
  return generation;
}

function withoutTexts(entry: LogEntry): LogEntry {
  switch (entry.type) {
    case "message":
    case "sidechain": {
      const { id, role } = entry.message;
      return { type: entry.type, id: entry.id, at: entry.at, message: { id, role, content: [] } };
    }
    case "foreign":
      return { ...entry, text: "" };
    default:
      return entry;
  }
}
