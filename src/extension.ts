import type * as Compaction from "./core/index.ts";

/** What other extensions get: the public core, read from disk on first use. */
export interface ContextCapsuleApi {
  loadCompaction(): Promise<typeof Compaction>;
}

export function activate(): ContextCapsuleApi {
  return { loadCompaction: () => import("./core/index.ts") };
}
