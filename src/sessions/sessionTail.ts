import { Blobs } from "./blobs.ts";
import type { ChainEntry } from "./entries.ts";
import { readLinesBackwards } from "./logLines.ts";
import { MARKED_LINE_START } from "./logWriter.ts";
import { Replay } from "./replay.ts";
import type { SessionEnvironment } from "./sessionFiles.ts";
import { sessionPaths } from "./sessionPaths.ts";

/** Reading stops here even if fewer messages were found: the tail is shown before anything else. */
const MOST_TAIL_BYTES = 4 * 1024 * 1024;
const MESSAGE_START = Buffer.from('{"type":"message"');
const MARKED_START = MARKED_LINE_START.charCodeAt(0);

/**
 * The end of a session's active branch, read from the end of its log: what `state.branch` would end with, from the
 * `count`-th newest message on. Fewer where the log's end is larger than a screen could want.
 */
export async function readSessionTail(
  environment: SessionEnvironment,
  place: string,
  id: string,
  count: number,
): Promise<readonly ChainEntry[]> {
  const paths = sessionPaths(place, id);
  const blobs = new Blobs({ files: environment.files, folder: paths.blobs });
  const handle = await environment.files.openForReading(paths.log);
  const newestFirst: Buffer[] = [];
  let tail: readonly ChainEntry[] | undefined;
  let bytes = 0;
  let messages = 0;
  let wanted = count;
  try {
    await readLinesBackwards(handle, (line) => {
      newestFirst.push(line);
      bytes += line.length;
      if (isMessageLine(line)) messages += 1;
      // Whether lines of one append count is said by the mark before them.
      const isInsideAppend = line[0] === MARKED_START;
      if (isInsideAppend || (messages < wanted && bytes < MOST_TAIL_BYTES)) return true;
      const replay = replayed(id, blobs, newestFirst);
      const found = lastMessages(replay.state.branch, count);
      if (isWhole(replay, found, count) || bytes >= MOST_TAIL_BYTES) {
        tail = found;
        return false;
      }
      // Part of what was read is on another branch: twice as much may reach.
      wanted = messages * 2;
      return true;
    });
  } finally {
    await handle.close();
  }
  return tail ?? lastMessages(replayed(id, blobs, newestFirst).state.branch, count);
}

function isMessageLine(line: Buffer): boolean {
  const start = line[0] === MARKED_START ? 1 : 0;
  return line.subarray(start, start + MESSAGE_START.length).equals(MESSAGE_START);
}

function replayed(id: string, blobs: Blobs, newestFirst: readonly Buffer[]): Replay {
  const replay = new Replay(id, (entry) => blobs.restored(entry));
  for (let index = newestFirst.length - 1; index >= 0; index -= 1) {
    const line = newestFirst[index];
    if (line !== undefined) replay.line(line);
  }
  return replay;
}

/** Whether reading on could not change this tail. */
function isWhole(replay: Replay, tail: readonly ChainEntry[], count: number): boolean {
  const { entries, problems } = replay.state;
  if (problems.some((problem) => problem.kind === "missing_parent")) return false;
  const boundary = entries.findLastIndex((entry) => entry.type === "boundary");
  const branch = entries.findLastIndex((entry) => entry.type === "branch");
  return boundary > branch || messagesIn(tail) >= count;
}

function lastMessages(branch: readonly ChainEntry[], count: number): readonly ChainEntry[] {
  let start = branch.length;
  let found = 0;
  while (start > 0 && found < count) {
    start -= 1;
    if (branch[start]?.type === "message") found += 1;
  }
  return branch.slice(start);
}

function messagesIn(entries: readonly ChainEntry[]): number {
  return entries.filter((entry) => entry.type === "message").length;
}
