import type { CompactionPreview, CompactOutcome } from "./compactionOutcome.ts";
import { CompactionRun } from "./compactionRun.ts";
import type { CompactionContext, CompactOptions } from "./compactOptions.ts";
import type { AbortSignalLike } from "./model.ts";

/**
 * The fail-closed ladder (contract section 4): evict what can be fetched back, replace the old part by a
 * validated capsule, stop. Plan, summarize, parse, accept, persist; a failure leaves the context as the last
 * completed rung left it. Never throws but for bad options.
 */
export function compactContext(context: CompactionContext, options: CompactOptions): Promise<CompactOutcome> {
  return new CompactionRun(context, options).run();
}

/** What `compactContext` would do: no model call, no write. Without a clock a silent counter is waited for. */
export function previewCompaction(
  context: CompactionContext,
  options: Omit<CompactOptions, "journal" | "clock" | "newId" | "signal"> &
    Partial<Pick<CompactOptions, "clock">>,
): Promise<CompactionPreview> {
  const never: AbortSignalLike = {
    aborted: false,
    addEventListener: () => {},
    removeEventListener: () => {},
  };
  const nothing = () => Promise.resolve();
  return new CompactionRun(context, {
    clock: { now: () => 0, delay: () => new Promise(() => {}) },
    ...options,
    newId: () => "preview",
    signal: never,
    journal: { eviction: nothing, compaction: nothing, attempt: nothing },
  }).preview();
}
