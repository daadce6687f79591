import type { ClaudeMessages } from "./claudeMessages.ts";
import { REWOUND_COMPACTION } from "./importNotes.ts";
import type { DraftBoundary, DraftMessage, DraftRecord } from "./sessionDraft.ts";
import { isContextMessage, moveBoundary, setOutside } from "./sessionDraft.ts";
import type { TimeSlices } from "./timeSlices.ts";

/** What only the whole file tells: which call started a sub-agent, what was rewound, what a compaction kept. */
export async function finishClaude(messages: ClaudeMessages, slices: TimeSlices): Promise<void> {
  const { draft, threads, tree, boundaries } = messages;
  await threads.link(draft.records, slices);
  for (const record of await tree.rewound(slices)) {
    if (record.type === "message") setOutside(record, "rewound");
    else if (record.type === "boundary") draft.dropBoundary(record, REWOUND_COMPACTION);
  }
  await describeBoundaries(draft.records, slices);
  const last = draft.records.findLast((record) => record.type === "boundary");
  const preserved = last?.type === "boundary" ? boundaries.preserved.get(last) : undefined;
  if (last?.type === "boundary" && last.summaryText !== "" && preserved !== undefined) {
    const head = tree.draftsOf(preserved.headUuid)[0];
    const tail = tree.draftsOf(preserved.tailUuid).at(-1);
    if (head !== undefined && tail !== undefined && head.type !== "boundary" && tail.type !== "boundary") {
      draft.records = keepSegment(draft.records, {
        boundary: last,
        head,
        tail,
        beforeSummary: preserved.beforeSummary,
      });
    }
  }
  countOutside(messages);
}

function countOutside({ draft, tree }: ClaudeMessages): void {
  const lines = tree.countOutsideLines();
  draft.lineCounts.message -= lines;
  draft.lineCounts.outside += lines;
}

/** The last message before each boundary, and the message its summary is. */
async function describeBoundaries(records: readonly DraftRecord[], slices: TimeSlices): Promise<void> {
  let lastMessageId: string | undefined;
  let open: DraftBoundary | undefined;
  for (const record of records) {
    if (slices.isOver()) await slices.next();
    if (record.type === "boundary") {
      if (lastMessageId !== undefined) record.afterMessageId = lastMessageId;
      open = record.summaryText === "" ? undefined : record;
    } else if (isContextMessage(record)) {
      lastMessageId = record.message.id;
      if (open !== undefined && isSummary(record, open)) {
        open.summaryMessageId = record.message.id;
        open = undefined;
      }
    }
  }
}

function isSummary({ message }: DraftMessage, { summaryText }: DraftBoundary): boolean {
  if (message.kind !== "notice") return false;
  const texts = message.content.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return texts.join("\n") === summaryText;
}

interface Segment {
  readonly boundary: DraftBoundary;
  readonly head: DraftMessage;
  readonly tail: DraftMessage;
  readonly beforeSummary: boolean;
}

/**
 * A compaction that kept some messages word for word. The context is what follows the boundary, so the boundary moves
 * before the first kept message: with its summary when the kept ones follow it, alone when they come first; then what
 * lies between the last kept message and the summary is outside.
 */
function keepSegment(records: readonly DraftRecord[], segment: Segment): DraftRecord[] {
  const { boundary, head, tail, beforeSummary } = segment;
  const at = records.indexOf(boundary);
  const headAt = records.indexOf(head);
  const tailAt = records.indexOf(tail);
  if (headAt < 0 || tailAt < headAt || tailAt > at) return [...records];
  if (beforeSummary) {
    for (const record of records.slice(tailAt + 1, at)) {
      if (isContextMessage(record)) setOutside(record, "compacted");
    }
    return moveBoundary(records, [boundary], head);
  }
  const summary = records.find(
    (record) => isContextMessage(record) && record.message.id === boundary.summaryMessageId,
  );
  return moveBoundary(records, summary === undefined ? [boundary] : [boundary, summary], head);
}
