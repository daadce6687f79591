import type { BoundaryEntry, LogEntry } from "./entries.ts";
import type { ImportedRecord, ImportedSession } from "./import/importedSession.ts";

export interface ImportedEntriesOptions {
  /** Ids for entries that are no message of the context. */
  readonly newId: () => string;
  /** Milliseconds since the epoch, for a file that names no time at all. */
  readonly now: number;
}

/** Why a record stands in the log as a foreign line: the words before the colon. */
export const FOREIGN_REASONS = {
  outside: "outside the branch",
  boundary: "compacted by another agent",
  metadata: "no message",
  unknown: "not understood",
} as const;

/**
 * Entries of a new session that holds all of an imported one. Its context is exactly the imported one: a boundary
 * stands right before its first message, or at the very end where the context is empty.
 */
export function importedEntries(imported: ImportedSession, options: ImportedEntriesOptions): LogEntry[] {
  const { records, contextStart, createdAt } = imported;
  const first = records.findIndex(
    (record) => record.type === "message" && record.message.id === contextStart.messageId,
  );
  const start = first < 0 ? records.length : first;
  const entries: LogEntry[] = [];
  let at = createdAt ?? options.now;
  const boundary = (): BoundaryEntry => ({ type: "boundary", id: options.newId(), at });
  records.forEach((record, index) => {
    at = record.at ?? at;
    if (index === start && hasMessages(records, start)) entries.push(boundary());
    entries.push(entryOf(record, imported, { id: options.newId, at }));
  });
  if (start === records.length && hasMessages(records, start)) entries.push(boundary());
  return entries;
}

function hasMessages(records: readonly ImportedRecord[], end: number): boolean {
  return records.slice(0, end).some((record) => record.type === "message");
}

function entryOf(
  record: ImportedRecord,
  { format }: ImportedSession,
  { id, at }: { readonly id: () => string; readonly at: number },
): LogEntry {
  switch (record.type) {
    case "message": {
      const { message, command, usageBasis } = record;
      const model = message.usage?.model;
      return {
        type: "message",
        id: message.id,
        at,
        message,
        usageBasis,
        ...(model === undefined ? {} : { modelId: model }),
        ...(command === undefined ? {} : { command }),
      };
    }
    case "sidechain": {
      const { message, linkedCallId } = record;
      const base = { type: "sidechain", id: message.id, at, message } as const;
      return linkedCallId === undefined ? base : { ...base, linkedCallId };
    }
    case "outside":
      return foreign(
        record.line,
        JSON.stringify(record.message),
        `${FOREIGN_REASONS.outside}: ${record.reason}`,
      );
    case "boundary": {
      const { type: _type, ...facts } = record;
      return foreign(
        record.line,
        JSON.stringify(facts),
        `${FOREIGN_REASONS.boundary}: ${record.trigger ?? format}`,
      );
    }
    case "metadata":
      return foreign(record.line, record.text, `${FOREIGN_REASONS.metadata}: ${record.recordType}`);
    case "unknown":
      return foreign(
        record.line,
        record.bytesBase64 ?? record.text,
        `${FOREIGN_REASONS.unknown}: ${record.reason}${record.bytesBase64 === undefined ? "" : " (bytes in base64)"}`,
      );
  }

  function foreign(line: number, text: string, reason: string): LogEntry {
    return { type: "foreign", id: id(), at, line, text, reason };
  }
}
