import type { ContextSummary } from "./capsule/contextSummary.ts";
import { isBareCommand } from "./capsule/root.ts";
import { withCitations } from "./evict.ts";
import type { Message } from "./messages.ts";
import { isUserSource, textOf } from "./messages.ts";
import type {
  BranchItem,
  CommitmentRecord,
  CompactionReceipt,
  CompactionRecord,
  EvictedPart,
  EvictionRecord,
} from "./records.ts";

/** A run that still stands on the branch, oldest first in a list of them. */
export interface AppliedRun {
  readonly runId: string;
  readonly kind: "evicted" | "summarized";
  readonly beforeHash: string;
  /** Id of the last message of the context that the run looked at. */
  readonly throughMessageId: string | undefined;
  readonly receipts: readonly CompactionReceipt[];
}

/** A capsule of the branch, newest last in a list of them. */
export interface Generation {
  readonly generation: number;
  readonly summary: ContextSummary;
  /** Id of the capsule's message. */
  readonly messageId: string;
  /** The run that made it; undefined for a change by the person's hand. */
  readonly runId: string | undefined;
  readonly receipt: CompactionReceipt | undefined;
  readonly undone: boolean;
}

/** What is sent now, made from the active branch of a session. */
export interface ContextState {
  /** System, root and pins in record order, the capsule, the tail. Calls may still be open: see `answerOpenCalls`. */
  readonly messages: readonly Message[];
  /** All messages of the branch in record order, evicted or not, with the person's own statements. */
  readonly transcript: readonly Message[];
  readonly summary: ContextSummary | undefined;
  readonly generations: readonly Generation[];
  /** The first user source of the branch that is no command. */
  readonly rootId: string | undefined;
  /** Pins of the person. */
  readonly pinnedIds: ReadonlySet<string>;
  readonly tailFrom: string | undefined;
  /** Digest → segment id of all that left this branch. */
  readonly left: ReadonlyMap<string, string>;
  /** Segment id → what stands in its place. */
  readonly evicted: ReadonlyMap<string, EvictedPart>;
  /** Ids of statements made by the person's hand: critical by construction when they leave. */
  readonly statementIds: ReadonlySet<string>;
  /** Runs that stand, oldest first; the last one is what undo takes back. */
  readonly runs: readonly AppliedRun[];
  /** Every run of the branch that was written, attempts included, newest last. */
  readonly receipts: readonly CompactionReceipt[];
  /** Boundaries that could not be applied, by run id: nothing was dropped for them. */
  readonly brokenBoundaries: readonly string[];
}

interface Boundary {
  readonly record: CompactionRecord;
  readonly firstKept: number;
  summary: ContextSummary;
  capsule: Message;
}

/**
 * Folds the branch into what is sent now. Appending a message to a branch may go through `appendMessage`; all
 * other items change what came before them and need a new fold. Same branch, same result.
 */
export function projectContext(branch: readonly BranchItem[]): ContextState {
  const undone = new Set<string>();
  for (const item of branch) if (item.type === "undo") undone.add(item.runId);

  const transcript: Message[] = [];
  const positions = new Map<string, number>();
  const appliedStatements = new Set<string>();
  const statementIds = new Set<string>();
  const generations: Generation[] = [];
  const pinnedIds = new Set<string>();
  /** What stands before the tail beside the root: an unpinned message goes with the next boundary, never by itself. */
  let heldIds = new Set<string>();
  const left = new Map<string, string>();
  const evicted = new Map<string, EvictedPart>();
  const runs = new Map<string, AppliedRun>();
  const receipts: CompactionReceipt[] = [];
  const brokenBoundaries: string[] = [];
  let rootId: string | undefined;
  let boundary: Boundary | undefined;

  const addRun = (kind: AppliedRun["kind"], record: EvictionRecord | CompactionRecord) => {
    const earlier = runs.get(record.runId);
    const { runId, beforeHash, throughMessageId } = earlier ?? record;
    const receipts = [...(earlier?.receipts ?? []), record.receipt];
    runs.set(runId, {
      runId,
      kind: kind === "summarized" ? kind : (earlier?.kind ?? kind),
      beforeHash,
      throughMessageId,
      receipts,
    });
  };

  const addStatement = (record: CommitmentRecord) => {
    if (record.text === undefined) return;
    statementIds.add(record.id);
    positions.set(record.id, transcript.length);
    transcript.push({ id: record.id, role: "user", content: [{ type: "text", text: record.text }] });
    const { summary, capsuleText } = record;
    if (summary === undefined || capsuleText === undefined) return;
    if (boundary === undefined || boundary.summary.generation + 1 !== summary.generation) return;
    appliedStatements.add(record.id);
    boundary.summary = summary;
    boundary.capsule = capsuleMessage(`capsule-${record.id}`, capsuleText);
    generations.push({
      generation: summary.generation,
      summary,
      messageId: boundary.capsule.id,
      runId: undefined,
      receipt: undefined,
      undone: false,
    });
  };

  for (const item of branch) {
    switch (item.type) {
      case "message":
        positions.set(item.message.id, transcript.length);
        transcript.push(item.message);
        if (rootId === undefined && item.command === undefined && isRoot(item.message)) {
          rootId = item.message.id;
        }
        break;
      case "eviction":
        receipts.push(item.record.receipt);
        if (undone.has(item.record.runId)) break;
        for (const part of item.record.evicted) {
          evicted.set(part.segmentId, part);
          left.set(part.digest, part.segmentId);
        }
        addRun("evicted", item.record);
        break;
      case "compaction": {
        const { record } = item;
        receipts.push(record.receipt);
        const isUndone = undone.has(record.runId);
        const messageId = `capsule-${record.runId}-${record.summary.generation}`;
        generations.push({
          generation: record.summary.generation,
          summary: record.summary,
          messageId,
          runId: record.runId,
          receipt: record.receipt,
          undone: isUndone,
        });
        if (isUndone) break;
        const firstKept = firstKeptPosition(record, positions);
        const ordinal =
          firstKept === undefined ? -1 : firstKept - statementsBefore(transcript, statementIds, firstKept);
        if (firstKept === undefined || ordinal !== record.firstKeptOrdinal) {
          brokenBoundaries.push(record.runId);
          break;
        }
        for (const [segmentId, digest] of record.left) left.set(digest, segmentId);
        heldIds = new Set([...pinnedIds, ...record.cutPinIds]);
        boundary = {
          record,
          firstKept,
          summary: record.summary,
          capsule: capsuleMessage(messageId, record.capsuleText),
        };
        addRun("summarized", record);
        break;
      }
      case "attempt":
        receipts.push(item.record.receipt);
        break;
      case "commitment":
        if (item.record.action === "pin" && item.record.messageId !== undefined) {
          pinnedIds.add(item.record.messageId);
          heldIds.add(item.record.messageId);
        } else if (item.record.action === "unpin" && item.record.messageId !== undefined) {
          pinnedIds.delete(item.record.messageId);
        } else addStatement(item.record);
        break;
      case "undo":
      case "usage":
        break;
    }
  }

  const messages = sentMessages({ transcript, boundary, rootId, heldIds, appliedStatements, evicted });

  return {
    messages,
    transcript,
    summary: boundary?.summary,
    generations,
    rootId,
    pinnedIds,
    tailFrom: boundary === undefined ? undefined : transcript[boundary.firstKept]?.id,
    left,
    evicted,
    statementIds,
    runs: [...runs.values()],
    receipts,
    brokenBoundaries,
  };
}

interface SentParts {
  readonly transcript: readonly Message[];
  readonly boundary: Boundary | undefined;
  readonly rootId: string | undefined;
  readonly heldIds: ReadonlySet<string>;
  readonly appliedStatements: ReadonlySet<string>;
  readonly evicted: ReadonlyMap<string, EvictedPart>;
}

/** System, root and pins in record order, exactly one capsule, the tail (contract section 5, `shape`). */
function sentMessages(parts: SentParts): Message[] {
  const { transcript, boundary, rootId, heldIds, appliedStatements, evicted } = parts;
  const system: Message[] = [];
  const held: Message[] = [];
  const tail: Message[] = [];
  const firstKept = boundary?.firstKept ?? 0;
  transcript.forEach((message, index) => {
    if (appliedStatements.has(message.id)) return;
    const sent = evicted.size === 0 ? message : withCitations(message, (id) => evicted.get(id)?.citation);
    if (index >= firstKept) tail.push(sent);
    else if (message.role === "system") system.push(sent);
    else if (message.id === rootId || heldIds.has(message.id)) held.push(sent);
  });
  return boundary === undefined ? tail : [...system, ...held, boundary.capsule, ...tail];
}

/** By id; a boundary with an empty tail starts after the last message that its run looked at. */
function firstKeptPosition(
  record: CompactionRecord,
  positions: ReadonlyMap<string, number>,
): number | undefined {
  if (record.firstKeptMessageId !== undefined) return positions.get(record.firstKeptMessageId);
  if (record.throughMessageId === undefined) return undefined;
  const through = positions.get(record.throughMessageId);
  return through === undefined ? undefined : through + 1;
}

/**
 * The state after one more message at the end: the same as a new fold, at no cost that grows with the session.
 * The two message lists are the given ones, grown in place.
 */
export function appendMessage(state: ContextState, message: Message, command?: string): ContextState {
  (state.messages as Message[]).push(message);
  (state.transcript as Message[]).push(message);
  const becomesRoot = state.rootId === undefined && command === undefined && isRoot(message);
  return {
    ...state,
    rootId: becomesRoot ? message.id : state.rootId,
    tailFrom: tailAfterAppend(state, message),
  };
}

function isRoot(message: Message): boolean {
  return isUserSource(message) && !isBareCommand(textOf(message));
}

/** A boundary that left an empty tail gets one with the next message. */
function tailAfterAppend(state: ContextState, message: Message): string | undefined {
  if (state.tailFrom !== undefined || state.summary === undefined) return state.tailFrom;
  return message.id;
}

function statementsBefore(
  transcript: readonly Message[],
  statementIds: ReadonlySet<string>,
  end: number,
): number {
  if (statementIds.size === 0) return 0;
  let count = 0;
  for (let index = 0; index < end; index += 1)
    if (statementIds.has((transcript[index] as Message).id)) count += 1;
  return count;
}

function capsuleMessage(id: string, text: string): Message {
  return { id, role: "user", kind: "capsule", content: [{ type: "text", text }] };
}

/** Hash of what the messages say, system apart: undo is checked against it. `sha256` gives lower-case hex. */
export function contextHash(messages: readonly Message[], sha256: (text: string) => string): string {
  const lines: string[] = [];
  for (const message of messages) {
    if (message.role === "system") continue;
    lines.push(JSON.stringify([message.id, message.role, message.kind ?? null, message.content]));
  }
  return sha256(lines.join("\n"));
}
