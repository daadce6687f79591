import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ContextSummary } from "../../../src/core/capsule/contextSummary.ts";
import type { Role } from "../../../src/core/messages.ts";
import type { CompactionReceipt } from "../../../src/core/records.ts";
import type {
  AttemptEntry,
  CompactionEntry,
  EvictionEntry,
  HeaderEntry,
  LogEntry,
  MessageEntry,
} from "../../../src/sessions/entries.ts";
import { nodeFiles } from "../../../src/sessions/nodeFiles.ts";
import { nodeProcesses } from "../../../src/sessions/nodeProcesses.ts";
import type { SessionState } from "../../../src/sessions/session.ts";
import type { SessionEnvironment } from "../../../src/sessions/sessionFiles.ts";

export const SESSION = "s1";

/** A temporary folder as a storage place, removed with `[Symbol.dispose]`. */
export class TemporaryPlace {
  readonly path = mkdtempSync(join(tmpdir(), "capsule-sessions-"));

  get log(): string {
    return `${this.path}/${SESSION}.jsonl`;
  }

  logText(): string {
    return readFileSync(this.log, "utf8");
  }

  writeLog(content: string | Uint8Array, id = SESSION): void {
    writeFileSync(`${this.path}/${id}.jsonl`, content);
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

let ids = 0;

/** Node's files and processes, a clock that the test sets, ids that count. */
export function environment(options: Partial<SessionEnvironment> = {}): SessionEnvironment {
  return {
    files: nodeFiles,
    processes: nodeProcesses,
    now: () => Date.now(),
    newId: () => {
      ids += 1;
      return `id-${ids}`;
    },
    windowName: "window A",
    ...options,
  };
}

export function header(fields: Partial<HeaderEntry> = {}): HeaderEntry {
  return { type: "header", id: "h", at: 1000, format: 1, title: "A session", ...fields };
}

export function message(id: string, text: string, options: { at?: number; role?: Role } = {}): MessageEntry {
  const { at = 2000, role = "user" } = options;
  return { type: "message", id, at, message: { id, role, content: [{ type: "text", text }] } };
}

export function toolResult(id: string, toolCallId: string, output: string): MessageEntry {
  const content = [{ type: "tool-result" as const, toolCallId, toolName: "read", output }];
  return { type: "message", id, at: 2000, message: { id, role: "tool", content } };
}

export function receipt(fields: Partial<CompactionReceipt> = {}): CompactionReceipt {
  return {
    index: 1,
    rung: "summarize",
    trigger: "manual",
    basis: "estimated",
    before: 100,
    after: 50,
    evictedDigests: [],
    pinnedIds: [],
    startedAt: 3000,
    durationMs: 5,
    state: "summarized",
    reason: "summary_accepted",
    failures: [],
    retired: [],
    carriedOutKeys: [],
    droppedQuotes: 0,
    ...fields,
  } as CompactionReceipt;
}

export function capsule(generation: number): ContextSummary {
  return {
    schemaVersion: 2,
    generation,
    objective: "Ship it",
    constraintsRestated: [],
    decisions: [],
    artifacts: [],
    facts: [],
    state: { completed: [], active: [], blocked: [] },
    next: [],
    citations: [],
    lookupHints: [],
    anchors: [],
  };
}

export function compaction(
  runId: string,
  generation: number,
  firstKept: { id: string; ordinal: number },
  left: readonly (readonly [string, string])[] = [],
): CompactionEntry {
  return {
    type: "compaction",
    id: `entry-${runId}-${generation}`,
    at: 3000,
    record: {
      runId,
      receipt: receipt({ generation }),
      beforeHash: "0".repeat(64),
      throughMessageId: firstKept.id,
      summary: capsule(generation),
      capsuleText: `capsule ${generation}`,
      firstKeptMessageId: firstKept.id,
      firstKeptOrdinal: firstKept.ordinal,
      rootId: "m1",
      heldIds: [],
      left,
    },
  };
}

export function eviction(runId: string, segmentId: string, digest: string): EvictionEntry {
  return {
    type: "eviction",
    id: `entry-${runId}`,
    at: 3000,
    record: {
      runId,
      receipt: receipt({ rung: "evict", state: "evicted", reason: "evicted_enough" }),
      beforeHash: "0".repeat(64),
      throughMessageId: "m1",
      evicted: [{ segmentId, digest, bytes: 10, citation: "[gone]" }],
    },
  };
}

export function attempt(runId: string): AttemptEntry {
  const record = { runId, receipt: receipt({ rung: "none", state: "rejected", reason: "reply_rejected" }) };
  return { type: "attempt", id: `entry-${runId}`, at: 3000, record };
}

export function lines(...entries: readonly unknown[]): string {
  return entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
}

/** What a state says, as plain data: texts that stand in files are read. Problems tell of the file, not of the session. */
export function contentOf(state: SessionState): unknown {
  const { problems: _problems, problemCount: _problemCount, ...content } = state;
  return JSON.parse(JSON.stringify(content));
}

export function branchIds(state: SessionState): string[] {
  return state.branch.map((entry: LogEntry) => entry.id);
}

export function problemKinds(state: SessionState): string[] {
  return state.problems.map((problem) => problem.kind);
}
