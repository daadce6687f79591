import { utf8Length } from "../utf8.ts";
import type { Anchor, ContextSummary, ContextSummarySource } from "./contextSummary.ts";
import { coveragePieces } from "./coverage.ts";
import { LIMITS } from "./wireSchema.ts";

/** More commitments than this and the person must review them. */
export const MOST_CRITICAL_ANCHORS = 96;
/** Anchors that are not critical leave, oldest first, while there are more anchors than this. */
export const MOST_CARRIED_ANCHORS = 96;
/** … or while the anchors take more than this share of the ceiling. */
export const ANCHOR_SHARE_OF_CEILING = 1 / 8;

const BYTES_PER_TOKEN = 4;

/** An anchor with what decides whether it may leave. */
export interface PlacedAnchor {
  readonly anchor: Anchor;
  /** See `NewAnchor`; `prior` = carried from the previous capsule, unless its source is one to cover now. */
  readonly origin: "prior" | "hand" | "cover" | "cover_end" | "quote";
}

export interface FittedAnchors {
  readonly kept: readonly PlacedAnchor[];
  readonly carriedOut: readonly Anchor[];
  /** Whether what must stay fits into a capsule at all. */
  readonly fits: boolean;
}

/**
 * Makes room: the draft's own further quotes go first, newest first, so that no draft can push out what code
 * carries; then prior anchors that are not critical, oldest first. Critical anchors and coverage stay; only where
 * a capsule could not hold them all does coverage shrink to one anchor for a source.
 */
export function fitAnchors(anchors: readonly PlacedAnchor[], ceilingTokens: number): FittedAnchors {
  const kept = new Set(anchors);
  const carriedOut: Anchor[] = [];
  let tokens = 0;
  for (const { anchor } of anchors) tokens += anchorTokens(anchor);
  const budget = ceilingTokens * ANCHOR_SHARE_OF_CEILING;
  const optional = anchors.filter(({ anchor, origin }) => !anchor.critical && origin === "quote").reverse();
  const old = anchors.filter(({ anchor, origin }) => !anchor.critical && origin === "prior");
  for (const placed of [...optional, ...old]) {
    if (kept.size <= MOST_CARRIED_ANCHORS && !(tokens > budget)) break;
    kept.delete(placed);
    tokens -= anchorTokens(placed.anchor);
    carriedOut.push(placed.anchor);
  }
  carriedOut.push(...shrinkCoverage(kept));
  return { kept: [...kept], carriedOut, fits: kept.size <= LIMITS.anchors };
}

function shrinkCoverage(kept: Set<PlacedAnchor>): Anchor[] {
  const dropped: Anchor[] = [];
  const citations = new Map<string, number>();
  for (const { anchor } of kept) {
    citations.set(anchor.sourceSegmentId, (citations.get(anchor.sourceSegmentId) ?? 0) + 1);
  }
  for (const origin of ["cover_end", "cover"] as const) {
    for (const placed of kept) {
      if (kept.size <= LIMITS.anchors) return dropped;
      const { anchor } = placed;
      const count = citations.get(anchor.sourceSegmentId) ?? 0;
      if (placed.origin !== origin || anchor.critical || count < 2) continue;
      kept.delete(placed);
      dropped.push(anchor);
      citations.set(anchor.sourceSegmentId, count - 1);
    }
  }
  return dropped;
}

function anchorTokens(anchor: Anchor): number {
  return Math.ceil(utf8Length(JSON.stringify(anchor)) / BYTES_PER_TOKEN);
}

/**
 * How many of the required sources, oldest first, one generation can cover. A run that takes more of them at
 * once is split into generations before anything is paid.
 */
export function coverableSources(
  previous: ContextSummary | undefined,
  sources: readonly ContextSummarySource[],
): number {
  const carried = previous?.anchors.filter((anchor) => anchor.critical).length ?? 0;
  let room = LIMITS.anchors - carried;
  let count = 0;
  for (const source of sources) {
    if (!source.required) continue;
    room -= coveragePieces(source.text).length;
    if (room < 0) break;
    count++;
  }
  return count;
}
