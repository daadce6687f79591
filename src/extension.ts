import type { ExtensionContext } from "vscode";
import type * as Compaction from "./core/index.ts";
import type { Surface } from "./vscode/activate.ts";
import { activateSurface } from "./vscode/activate.ts";

/** What `activate()` hands out to other extensions: the public core, read from disk on first use. */
export interface ContextCapsuleApi {
  loadCompaction(): Promise<typeof Compaction>;
}

let surface: Surface | undefined;

export function activate(context: ExtensionContext): ContextCapsuleApi {
  surface = activateSurface(context);
  return { loadCompaction: () => import("./core/index.ts") };
}

export async function deactivate(): Promise<void> {
  await surface?.close();
  surface = undefined;
}
