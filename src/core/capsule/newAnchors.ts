import type { Anchor, AnchorKind, ContextSummary, ContextSummarySource } from "./contextSummary.ts";
import { coveragePieces, wholePieces } from "./coverage.ts";
import type { RecordOrder } from "./currentSource.ts";
import { CurrentSources } from "./currentSource.ts";
import type { CapsuleDraft, DraftAnchor } from "./draft.ts";
import { isFinishedRequest } from "./finishedRequest.ts";
import { collapse, QuoteFinder } from "./quote.ts";
import { isUserRole } from "./sources.ts";
import { LIMITS } from "./wireSchema.ts";

/** An anchor of this generation before it has a key. */
export interface NewAnchor {
  readonly source: ContextSummarySource;
  readonly text: string;
  kind: AnchorKind;
  critical: boolean;
  supersedes: string[];
  /**
   * `hand`: a statement of the person's; `cover`: what code quotes of a required source, `cover_end` the end of
   * a long one; `quote`: what the draft adds.
   */
  origin: "hand" | "cover" | "cover_end" | "quote";
}

export interface NewAnchorInput {
  readonly draft: CapsuleDraft;
  readonly previous: ContextSummary | undefined;
  readonly sources: readonly ContextSummarySource[];
  /** Statements of the person's hand: critical by construction. */
  readonly commitmentIds: ReadonlySet<string>;
  /** Statement id → keys of prior commitments that it retires. */
  readonly handSupersedes: ReadonlyMap<string, readonly string[]>;
  /** See `TransitionOptions`. */
  readonly recordOrder?: RecordOrder | undefined;
}

export interface NewAnchors {
  /** In the order of their sources. */
  readonly anchors: readonly NewAnchor[];
  /** Quotes of the draft that stand in no source they could be taken from. */
  readonly droppedQuotes: number;
}

/** The anchors of this generation: hand statements, coverage, and what of the draft's quotes is true. */
export function newAnchors(input: NewAnchorInput): NewAnchors {
  const { draft, sources, previous, commitmentIds, handSupersedes } = input;
  const collected = new Map<string, NewAnchor>();
  const prior = new Map((previous?.anchors ?? []).map((anchor) => [anchor.key, anchor]));
  for (const source of sources) {
    if (isUserRole(source) && commitmentIds.has(source.segmentId)) {
      const supersedes = [...(handSupersedes.get(source.segmentId) ?? [])];
      const kind = prior.get(supersedes[0] ?? "")?.kind ?? "constraint";
      for (const [index, text] of wholePieces(source.text).entries()) {
        const edges = index === 0 ? supersedes : [];
        add(collected, { source, text, kind, critical: true, supersedes: edges, origin: "hand" });
      }
    } else if (source.required) {
      for (const [index, text] of coveragePieces(source.text).entries()) {
        const origin = index === 0 ? "cover" : "cover_end";
        add(collected, { source, text, kind: "fact", critical: false, supersedes: [], origin });
      }
    }
  }
  const droppedQuotes = addQuotes(input, collected);
  for (const anchor of collected.values()) {
    if (anchor.origin === "hand" || !isFinishedRequest(anchor.text, draft.state.completed)) continue;
    anchor.kind = "fact";
    anchor.critical = false;
  }
  const current = new CurrentSources(sources, input.recordOrder);
  const retired = keepValidEdges(collected.values(), prior, current);
  const staying = [...prior.values()].filter((anchor) => !retired.has(anchor.key));
  const positions = new Map(sources.map((source, position) => [source, position]));
  const anchors = [...collected.values()]
    .filter((anchor) => !stoodBefore(anchor, staying))
    .sort((a, b) => (positions.get(a.source) ?? 0) - (positions.get(b.source) ?? 0));
  return { anchors, droppedQuotes };
}

function add(collected: Map<string, NewAnchor>, anchor: NewAnchor): void {
  const id = JSON.stringify([anchor.source.segmentId, anchor.text]);
  const same = collected.get(id);
  if (same === undefined) {
    collected.set(id, anchor);
    return;
  }
  if (same.origin === "hand") return;
  // The draft sets the kind of what code quoted; of two quotes the critical one does.
  if (!same.critical) same.kind = anchor.kind;
  same.critical ||= anchor.critical;
  same.supersedes = [...new Set([...same.supersedes, ...anchor.supersedes])].slice(0, LIMITS.supersedes);
}

function addQuotes(input: NewAnchorInput, collected: Map<string, NewAnchor>): number {
  const byId = new Map<string, ContextSummarySource>();
  for (const source of input.sources) {
    if (!byId.has(source.segmentId)) byId.set(source.segmentId, source);
  }
  const finders = new Map<ContextSummarySource, QuoteFinder>();
  let dropped = 0;
  for (const quote of input.draft.anchors) {
    const source = byId.get(quote.sourceSegmentId);
    // A capsule's words are carried as they are and never quoted again.
    const finder = source === undefined || source.role === "capsule" ? undefined : finderOf(finders, source);
    const text = finder?.find(quote.text);
    if (source === undefined || text === undefined || text.length > LIMITS.textCharacters) {
      if (!isRestated(quote, input.previous)) dropped++;
      continue;
    }
    const critical = quote.critical && isUserRole(source);
    const supersedes = critical ? [...quote.supersedes] : [];
    add(collected, { source, text, kind: quote.kind, critical, supersedes, origin: "quote" });
  }
  return dropped;
}

function finderOf(
  finders: Map<ContextSummarySource, QuoteFinder>,
  source: ContextSummarySource,
): QuoteFinder {
  const finder = finders.get(source) ?? new QuoteFinder(source.text);
  finders.set(source, finder);
  return finder;
}

/** A draft may repeat what is carried anyway; that is no lost quote. */
function isRestated(quote: DraftAnchor, previous: ContextSummary | undefined): boolean {
  const text = collapse(quote.text);
  return previous?.anchors.some((anchor) => collapse(anchor.text) === text) ?? false;
}

/** Drops every edge that section 5 would reject; each prior commitment is retired at most once. Gives the retired keys. */
function keepValidEdges(
  anchors: Iterable<NewAnchor>,
  prior: ReadonlyMap<string, Anchor>,
  current: CurrentSources,
): Set<string> {
  const retired = new Set<string>();
  for (const anchor of anchors) {
    anchor.supersedes = anchor.supersedes.filter((key) => {
      const old = prior.get(key);
      const isValid =
        old?.critical === true &&
        anchor.critical &&
        anchor.kind === old.kind &&
        !retired.has(key) &&
        current.isLaterThan(anchor.source, old);
      if (isValid) retired.add(key);
      return isValid;
    });
  }
  return retired;
}

/** A carried anchor is the same quote already, and nothing is raised or retired by saying it again. */
function stoodBefore(anchor: NewAnchor, carried: readonly Anchor[]): boolean {
  if (anchor.supersedes.length > 0) return false;
  for (const old of carried) {
    const isSame =
      old.sourceSegmentId === anchor.source.segmentId &&
      old.sourceDigest === anchor.source.digest &&
      old.text === anchor.text;
    if (isSame && (old.critical || !anchor.critical)) return true;
  }
  return false;
}
