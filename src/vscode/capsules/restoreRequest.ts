import type { CommitmentRequest, LiveSession } from "../../engine/liveSession.ts";
import type { GenerationItem } from "./capsuleHistory.ts";
import { capsuleHistory } from "./capsuleHistory.ts";

/**
 * What makes a retired commitment hold again in its own words; undefined where nothing was retired by this key. A
 * retirement by hand that still stands in the capsule is replaced, since it says the opposite; anything else stays.
 */
export function restoreRequest(
  live: { readonly context: LiveSession["context"]; readonly file: Pick<LiveSession["file"], "state"> },
  key: string,
): CommitmentRequest | undefined {
  const { context, file } = live;
  const history = capsuleHistory(file.state.branch, context);
  const current = history.find((item): item is GenerationItem => item.kind === "generation" && item.current);
  const retired = current?.retired.findLast(({ anchor }) => anchor.key === key);
  if (current === undefined || retired === undefined) return undefined;
  const { text, sourceSegmentId } = retired.anchor;
  const by = retired.by;
  const byHand = file.state.branch.some(
    (entry) =>
      entry.type === "commitment" &&
      entry.record.action === "retire" &&
      entry.record.key === key &&
      entry.record.id === by?.sourceSegmentId,
  );
  const stands = current.generation.summary.anchors.some(
    (anchor) => anchor.critical && anchor.key === by?.key,
  );
  if (by !== undefined && byHand && stands) return { action: "reword", key: by.key, text };
  const isMessage = context.transcript.some(({ id }) => id === sourceSegmentId);
  return { action: "add", text, ...(isMessage ? { messageId: sourceSegmentId } : {}) };
}
