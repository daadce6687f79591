import type { Message } from "../core/messages.ts";
import { textOf } from "../core/messages.ts";
import type { CompactionRecord, EvictionRecord } from "../core/records.ts";
import { Blobs } from "./blobs.ts";
import type { BlobReference, LogEntry } from "./entries.ts";
import { readLines } from "./logLines.ts";
import { Replay } from "./replay.ts";
import type { ReplayProblem } from "./session.ts";
import { SessionError } from "./session.ts";
import type { SessionEnvironment } from "./sessionFiles.ts";
import { isSessionId, sessionPaths } from "./sessionPaths.ts";

/** One thing that is not as it should be, in a sentence for a person. */
export interface Finding {
  readonly kind:
    | ReplayProblem["kind"]
    | "duplicate_id"
    | "unknown_run"
    | "boundary_lost"
    | "ordinal_differs"
    | "segment_lost"
    | "digest_differs";
  readonly words: string;
}

/** Reads a whole session and checks it: lines, ids, branches, boundaries, digests, stored texts. Changes nothing. */
export async function examineSession(
  environment: SessionEnvironment,
  place: string,
  id: string,
): Promise<readonly Finding[]> {
  const { files } = environment;
  const paths = sessionPaths(place, id);
  if (!isSessionId(id) || (await files.stat(paths.log)) === undefined) {
    throw new SessionError("not_found", `There is no session ${JSON.stringify(id)} in ${place}.`);
  }
  const blobs = new Blobs({ files, folder: paths.blobs });
  const named: BlobReference[] = [];
  const replay = new Replay(id, (entry) => {
    if (entry.type === "message" || entry.type === "sidechain") named.push(...(entry.blobs ?? []));
    return blobs.restored(entry);
  });
  const handle = await files.openForReading(paths.log);
  try {
    const { rest } = await readLines(handle, 0, (line) => replay.line(line));
    if (rest.length > 0) replay.lastLine(rest);
    replay.dropOpenAppend();
  } finally {
    await handle.close();
  }
  replay.reportMissingHeader();
  const examination = new Examination(id, (text) => files.sha256(text));
  for (const problem of replay.state.problems) examination.report(problem.kind, wordsOf(problem));
  for (const blob of named) examination.blob(blob, blobs);
  for (const entry of replay.state.entries) examination.entry(entry);
  return examination.findings;
}

class Examination {
  readonly findings: Finding[] = [];
  readonly #sha256: (text: string) => string;
  /** The session as it stood before the entry that is looked at. */
  readonly #before: Replay;
  readonly #ids = new Set<string>();
  readonly #segments = new Map<string, Message>();
  readonly #statements = new Map<string, string>();
  readonly #runs = new Set<string>();

  constructor(id: string, sha256: (text: string) => string) {
    this.#sha256 = sha256;
    this.#before = new Replay(id, (entry) => entry);
  }

  report(kind: Finding["kind"], words: string): void {
    this.findings.push({ kind, words });
  }

  blob(blob: BlobReference, blobs: Blobs): void {
    try {
      blobs.textOf(blob.digest);
    } catch (error) {
      if (!(error instanceof SessionError)) throw error;
      this.report(error.code === "altered_bytes" ? "altered_blob" : "missing_blob", error.message);
    }
  }

  entry(entry: LogEntry): void {
    if (this.#ids.has(entry.id))
      this.report("duplicate_id", `The id ${entry.id} stands in more than one entry.`);
    this.#ids.add(entry.id);
    switch (entry.type) {
      case "message":
        this.#segments.set(entry.message.id, entry.message);
        break;
      case "commitment":
        if (entry.record.text !== undefined) this.#statements.set(entry.record.id, entry.record.text);
        break;
      case "eviction":
        this.#eviction(entry.record);
        break;
      case "compaction":
        this.#compaction(entry.record);
        break;
      case "undo":
        if (!this.#runs.has(entry.runId)) {
          this.report(
            "unknown_run",
            `An undo names the run ${entry.runId}, which this session does not have.`,
          );
        }
        break;
      default:
        break;
    }
    this.#before.add([entry]);
  }

  #eviction(record: EvictionRecord): void {
    this.#runs.add(record.runId);
    for (const { segmentId, digest } of record.evicted) this.#segment(segmentId, digest, record.runId);
  }

  #compaction(record: CompactionRecord): void {
    this.#runs.add(record.runId);
    for (const [segmentId, digest] of record.left) this.#segment(segmentId, digest, record.runId);
    if (record.firstKeptMessageId === undefined) return;
    const ordinal = this.#ordinalOf(record.firstKeptMessageId);
    if (ordinal === -1) {
      this.report(
        "boundary_lost",
        `The compaction ${record.runId} keeps all from message ${record.firstKeptMessageId} on, which is not on its branch: nothing was left out for it.`,
      );
    } else if (ordinal !== record.firstKeptOrdinal) {
      this.report(
        "ordinal_differs",
        `The compaction ${record.runId} counts ${record.firstKeptOrdinal} messages before its first kept one; there are ${ordinal}.`,
      );
    }
  }

  /** Messages of the branch before the message or the statement with this id; -1 where there is none. */
  #ordinalOf(id: string): number {
    let messages = 0;
    let found = -1;
    for (const entry of this.#before.state.branch) {
      if (entry.type === "message") {
        if (entry.message.id === id) found = messages;
        messages += 1;
      } else if (entry.type === "commitment" && entry.record.id === id) found = messages;
    }
    return found;
  }

  #segment(segmentId: string, digest: string, runId: string): void {
    const text = this.#textOf(segmentId);
    if (text === undefined) {
      this.report(
        "segment_lost",
        `The run ${runId} took ${segmentId} out of the context; it is not in the log.`,
      );
    } else if (this.#sha256(text) !== digest) {
      this.report(
        "digest_differs",
        `${segmentId} is not what the run ${runId} took out: its SHA-256 differs.`,
      );
    }
  }

  /** A result is named by its message and its call, see contract section 1. */
  #textOf(segmentId: string): string | undefined {
    const message = this.#segments.get(segmentId);
    if (message !== undefined) return textOf(message);
    const statement = this.#statements.get(segmentId);
    if (statement !== undefined) return statement;
    for (let at = segmentId.indexOf("#"); at !== -1; at = segmentId.indexOf("#", at + 1)) {
      const callId = segmentId.slice(at + 1);
      const results = this.#segments.get(segmentId.slice(0, at))?.content ?? [];
      for (const part of results) {
        if (part.type === "tool-result" && part.toolCallId === callId) return part.output;
      }
    }
    return undefined;
  }
}

function wordsOf({ kind, line, bytes }: ReplayProblem): string {
  switch (kind) {
    case "torn_tail":
      return `Line ${line} was cut off while it was written (${bytes} bytes). It was set aside and does not count.`;
    case "bad_line":
      return `Line ${line} (${bytes} bytes) cannot be read. It stays in the file; all other lines count.`;
    case "nul_bytes":
      return `Line ${line} holds empty bytes, as a power cut leaves them. What stands beside them was read.`;
    case "byte_order_mark":
      return `Line ${line} begins with a byte order mark. It was left out.`;
    case "no_header":
      return "The session has no header: its title and date are unknown. Its messages are all there.";
    case "unknown_type":
      return `Line ${line} is of a kind that this version does not know. It stays in the file.`;
    case "newer_format":
      return "A newer version wrote this session. It can be read here, not changed.";
    case "missing_parent":
      return `Line ${line} goes back to an entry that is not in the file. The branch went on where it was.`;
    case "missing_blob":
    case "altered_blob":
      return `A stored text of ${bytes} bytes is gone or was altered.`;
    case "sync_failed":
      return "The disk did not confirm the last lines. They are in the file, but a power cut may lose them.";
  }
}
