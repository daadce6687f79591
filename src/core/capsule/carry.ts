import type { PlacedAnchor } from "./anchorRoom.ts";
import { fitAnchors, MOST_CRITICAL_ANCHORS } from "./anchorRoom.ts";
import { carryReferences } from "./carryReferences.ts";
import type { Anchor, ContextSummary, ContextSummarySource } from "./contextSummary.ts";
import type { RecordOrder } from "./currentSource.ts";
import { deepFreeze } from "./deepFreeze.ts";
import type { CapsuleDraft } from "./draft.ts";
import type { NewAnchor } from "./newAnchors.ts";
import { newAnchors } from "./newAnchors.ts";
import { usedKeys } from "./transition.ts";

export interface CompleteDraftOptions {
  readonly draft: CapsuleDraft;
  readonly previous: ContextSummary | undefined;
  /** Sources of this transition in record order, the capsule's own among them; each id once. */
  readonly sources: readonly ContextSummarySource[];
  /** Digest → segment id of all that left this branch before; see `TransitionOptions`. */
  readonly left?: ReadonlyMap<string, string> | undefined;
  /** min(window, context budget), tokens. */
  readonly ceilingTokens: number;
  /** Ids of user sources that are statements of the person's hand: critical by construction. */
  readonly commitmentIds?: ReadonlySet<string> | undefined;
  /** Statement id → keys of prior commitments that it retires. */
  readonly handSupersedes?: ReadonlyMap<string, readonly string[]> | undefined;
  readonly carriedKeys?: ReadonlySet<string> | undefined;
  /** See `TransitionOptions`. */
  readonly recordOrder?: RecordOrder | undefined;
}

/** A prior commitment that this generation retires, and the exact user text that does. */
export interface RetiredAnchor {
  readonly key: string;
  readonly text: string;
  readonly byKey: string;
  readonly sentence: string;
}

export type CompletedDraft =
  | {
      readonly ok: true;
      readonly summary: ContextSummary;
      /** Quotes that stand in no source they could be taken from. */
      readonly droppedQuotes: number;
      /** Anchors that are not critical and found no room, prior ones and the draft's own. */
      readonly carriedOut: readonly Anchor[];
      readonly retired: readonly RetiredAnchor[];
    }
  | {
      readonly ok: false;
      /** `too_many_sources`: more leave at once than one capsule can quote; see `coverableSources`. */
      readonly code: "too_many_commitments" | "too_many_sources";
    };

/**
 * Carry by construction (contract section 4): the draft with everything that code answers for. Whatever the draft
 * says, the result follows the previous capsule by the rules of section 5. Never throws.
 */
export function completeDraft(options: CompleteDraftOptions): CompletedDraft {
  const { draft, previous, sources, left, ceilingTokens } = options;
  const generation = (previous?.generation ?? 0) + 1;
  const found = newAnchors({
    draft,
    previous,
    sources,
    commitmentIds: options.commitmentIds ?? new Set(),
    handSupersedes: options.handSupersedes ?? new Map(),
    recordOrder: options.recordOrder,
  });
  const fresh = withKeys(found.anchors, generation, usedKeys(previous, options.carriedKeys));
  const retired = retiredBy(fresh, previous);
  const retiredKeys = new Set(retired.map(({ key }) => key));
  const covered = new Set(sources.filter(({ required }) => required).map(({ segmentId }) => segmentId));
  const prior: PlacedAnchor[] = (previous?.anchors ?? [])
    .filter(({ key }) => !retiredKeys.has(key))
    .map((anchor) => ({ anchor, origin: covered.has(anchor.sourceSegmentId) ? "cover" : "prior" }));
  const all = [...prior, ...fresh];
  if (all.filter(({ anchor }) => anchor.critical).length > MOST_CRITICAL_ANCHORS) {
    return { ok: false, code: "too_many_commitments" };
  }
  const { kept, carriedOut, fits } = fitAnchors(all, ceilingTokens);
  if (!fits) return { ok: false, code: "too_many_sources" };
  const anchors = kept.map(({ anchor }) => anchor);
  const { citations, artifacts, facts } = carryReferences({ draft, previous, sources, left, ceilingTokens });
  const summary: ContextSummary = {
    schemaVersion: 2,
    generation,
    objective: draft.objective,
    constraintsRestated: [...draft.constraintsRestated],
    decisions: draft.decisions.map(({ decision, why }) => ({ decision, why })),
    artifacts: artifacts.map(({ path, change }) => ({ path, change })),
    facts,
    state: {
      completed: [...draft.state.completed],
      active: [...draft.state.active],
      blocked: [...draft.state.blocked],
    },
    next: [...draft.next],
    citations,
    lookupHints: [...draft.lookupHints],
    anchors: [...anchors.filter(({ critical }) => critical), ...anchors.filter(({ critical }) => !critical)],
  };
  return {
    ok: true,
    summary: deepFreeze(summary),
    droppedQuotes: found.droppedQuotes,
    carriedOut,
    retired,
  };
}

/** Keys such as `constraint.3.2`: kind, generation, number. None was ever used in the lineage. */
function withKeys(
  anchors: readonly NewAnchor[],
  generation: number,
  used: ReadonlySet<string>,
): PlacedAnchor[] {
  let number = 0;
  return anchors.map(({ kind, text, critical, source, supersedes, origin }) => {
    let key: string;
    do key = `${kind}.${generation}.${++number}`;
    while (used.has(key));
    const anchor: Anchor = {
      key,
      kind,
      text,
      critical,
      sourceSegmentId: source.segmentId,
      sourceDigest: source.digest,
      supersedes,
    };
    return { anchor, origin };
  });
}

function retiredBy(fresh: readonly PlacedAnchor[], previous: ContextSummary | undefined): RetiredAnchor[] {
  const texts = new Map((previous?.anchors ?? []).map(({ key, text }) => [key, text]));
  return fresh.flatMap(({ anchor }) =>
    anchor.supersedes.map((key) => ({
      key,
      text: texts.get(key) ?? "",
      byKey: anchor.key,
      sentence: anchor.text,
    })),
  );
}
