import type { BoundaryEntry, LogEntry } from "./entries.ts";
import type { ImportedRecord, ImportedSession } from "./import/importedSession.ts";

export interface ImportedEntriesOptions {
  /** Ids for entries that are no message of the context. */
  readonly newId: () => string;
  /** Milliseconds since the epoch, for a file that names no time at all. */
  readonly now: number;
  /** Undefined while there is time left, else a later turn of the event loop. */
  readonly pause: () => Promise<void> | undefined;
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
export async function importedEntries(
  imported: ImportedSession,
  options: ImportedEntriesOptions,
): Promise<LogEntry[]> {
  const { records, contextStart, createdAt } = imported;
  const entries: LogEntry[] = [];
  let at = createdAt ?? options.now;
  const boundary = (): BoundaryEntry => ({ type: "boundary", id: options.newId(), at });
  /** Messages before the context starts; undefined once it has started. */
  let outside: number | undefined = 0;
  for (const record of records) {
    await options.pause();
    at = record.at ?? at;
    if (record.type === "message" && outside !== undefined) {
      const starts = record.message.id === contextStart.messageId;
      if (starts && outside > 0) entries.push(boundary());
      outside = starts ? undefined : outside + 1;
    }
    entries.push(entryOf(record, imported, { id: options.newId, at }));
  }
  if (outside !== undefined && outside > 0) entries.push(boundary());
  return entries;
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
