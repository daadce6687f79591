import type { Anchor, ContextSummary, ContextSummarySource, Verdict } from "./contextSummary.ts";
import type { RecordOrder } from "./currentSource.ts";
import { CurrentSources } from "./currentSource.ts";
import { QuoteFinder } from "./quote.ts";
import { sameAnchor } from "./sameAnchor.ts";
import { isUserRole, mayLeave } from "./sources.ts";
import { fromWire, toWire } from "./wireSchema.ts";

export interface TransitionOptions {
  /**
   * Digest → segment id of all that left this branch before. Where it is not given, the previous capsule's own
   * citations are taken for it.
   */
  readonly left?: ReadonlyMap<string, string>;
  /** Keys that the lineage used beside those of the previous capsule and of its own supersedes edges. */
  readonly carriedKeys?: ReadonlySet<string>;
  /** Where it is known, what decides which source was said later. */
  readonly recordOrder?: RecordOrder | undefined;
}

/**
 * Whether a capsule may follow the previous one, by the sources of what it replaces (contract section 5). All
 * failures are listed, each once, with the code and the key, id or digest it speaks of.
 */
export function validateContextSummaryTransition(
  summary: ContextSummary,
  previous: ContextSummary | undefined,
  sources: readonly ContextSummarySource[],
  options: TransitionOptions = {},
): Verdict {
  if (!isWellShaped(summary)) return { ok: false, failures: ["schema"] };
  const failures = new Set<string>();
  if (summary.generation !== (previous?.generation ?? 0) + 1) failures.add("generation");
  const byId = new Map<string, ContextSummarySource>();
  for (const source of sources) {
    if (byId.has(source.segmentId)) failures.add(`source_duplicate:${source.segmentId}`);
    else byId.set(source.segmentId, source);
  }
  const prior = new Map((previous?.anchors ?? []).map((anchor) => [anchor.key, anchor]));
  const fresh = summary.anchors.filter((anchor) => {
    const old = prior.get(anchor.key);
    return old === undefined || !sameAnchor(anchor, old);
  });
  checkFresh({ fresh, byId, usedKeys: usedKeys(previous, options.carriedKeys) }, failures);
  checkSupersedes(
    { fresh, summary, prior, byId, current: new CurrentSources(sources, options.recordOrder) },
    failures,
  );
  checkKept(summary, fresh, prior, failures);
  checkCovered(summary, sources, failures);
  checkCitations({ summary, previous, sources, left: options.left }, failures);
  return { ok: failures.size === 0, failures: [...failures] };
}

function isWellShaped(summary: ContextSummary): boolean {
  try {
    return fromWire(toWire(summary)) !== undefined;
  } catch {
    return false;
  }
}

/** Keys that no new anchor may take: those of the previous capsule and of every edge it carries. */
export function usedKeys(
  previous: ContextSummary | undefined,
  carriedKeys: ReadonlySet<string> = new Set(),
): Set<string> {
  const keys = new Set(carriedKeys);
  for (const anchor of previous?.anchors ?? []) {
    keys.add(anchor.key);
    for (const key of anchor.supersedes) keys.add(key);
  }
  return keys;
}

interface FreshAnchors {
  readonly fresh: readonly Anchor[];
  readonly byId: ReadonlyMap<string, ContextSummarySource>;
  readonly usedKeys: ReadonlySet<string>;
}

function checkFresh({ fresh, byId, usedKeys: used }: FreshAnchors, failures: Set<string>): void {
  const finders = new Map<ContextSummarySource, QuoteFinder>();
  for (const anchor of fresh) {
    const { key } = anchor;
    if (used.has(key)) failures.add(`anchor_key_reused:${key}`);
    const source = byId.get(anchor.sourceSegmentId);
    if (source === undefined) {
      failures.add(`anchor_source_missing:${key}`);
      continue;
    }
    if (source.digest !== anchor.sourceDigest) failures.add(`anchor_source_digest:${key}`);
    if (!isUserRole(source)) {
      if (anchor.critical) failures.add(`anchor_critical_untrusted:${key}`);
      continue;
    }
    const finder = finders.get(source) ?? new QuoteFinder(source.text);
    finders.set(source, finder);
    if (!finder.holds(anchor.text)) failures.add(`anchor_text_not_in_source:${key}`);
  }
}

interface Supersession {
  readonly fresh: readonly Anchor[];
  readonly summary: ContextSummary;
  readonly prior: ReadonlyMap<string, Anchor>;
  readonly byId: ReadonlyMap<string, ContextSummarySource>;
  readonly current: CurrentSources;
}

function checkSupersedes(context: Supersession, failures: Set<string>): void {
  const { fresh, summary, prior, byId, current } = context;
  const present = new Set(summary.anchors.map((anchor) => anchor.key));
  for (const anchor of fresh) {
    const source = byId.get(anchor.sourceSegmentId);
    for (const oldKey of anchor.supersedes) {
      const old = prior.get(oldKey);
      if (old === undefined || !old.critical || oldKey === anchor.key) {
        failures.add(`anchor_supersedes_unknown:${anchor.key}:${oldKey}`);
        continue;
      }
      const isGrounded =
        source !== undefined &&
        isUserRole(source) &&
        source.digest === anchor.sourceDigest &&
        current.isLaterThan(source, old);
      if (!anchor.critical || anchor.kind !== old.kind || !isGrounded) {
        failures.add(`anchor_supersedes_untrusted:${anchor.key}:${oldKey}`);
      }
      if (present.has(oldKey)) failures.add(`anchor_superseded_present:${anchor.key}:${oldKey}`);
    }
  }
}

function checkKept(
  summary: ContextSummary,
  fresh: readonly Anchor[],
  prior: ReadonlyMap<string, Anchor>,
  failures: Set<string>,
): void {
  const present = new Map(summary.anchors.map((anchor) => [anchor.key, anchor]));
  const superseded = new Set(fresh.flatMap((anchor) => anchor.supersedes));
  for (const [key, old] of prior) {
    if (!old.critical || superseded.has(key)) continue;
    const now = present.get(key);
    if (now === undefined || !sameAnchor(now, old)) failures.add(`critical_anchor_lost:${key}`);
  }
}

function checkCovered(
  summary: ContextSummary,
  sources: readonly ContextSummarySource[],
  failures: Set<string>,
): void {
  const cited = new Set(summary.anchors.map((anchor) => `${anchor.sourceDigest}${anchor.sourceSegmentId}`));
  for (const source of sources) {
    if (source.required && !cited.has(`${source.digest}${source.segmentId}`)) {
      failures.add(`source_required_uncovered:${source.segmentId}`);
    }
  }
}

interface CitationGround {
  readonly summary: ContextSummary;
  readonly previous: ContextSummary | undefined;
  readonly sources: readonly ContextSummarySource[];
  readonly left: ReadonlyMap<string, string> | undefined;
}

function checkCitations(ground: CitationGround, failures: Set<string>): void {
  const known = citableSegments(ground);
  for (const { digest, segmentId } of ground.summary.citations) {
    if (!known.has(`${digest}${segmentId}`)) failures.add(`citation_unknown:${digest}`);
  }
}

/** Digest and id, joined, of every segment that left before or leaves now, under its own digest. */
function citableSegments({ previous, sources, left }: CitationGround): Set<string> {
  const known = new Set<string>();
  const leftIds = new Set<string>();
  for (const [digest, segmentId] of left ?? []) {
    known.add(`${digest}${segmentId}`);
    leftIds.add(segmentId);
  }
  // `left` keeps one segment of several with the same bytes; the previous capsule may have cited another of them.
  for (const { digest, segmentId } of previous?.citations ?? []) {
    if (left === undefined || left.has(digest)) known.add(`${digest}${segmentId}`);
  }
  for (const [index, source] of sources.entries()) {
    if (!mayLeave(source) || leftIds.has(source.segmentId) || holdsEvicted(sources, index, leftIds)) continue;
    known.add(`${source.digest}${source.segmentId}`);
  }
  return known;
}

/** A tool message whose result was evicted says a citation in its place: its own digest names nothing stored. */
function holdsEvicted(
  sources: readonly ContextSummarySource[],
  index: number,
  leftIds: ReadonlySet<string>,
): boolean {
  const prefix = `${sources[index]?.segmentId}#`;
  for (let next = index + 1; sources[next]?.segmentId.startsWith(prefix); next++) {
    if (leftIds.has(sources[next]?.segmentId ?? "")) return true;
  }
  return false;
}
