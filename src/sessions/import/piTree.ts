import { REWOUND_COMPACTION } from "./importNotes.ts";
import type { DraftBoundary, DraftMessage, DraftRecord, SessionDraft } from "./sessionDraft.ts";
import { isContextMessage, moveBoundary, setOutside } from "./sessionDraft.ts";
import type { TimeSlices } from "./timeSlices.ts";

export interface PiEntry {
  readonly id: string | undefined;
  /** null: a root. Undefined: the file names none (version 1), so the entry before it. */
  readonly parentId: string | null | undefined;
  readonly position: number;
  readonly records: (DraftMessage | DraftBoundary)[];
  compaction?: {
    readonly boundary: DraftBoundary;
    readonly firstKeptId: string | undefined;
    readonly firstKeptPosition: number | undefined;
  };
}

/**
 * Marks what is not on the way from the last entry to its root as outside, and puts the last compaction's summary where
 * pi sends it: before the first entry it kept. Earlier compactions keep their place and no message: pi sends none.
 */
export async function arrangePiEntries(
  draft: SessionDraft,
  entries: readonly PiEntry[],
  slices: TimeSlices,
): Promise<void> {
  const path = await pathToLast(entries, slices);
  const onPath = new Set(path);
  for (const entry of entries) {
    if (slices.isOver()) await slices.next();
    if (onPath.has(entry)) continue;
    let moved = false;
    for (const record of entry.records) {
      if (record.type !== "message") continue;
      setOutside(record, "rewound");
      moved = true;
    }
    if (!moved) continue;
    draft.lineCounts.message -= 1;
    draft.lineCounts.outside += 1;
  }
  for (const entry of entries) {
    if (entry.compaction !== undefined && !onPath.has(entry)) {
      draft.dropBoundary(entry.compaction.boundary, REWOUND_COMPACTION);
    }
  }
  await describeBoundaries(draft.records, slices);
  placeLastSummary(draft, path);
}

async function pathToLast(entries: readonly PiEntry[], slices: TimeSlices): Promise<PiEntry[]> {
  const isTree = entries.some(({ parentId }) => typeof parentId === "string");
  if (!isTree) return [...entries];
  const byId = new Map<string, PiEntry>();
  const before = new Map<PiEntry, PiEntry>();
  let previous: PiEntry | undefined;
  for (const entry of entries) {
    if (slices.isOver()) await slices.next();
    if (entry.id !== undefined && !byId.has(entry.id)) byId.set(entry.id, entry);
    if (previous !== undefined) before.set(entry, previous);
    previous = entry;
  }
  const path = new Set<PiEntry>();
  let entry = entries.at(-1);
  while (entry !== undefined && !path.has(entry)) {
    path.add(entry);
    if (slices.isOver()) await slices.next();
    if (entry.parentId === null) break;
    // A parent that cannot be read (a damaged line) must not cut off what came before it.
    const parent = entry.parentId === undefined ? undefined : byId.get(entry.parentId);
    entry = parent !== undefined && parent.position < entry.position ? parent : before.get(entry);
  }
  return [...path].reverse();
}

async function describeBoundaries(records: readonly DraftRecord[], slices: TimeSlices): Promise<void> {
  let lastMessageId: string | undefined;
  for (const record of records) {
    if (slices.isOver()) await slices.next();
    if (isContextMessage(record)) lastMessageId = record.message.id;
    else if (record.type === "boundary" && lastMessageId !== undefined) record.afterMessageId = lastMessageId;
  }
}

function placeLastSummary(draft: SessionDraft, path: readonly PiEntry[]): void {
  const last = path.findLast((entry) => entry.compaction !== undefined);
  if (last?.compaction === undefined) return;
  const { boundary, firstKeptId, firstKeptPosition } = last.compaction;
  const end = path.indexOf(last);
  const firstKept = path.findIndex(({ id, position }) =>
    firstKeptId !== undefined ? id === firstKeptId : position === firstKeptPosition,
  );
  const kept = firstKept < 0 ? [] : path.slice(firstKept, end);
  const firstMessage = kept.flatMap(({ records }) => records).find(isContextMessage);
  const moved: DraftRecord[] = [boundary];
  if (boundary.summaryText !== "") {
    const summary = draft.draftMessage({
      line: boundary.line,
      at: boundary.at,
      id: last.id,
      role: "user",
      kind: "notice",
      content: [{ type: "text", text: boundary.summaryText }],
    });
    boundary.summaryMessageId = summary.message.id;
    moved.push(summary);
  }
  if (firstMessage !== undefined) draft.records = moveBoundary(draft.records, moved, firstMessage);
  else draft.records = draft.records.flatMap((record) => (record === boundary ? moved : [record]));
}
