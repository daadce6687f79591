import type { Message } from "../../core/messages.ts";
import type { ImportedRecord, ImportedSession, ImportFormat, ImportReport } from "./importedSession.ts";
import { importNotes, UNFINISHED_COMPACTION } from "./importNotes.ts";
import type { PairedCounts } from "./pairResults.ts";
import { pairResults } from "./pairResults.ts";
import type { DraftMessage, DraftRecord, SessionDraft } from "./sessionDraft.ts";
import { isContextMessage } from "./sessionDraft.ts";
import type { TimeSlices } from "./timeSlices.ts";

const TITLE_MAX_CHARACTERS = 80;

/** The last pass over what a reader built: pairs, context start, title and counts. */
export async function finishImport(
  format: ImportFormat,
  draft: SessionDraft,
  slices: TimeSlices,
): Promise<ImportedSession> {
  dropUnfinished(draft);
  const paired = await pairResults(draft, slices);
  const records: ImportedRecord[] = [];
  const counts: RecordCounts = { messages: 0, userMessages: 0, notices: 0, sidechain: 0, outside: 0 };
  for (const record of draft.records) {
    records.push(importedRecord(record));
    countRecord(record, counts);
    if (slices.isOver()) await slices.next();
  }
  const title = draft.title ?? titleFrom(draft.records);
  return {
    format,
    ...(draft.sourceSessionId !== undefined && { sourceSessionId: draft.sourceSessionId }),
    ...(title !== undefined && { title }),
    ...(draft.createdAt !== undefined && { createdAt: draft.createdAt }),
    ...(draft.model !== undefined && { model: draft.model }),
    records,
    contextStart: { messageId: contextStart(records) },
    report: reportOn(format, draft, { records, counts, paired }),
  };
}

/** A boundary with no message behind it was never finished, or kept nothing: it must not empty the context. */
function dropUnfinished(draft: SessionDraft): void {
  for (let index = draft.records.length - 1; index >= 0; index -= 1) {
    const record = draft.records[index];
    if (record === undefined || isContextMessage(record)) return;
    if (record.type === "boundary") draft.dropBoundary(record, UNFINISHED_COMPACTION);
  }
}

function importedRecord(record: DraftRecord): ImportedRecord {
  if (record.type === "boundary" || record.type === "metadata" || record.type === "unknown") return record;
  const { line, at } = record;
  const place = { line, ...(at !== undefined && { at }) };
  const message: Message = record.message;
  switch (record.type) {
    case "message":
      return { type: "message", message, usageBasis: "imported", ...place, ...replyEnd(record) };
    case "sidechain": {
      const { linkedCallId, agentId } = record;
      return {
        type: "sidechain",
        message,
        ...place,
        ...(linkedCallId !== undefined && { linkedCallId }),
        ...(agentId !== undefined && { agentId }),
      };
    }
    case "outside":
      return { type: "outside", message, reason: record.reason ?? "rewound", ...place };
  }
}

function replyEnd({ command, stopReason, errorText }: DraftMessage) {
  return {
    ...(command !== undefined && { command }),
    ...(stopReason !== undefined && { stopReason }),
    ...(errorText !== undefined && { errorText }),
  };
}

function contextStart(records: readonly ImportedRecord[]): string | undefined {
  const boundary = records.findLastIndex(({ type }) => type === "boundary");
  for (let index = boundary + 1; index < records.length; index += 1) {
    const record = records[index];
    if (record?.type === "message") return record.message.id;
  }
  return undefined;
}

/** The first line a person typed that is no slash command, else the first command. */
function titleFrom(records: readonly DraftRecord[]): string | undefined {
  let command: string | undefined;
  for (const record of records) {
    if (!isContextMessage(record) || record.message.role !== "user" || record.message.kind !== undefined)
      continue;
    const text = record.message.content.find((part) => part.type === "text")?.text.trim() ?? "";
    const line = text.split("\n", 1)[0]?.trim() ?? "";
    if (line === "") continue;
    if (record.command === undefined) return shortened(line);
    command ??= shortened(line);
  }
  return command;
}

function shortened(line: string): string {
  const characters = [...line.slice(0, 2 * TITLE_MAX_CHARACTERS)];
  if (characters.length <= TITLE_MAX_CHARACTERS) return line;
  return `${characters
    .slice(0, TITLE_MAX_CHARACTERS - 1)
    .join("")
    .trimEnd()}…`;
}

interface RecordCounts {
  messages: number;
  userMessages: number;
  notices: number;
  sidechain: number;
  outside: number;
}

interface Counted {
  readonly records: readonly ImportedRecord[];
  readonly counts: RecordCounts;
  readonly paired: PairedCounts;
}

function countRecord(record: DraftRecord, counts: RecordCounts): void {
  if (record.type === "sidechain") counts.sidechain += 1;
  else if (record.type === "outside") counts.outside += 1;
  if (record.type !== "message") return;
  counts.messages += 1;
  if (record.message.role !== "user") return;
  if (record.message.kind === undefined) counts.userMessages += 1;
  else counts.notices += 1;
}

function reportOn(
  format: ImportFormat,
  draft: SessionDraft,
  { records, counts, paired }: Counted,
): ImportReport {
  const { message, sidechain, outside, boundary, metadata, unknown } = draft.lineCounts;
  const boundaries = records.filter((record) => record.type === "boundary");
  return {
    format,
    unit: draft.unit,
    lines: message + sidechain + outside + boundary + metadata + unknown,
    messageLines: message,
    sidechainLines: sidechain,
    outsideLines: outside,
    boundaryLines: boundary,
    metadataLines: metadata,
    unknownLines: unknown,
    messages: counts.messages,
    userMessages: counts.userMessages,
    notices: counts.notices,
    calls: paired.message.calls,
    results: paired.message.results,
    openCalls: paired.message.calls - paired.message.results,
    orphanResults: paired.message.orphanResults,
    sidechain: {
      messages: counts.sidechain,
      calls: paired.sidechain.calls,
      results: paired.sidechain.results,
    },
    outside: counts.outside,
    abortedTurns: draft.abortedTurns,
    boundaries: boundaries.map(({ line, afterMessageId, trigger, tokensBefore }) => ({
      line,
      ...(afterMessageId !== undefined && { afterMessageId }),
      ...(trigger !== undefined && { trigger }),
      ...(tokensBefore !== undefined && { tokensBefore }),
    })),
    notes: importNotes(draft.met),
  };
}
