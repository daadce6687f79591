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
  const fold = new ContextFold(branch);
  for (const item of branch) fold.add(item);
  return fold.finish();
}

/** `projectContext` for a caller that works in slices: `add` every item of the branch in order, then `finish`. */
export class ContextFold {
  readonly #undone = new Set<string>();
  readonly #transcript: Message[] = [];
  readonly #appliedStatements = new Set<string>();
  readonly #statementIds = new Set<string>();
  readonly #generations: Generation[] = [];
  readonly #pinnedIds = new Set<string>();
  /** What stands before the tail beside the root: an unpinned message goes with the next boundary, never by itself. */
  #heldIds = new Set<string>();
  readonly #left = new Map<string, string>();
  readonly #evicted = new Map<string, EvictedPart>();
  readonly #runs = new Map<string, AppliedRun>();
  readonly #receipts: CompactionReceipt[] = [];
  readonly #brokenBoundaries: string[] = [];
  #rootId: string | undefined;
  #boundary: Boundary | undefined;

  /** Nothing was taken out, replaced or added by hand: what is sent is the messages themselves. */
  readonly isAsWritten: boolean;

  constructor(branch: readonly BranchItem[]) {
    let isAsWritten = true;
    for (const item of branch) {
      if (item.type === "message") continue;
      if (item.type === "undo") this.#undone.add(item.runId);
      isAsWritten &&= item.type === "usage" || item.type === "attempt";
    }
    this.isAsWritten = isAsWritten;
  }

  /** Boundaries that could not be applied so far. */
  get brokenCount(): number {
    return this.#brokenBoundaries.length;
  }

  add(item: BranchItem): void {
    switch (item.type) {
      case "message":
        this.#transcript.push(item.message);
        if (this.#rootId === undefined && item.command === undefined && isRoot(item.message)) {
          this.#rootId = item.message.id;
        }
        break;
      case "eviction":
        this.#receipts.push(item.record.receipt);
        if (!this.#undone.has(item.record.runId)) this.#addEviction(item.record);
        break;
      case "compaction":
        this.#receipts.push(item.record.receipt);
        this.#addCompaction(item.record);
        break;
      case "attempt":
        this.#receipts.push(item.record.receipt);
        break;
      case "commitment":
        this.#addCommitment(item.record);
        break;
      case "undo":
      case "usage":
        break;
    }
  }

  finish(): ContextState {
    const boundary = this.#boundary;
    return {
      messages: sentMessages({
        transcript: this.#transcript,
        boundary,
        rootId: this.#rootId,
        heldIds: this.#heldIds,
        appliedStatements: this.#appliedStatements,
        evicted: this.#evicted,
      }),
      transcript: this.#transcript,
      summary: boundary?.summary,
      generations: this.#generations,
      rootId: this.#rootId,
      pinnedIds: this.#pinnedIds,
      tailFrom: boundary === undefined ? undefined : this.#transcript[boundary.firstKept]?.id,
      left: this.#left,
      evicted: this.#evicted,
      statementIds: this.#statementIds,
      runs: [...this.#runs.values()],
      receipts: this.#receipts,
      brokenBoundaries: this.#brokenBoundaries,
    };
  }

  #addEviction(record: EvictionRecord): void {
    for (const part of record.evicted) {
      this.#evicted.set(part.segmentId, part);
      this.#left.set(part.digest, part.segmentId);
    }
    this.#addRun("evicted", record);
  }

  #addCompaction(record: CompactionRecord): void {
    const undone = this.#undone.has(record.runId);
    const messageId = `capsule-${record.runId}-${record.summary.generation}`;
    this.#generations.push({
      generation: record.summary.generation,
      summary: record.summary,
      messageId,
      runId: record.runId,
      receipt: record.receipt,
      undone,
    });
    if (undone) return;
    const firstKept = firstKeptPosition(record, this.#transcript);
    const ordinal =
      firstKept === undefined
        ? -1
        : firstKept - statementsBefore(this.#transcript, this.#statementIds, firstKept);
    if (firstKept === undefined || ordinal !== record.firstKeptOrdinal) {
      this.#brokenBoundaries.push(record.runId);
      return;
    }
    for (const [segmentId, digest] of record.left) this.#left.set(digest, segmentId);
    this.#heldIds = new Set([...this.#pinnedIds, ...record.heldIds]);
    this.#boundary = {
      record,
      firstKept,
      summary: record.summary,
      capsule: capsuleMessage(messageId, record.capsuleText),
    };
    this.#addRun("summarized", record);
  }

  #addRun(kind: AppliedRun["kind"], record: EvictionRecord | CompactionRecord): void {
    const earlier = this.#runs.get(record.runId);
    const { runId, beforeHash, throughMessageId } = earlier ?? record;
    this.#runs.set(runId, {
      runId,
      kind: kind === "summarized" ? kind : (earlier?.kind ?? kind),
      beforeHash,
      throughMessageId,
      receipts: [...(earlier?.receipts ?? []), record.receipt],
    });
  }

  #addCommitment(record: CommitmentRecord): void {
    if (record.action === "pin" && record.messageId !== undefined) {
      this.#pinnedIds.add(record.messageId);
      this.#heldIds.add(record.messageId);
    } else if (record.action === "unpin" && record.messageId !== undefined) {
      this.#pinnedIds.delete(record.messageId);
    } else this.#addStatement(record);
  }

  #addStatement(record: CommitmentRecord): void {
    if (record.text === undefined) return;
    this.#statementIds.add(record.id);
    this.#transcript.push({ id: record.id, role: "user", content: [{ type: "text", text: record.text }] });
    const { summary, capsuleText } = record;
    const boundary = this.#boundary;
    if (summary === undefined || capsuleText === undefined) return;
    if (boundary === undefined || boundary.summary.generation + 1 !== summary.generation) return;
    this.#appliedStatements.add(record.id);
    boundary.summary = summary;
    boundary.capsule = capsuleMessage(`capsule-${record.id}`, capsuleText);
    this.#generations.push({
      generation: summary.generation,
      summary,
      messageId: boundary.capsule.id,
      runId: undefined,
      receipt: undefined,
      undone: false,
    });
  }
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
  if (boundary === undefined && evicted.size === 0) return transcript.slice();
  const system: Message[] = [];
  const held: Message[] = [];
  const tail: Message[] = [];
  const firstKept = boundary?.firstKept ?? 0;
  const mayBeCited = messageIdsOf(evicted.keys());
  transcript.forEach((message, index) => {
    const { id, role } = message;
    const isTail = index >= firstKept;
    if (!isTail && role !== "system" && id !== rootId && !heldIds.has(id)) return;
    if (appliedStatements.has(id)) return;
    const sent = mayBeCited.has(id)
      ? withCitations(message, (segment) => evicted.get(segment)?.citation)
      : message;
    (isTail ? tail : role === "system" ? system : held).push(sent);
  });
  return boundary === undefined ? tail : [...system, ...held, boundary.capsule, ...tail];
}

/** Ids of the messages that segments may belong to; an id may hold the sign that parts it from a call's. */
function messageIdsOf(segmentIds: Iterable<string>): Set<string> {
  const ids = new Set<string>();
  for (const segmentId of segmentIds) {
    ids.add(segmentId);
    for (let at = segmentId.indexOf("#"); at >= 0; at = segmentId.indexOf("#", at + 1)) {
      ids.add(segmentId.slice(0, at));
    }
  }
  return ids;
}

/** By id; a boundary with an empty tail starts after the last message that its run looked at. */
export function firstKeptPosition(
  record: CompactionRecord,
  transcript: readonly Message[],
): number | undefined {
  if (record.firstKeptMessageId !== undefined) return positionOf(record.firstKeptMessageId, transcript);
  if (record.throughMessageId === undefined) return undefined;
  const through = positionOf(record.throughMessageId, transcript);
  return through === undefined ? undefined : through + 1;
}

/** From the end: a boundary is written while its tail is the newest part of the record. */
export function positionOf(id: string, transcript: readonly Message[]): number | undefined {
  const position = transcript.findLastIndex((message) => message.id === id);
  return position < 0 ? undefined : position;
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

/** Whether the message can be the root of a branch. */
export function isRoot(message: Message): boolean {
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

/** The message that a capsule is sent as. */
export function capsuleMessage(id: string, text: string): Message {
  return { id, role: "user", kind: "capsule", content: [{ type: "text", text }] };
}

/** What a message says, hashed: kept, for a long context is hashed before each run and each undo. */
const digests = new WeakMap<Message, string>();

/** Hash of what the messages say, system apart: undo is checked against it. `sha256` gives lower-case hex. */
export function contextHash(messages: readonly Message[], sha256: (text: string) => string): string {
  const lines: string[] = [];
  for (const message of messages) if (message.role !== "system") lines.push(messageHash(message, sha256));
  return sha256(lines.join("\n"));
}

/** The part of `contextHash` that one message makes up; whoever works in slices asks for it beforehand. */
export function messageHash(message: Message, sha256: (text: string) => string): string {
  let digest = digests.get(message);
  if (digest === undefined) {
    digest = sha256(JSON.stringify([message.id, message.role, message.kind ?? null, message.content]));
    digests.set(message, digest);
  }
  return digest;
}
