import { sha256Hex } from "../core/digest.ts";
import type { Message } from "../core/messages.ts";
import type { ContextState } from "../core/projection.ts";
import { contextHash, projectContext } from "../core/projection.ts";
import type { BranchItem } from "../core/records.ts";

export type UndoPlan =
  | {
      readonly ok: true;
      readonly runId: string;
      readonly kind: "evicted" | "summarized";
      readonly generation: number | undefined;
      /** Tokens of the context before and after the undo. */
      readonly before: number;
      readonly after: number;
    }
  | { readonly ok: false; readonly reason: "nothing_to_undo" | "hash_differs" };

/**
 * What taking back the newest run that stands would give (contract section 8). The messages up to the run's
 * boundary must equal, by the hash in its entry, those before it; else nothing is undone.
 */
export function planUndo(
  branch: readonly BranchItem[],
  now: ContextState,
  measure: (messages: readonly Message[]) => number,
): UndoPlan {
  const run = now.runs.at(-1);
  if (run === undefined) return { ok: false, reason: "nothing_to_undo" };
  const undo: BranchItem = { type: "undo", runId: run.runId, before: 0, after: 0 };
  const restored = projectContext([...branch, undo]);
  const equals = (state: ContextState): boolean =>
    hashThrough(state, run.throughMessageId) === run.beforeHash;
  if (!equals(restored) && !equals(withoutLaterHands(branch, run.runId, undo))) {
    return { ok: false, reason: "hash_differs" };
  }
  return {
    ok: true,
    runId: run.runId,
    kind: run.kind,
    generation: now.summary?.generation,
    before: measure(now.messages),
    after: measure(restored.messages),
  };
}

/** Pins and statements made after the run are no part of what the run changed. */
function withoutLaterHands(branch: readonly BranchItem[], runId: string, undo: BranchItem): ContextState {
  const start = branch.findIndex(
    (item) => (item.type === "eviction" || item.type === "compaction") && item.record.runId === runId,
  );
  return projectContext([...branch.filter((item, at) => item.type !== "commitment" || at < start), undo]);
}

function hashThrough(state: ContextState, throughMessageId: string | undefined): string {
  const end = state.transcript.findIndex((message) => message.id === throughMessageId);
  const later = new Set(state.transcript.slice(end + 1).map((message) => message.id));
  return contextHash(
    state.messages.filter((message) => !later.has(message.id)),
    sha256Hex,
  );
}
