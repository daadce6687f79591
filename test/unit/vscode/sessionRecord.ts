/** A session's log in memory, for tests of what shows it: entries as the log has them, and the context they fold to. */
import type { ContextSummary } from "../../../src/core/capsule/contextSummary.ts";
import { sha256Hex } from "../../../src/core/digest.ts";
import type { Message, Part } from "../../../src/core/messages.ts";
import type { ContextState } from "../../../src/core/projection.ts";
import { projectContext } from "../../../src/core/projection.ts";
import type { CommitmentRecord, CompactionReceipt, EndState } from "../../../src/core/records.ts";
import type { LogEntry } from "../../../src/sessions/entries.ts";
import { isChainEntry } from "../../../src/sessions/entries.ts";

export const STARTED_AT = Date.UTC(2026, 10, 30, 12, 0, 0);

export function user(id: string, text: string, kind?: Message["kind"]): Message {
  return { id, role: "user", content: [{ type: "text", text }], ...(kind === undefined ? {} : { kind }) };
}

export function assistant(id: string, ...content: readonly Part[]): Message {
  return { id, role: "assistant", content };
}

export function call(toolCallId: string, toolName: string, input: unknown): Part {
  return { type: "tool-call", toolCallId, toolName, input };
}

export function result(id: string, toolCallId: string, toolName: string, output: string): Message {
  return { id, role: "tool", content: [{ type: "tool-result", toolCallId, toolName, output }] };
}

export function receipt(state: EndState, changes: Partial<CompactionReceipt> = {}): CompactionReceipt {
  return {
    index: 1,
    rung: state === "evicted" ? "evict" : state === "summarized" ? "summarize" : "none",
    trigger: "manual",
    basis: "estimated",
    before: 10_000,
    after: state === "evicted" || state === "summarized" ? 4_000 : 10_000,
    evictedDigests: [],
    pinnedIds: [],
    startedAt: STARTED_AT,
    durationMs: 1_200,
    state,
    reason: state === "evicted" ? "evicted_enough" : "summary_accepted",
    failures: [],
    retired: [],
    carriedOutKeys: [],
    droppedQuotes: 0,
    ...changes,
  };
}

export function summary(changes: Partial<ContextSummary> = {}): ContextSummary {
  return {
    schemaVersion: 2,
    generation: 1,
    objective: "Make the parser faster",
    constraintsRestated: [],
    decisions: [],
    artifacts: [],
    facts: [],
    state: { completed: [], active: [], blocked: [] },
    next: [],
    citations: [],
    lookupHints: [],
    anchors: [],
    ...changes,
  };
}

export class SessionRecord {
  readonly id = "s1";
  title = "Parser";
  readonly entries: LogEntry[] = [];
  #at = STARTED_AT;

  message(message: Message, more: { modelId?: string; command?: string } = {}): this {
    return this.#add({ type: "message", id: message.id, message, ...more });
  }

  add(
    entry: LogEntry extends infer Entry ? (Entry extends LogEntry ? Omit<Entry, "at"> : never) : never,
  ): this {
    return this.#add(entry);
  }

  evict(runId: string, parts: readonly (readonly [segmentId: string, text: string])[]): this {
    const evicted = parts.map(([segmentId, text]) => ({
      segmentId,
      digest: sha256Hex(text),
      bytes: Buffer.byteLength(text),
      citation: `[evicted ${segmentId} sha256:${sha256Hex(text)}]`,
    }));
    return this.#add({
      type: "eviction",
      id: `e-${runId}`,
      record: {
        runId,
        receipt: receipt("evicted", { evictedDigests: evicted.map(({ digest }) => digest) }),
        beforeHash: "",
        throughMessageId: undefined,
        evicted,
      },
    });
  }

  compact(
    runId: string,
    capsule: ContextSummary,
    firstKeptMessageId: string,
    changes: Partial<CompactionReceipt> = {},
  ): this {
    const transcript = this.context.transcript.filter(({ id }) => !this.context.statementIds.has(id));
    return this.#add({
      type: "compaction",
      id: `c-${runId}-${capsule.generation}`,
      record: {
        runId,
        receipt: receipt("summarized", { generation: capsule.generation, ...changes }),
        beforeHash: "",
        throughMessageId: undefined,
        summary: capsule,
        capsuleText: JSON.stringify(capsule),
        firstKeptMessageId,
        firstKeptOrdinal: transcript.findIndex(({ id }) => id === firstKeptMessageId),
        rootId: this.context.rootId,
        heldIds: [],
        left: [],
      },
    });
  }

  attempt(runId: string, state: EndState, changes: Partial<CompactionReceipt> = {}): this {
    return this.#add({
      type: "attempt",
      id: `a-${runId}`,
      record: { runId, receipt: receipt(state, { reason: "reply_rejected", ...changes }) },
    });
  }

  undo(runId: string): this {
    return this.#add({ type: "undo", id: `u-${runId}`, runId, before: 4_000, after: 10_000 });
  }

  hand(record: CommitmentRecord): this {
    return this.#add({ type: "commitment", id: record.id, record });
  }

  get context(): ContextState {
    return projectContext(this.entries.filter(isChainEntry));
  }

  #add(entry: object): this {
    this.#at += 1_000;
    this.entries.push({ at: this.#at, ...entry } as unknown as LogEntry);
    return this;
  }
}
