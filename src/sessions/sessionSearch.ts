import type { Message } from "../core/messages.ts";
import { Blobs } from "./blobs.ts";
import { meaningOf } from "./entryShape.ts";
import { readLinesBackwards } from "./logLines.ts";
import { parseLogLine } from "./parseLogLine.ts";
import type { SessionEnvironment } from "./sessionFiles.ts";
import { sessionPaths } from "./sessionPaths.ts";

const EXCERPT_BEFORE = 60;
const EXCERPT_UNITS = 200;

export interface MessageMatch {
  readonly messageId: string;
  readonly excerpt: string;
}

/** Lower-case words of a query, each to be found somewhere. */
export function searchWords(query: string): readonly string[] {
  return query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
}

export function holdsAll(text: string, words: readonly string[]): boolean {
  const lower = text.toLowerCase();
  return words.every((word) => lower.includes(word));
}

/** The newest message of a log that holds all words. */
export async function findInLog(
  environment: SessionEnvironment,
  place: string,
  id: string,
  words: readonly string[],
  signal: AbortSignal,
): Promise<MessageMatch | undefined> {
  const paths = sessionPaths(place, id);
  const blobs = new Blobs({ files: environment.files, folder: paths.blobs });
  const handle = await environment.files.openForReading(paths.log);
  let match: MessageMatch | undefined;
  try {
    await readLinesBackwards(handle, (line) => {
      for (const value of parseLogLine(line).values) {
        const meaning = meaningOf(value);
        if (meaning.kind !== "entry" || meaning.entry.type !== "message") continue;
        const entry = blobs.restored(meaning.entry);
        if (entry.type === "message") match ??= matchIn(entry.message, words);
      }
      return match === undefined && !signal.aborted;
    });
  } finally {
    await handle.close();
  }
  return match;
}

function matchIn(message: Message, words: readonly string[]): MessageMatch | undefined {
  const text = visibleText(message);
  if (!holdsAll(text, words)) return undefined;
  return { messageId: message.id, excerpt: excerptOf(text, words[0] ?? "") };
}

function visibleText(message: Message): string {
  const texts: string[] = [];
  for (const part of message.content) {
    if (part.type === "text") texts.push(part.text);
    else if (part.type === "tool-result") texts.push(part.output);
    else if (part.type === "tool-call") texts.push(`${part.toolName} ${JSON.stringify(part.input) ?? ""}`);
  }
  return texts.join("\n");
}

/** One line around the first place of the word. */
function excerptOf(text: string, word: string): string {
  const at = Math.max(0, text.toLowerCase().indexOf(word));
  const start = Math.max(0, at - EXCERPT_BEFORE);
  const excerpt = text
    .slice(start, start + EXCERPT_UNITS)
    .replace(/\s+/g, " ")
    .trim();
  return `${start > 0 ? "…" : ""}${excerpt}${start + EXCERPT_UNITS < text.length ? "…" : ""}`.toWellFormed();
}
