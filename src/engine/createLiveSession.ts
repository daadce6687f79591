import type { CommitmentRequest, LiveSession, LiveSessionOptions } from "./liveSession.ts";
import { SessionEngine } from "./sessionEngine.ts";

/** Makes an open session file live: folds its branch in slices and takes over its writes. */
export async function createLiveSession(options: LiveSessionOptions): Promise<LiveSession> {
  const engine = new SessionEngine(options);
  await engine.load();
  return engine;
}

export type { CommitmentRequest };
