import { utf8Length } from "../utf8.ts";
import type { Citation, ContextSummary, ContextSummarySource } from "./contextSummary.ts";
import { headOf } from "./coverage.ts";
import type { CapsuleDraft } from "./draft.ts";
import { HISTORY_OUTPUT_BYTES } from "./renderHistory.ts";
import { leavingSegments } from "./sources.ts";
import { LIMITS } from "./wireSchema.ts";

/** Citations and artifacts may each take this share of the ceiling. */
const REFERENCE_SHARE_OF_CEILING = 1 / 16;
const BYTES_PER_TOKEN = 4;
const WHAT_CHARACTERS = 200;

export interface ReferenceInput {
  readonly draft: CapsuleDraft;
  readonly previous: ContextSummary | undefined;
  readonly sources: readonly ContextSummarySource[];
  /** Digest → segment id of all that left before; see `TransitionOptions`. */
  readonly left: ReadonlyMap<string, string> | undefined;
  readonly ceilingTokens: number;
}

export interface References {
  readonly citations: readonly Citation[];
  readonly artifacts: readonly { readonly path: string; readonly change: string }[];
  readonly facts: readonly string[];
}

/** The newest citations and artifacts, and the facts with one more that counts those that found no room. */
export function carryReferences(input: ReferenceInput): References {
  const { draft, previous, ceilingTokens } = input;
  const budget = ceilingTokens * REFERENCE_SHARE_OF_CEILING;
  const citations = newest(allCitations(input), budget);
  const artifacts = newest(allArtifacts(draft, previous), budget);
  const earlier = leftOutBefore(previous);
  const facts = draft.facts.filter((fact) => !LEFT_OUT.test(fact));
  const citationCount = earlier.citations + citations.leftOut;
  const artifactCount = earlier.artifacts + artifacts.leftOut;
  if (citationCount + artifactCount > 0) {
    facts.splice(LIMITS.stringItems - 1);
    facts.push(leftOutFact(citationCount, artifactCount));
  }
  return { citations: citations.kept, artifacts: artifacts.kept, facts };
}

const LEFT_OUT =
  /^(\d{1,15}) older citations and (\d{1,15}) older artifacts are no longer listed; they stay searchable in the session\.$/;

function leftOutFact(citations: number, artifacts: number): string {
  return `${citations} older citations and ${artifacts} older artifacts are no longer listed; they stay searchable in the session.`;
}

function leftOutBefore(previous: ContextSummary | undefined): { citations: number; artifacts: number } {
  for (const fact of previous?.facts ?? []) {
    const match = LEFT_OUT.exec(fact);
    if (match !== null) return { citations: Number(match[1]), artifacts: Number(match[2]) };
  }
  return { citations: 0, artifacts: 0 };
}

function newest<T>(items: readonly T[], budgetTokens: number): { kept: T[]; leftOut: number } {
  let tokens = 0;
  let from = items.length;
  while (from > 0 && items.length - from < LIMITS.objectItems) {
    tokens += Math.ceil(utf8Length(JSON.stringify(items[from - 1])) / BYTES_PER_TOKEN);
    if (tokens > budgetTokens) break;
    from--;
  }
  return { kept: items.slice(from), leftOut: from };
}

/** Oldest first; a path stands once, with its newest change. */
function allArtifacts(draft: CapsuleDraft, previous: ContextSummary | undefined) {
  const byPath = new Map<string, { readonly path: string; readonly change: string }>();
  for (const artifact of [...(previous?.artifacts ?? []), ...draft.artifacts]) {
    byPath.delete(artifact.path);
    byPath.set(artifact.path, artifact);
  }
  return [...byPath.values()];
}

/** Oldest first, one for each digest: prior ones, then what leaves now and is large, evicted or cited by the draft. */
function allCitations({ draft, previous, sources, left }: ReferenceInput): Citation[] {
  const known = new Map(left);
  if (left === undefined) {
    for (const { digest, segmentId } of previous?.citations ?? []) known.set(digest, segmentId);
  }
  const evictedIds = new Set(left?.values());
  const leaving = leavingSegments(sources, left ?? new Map());
  for (const [segmentId, digest] of leaving) if (!known.has(digest)) known.set(digest, segmentId);

  const citations = new Map<string, Citation>();
  const cite = (digest: string, what: string) => {
    const segmentId = known.get(digest);
    if (segmentId === undefined || citations.has(digest)) return;
    citations.set(digest, { segmentId, digest, what: headOf(what, WHAT_CHARACTERS) });
  };
  for (const { digest, what } of previous?.citations ?? []) cite(digest, what);

  const wanted = new Map(draft.citations.map(({ segmentId, what }) => [segmentId, what]));
  spreadOverResults(wanted, sources);
  const leavingIds = new Set(leaving.map(([segmentId]) => segmentId));
  for (const [digest, segmentId] of known) {
    const what = wanted.get(segmentId);
    if (what !== undefined && !leavingIds.has(segmentId)) cite(digest, what);
  }
  const byId = new Map(sources.map((source) => [source.segmentId, source]));
  for (const [segmentId, digest] of leaving) {
    const source = byId.get(segmentId);
    if (source === undefined) continue;
    const what = wanted.get(segmentId) ?? ownWords(source, evictedIds);
    if (what !== undefined) cite(digest, what);
  }
  return [...citations.values()];
}

/** A draft that cites a whole tool message means its results, which are what leaves. */
function spreadOverResults(wanted: Map<string, string>, sources: readonly ContextSummarySource[]): void {
  for (const [index, source] of sources.entries()) {
    const what = source.role === "tool" ? wanted.get(source.segmentId) : undefined;
    if (what === undefined) continue;
    const prefix = `${source.segmentId}#`;
    for (let next = index + 1; sources[next]?.segmentId.startsWith(prefix); next++) {
      const resultId = sources[next]?.segmentId ?? "";
      if (!wanted.has(resultId)) wanted.set(resultId, what);
    }
  }
}

/** What code says of a segment worth a citation: one evicted before, or longer than a summarizer is shown whole. */
function ownWords(source: ContextSummarySource, evictedIds: ReadonlySet<string>): string | undefined {
  if (source.role !== "tool" && source.role !== "attachment") return undefined;
  const what = source.role === "tool" ? "tool result" : "attachment";
  if (evictedIds.has(source.segmentId)) return `${what}, evicted`;
  const bytes = utf8Length(source.text);
  return bytes <= HISTORY_OUTPUT_BYTES ? undefined : `${what}, ${bytes} bytes`;
}
