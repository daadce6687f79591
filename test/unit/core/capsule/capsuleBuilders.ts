import type {
  Anchor,
  ContextSummary,
  ContextSummarySource,
  SourceRole,
} from "../../../../src/core/capsule/contextSummary.ts";
import type { CapsuleDraft, DraftAnchor } from "../../../../src/core/capsule/draft.ts";
import { emptyDraft } from "../../../../src/core/capsule/draft.ts";
import { sha256Hex } from "../../../../src/core/digest.ts";

/** A source as `contextSummarySources` would list it; user sources are required unless said otherwise. */
export function source(
  segmentId: string,
  text: string,
  options: { role?: SourceRole; required?: boolean; stays?: true } = {},
): ContextSummarySource {
  const { role = "user", stays } = options;
  const required = options.required ?? (role === "user" && stays !== true && text.trim() !== "");
  return { segmentId, digest: sha256Hex(text), role, required, text, ...(stays ? { stays } : {}) };
}

/** An anchor that quotes the whole source. */
export function anchorOf(key: string, from: ContextSummarySource, more: Partial<Anchor> = {}): Anchor {
  return {
    key,
    kind: "fact",
    text: from.text,
    critical: false,
    sourceSegmentId: from.segmentId,
    sourceDigest: from.digest,
    supersedes: [],
    ...more,
  };
}

export function capsule(anchors: readonly Anchor[], more: Partial<ContextSummary> = {}): ContextSummary {
  return {
    schemaVersion: 2,
    generation: 1,
    ...emptyDraft("Port the parser."),
    citations: [],
    ...more,
    anchors: more.anchors ?? anchors,
  };
}

export function draft(anchors: readonly DraftAnchor[] = [], more: Partial<CapsuleDraft> = {}): CapsuleDraft {
  return { ...emptyDraft("Port the parser."), anchors, ...more };
}

export function quote(sourceSegmentId: string, text: string, more: Partial<DraftAnchor> = {}): DraftAnchor {
  return { kind: "constraint", text, critical: true, sourceSegmentId, supersedes: [], ...more };
}

/** A wire object that keeps to every rule, for tests that break one at a time. */
export function wireObject(more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    schema_version: 2,
    generation: 1,
    objective: "Port the parser.",
    constraints_restated: ["Keep Node 20."],
    decisions: [{ decision: "Use zod", why: "small" }],
    artifacts: [{ path: "src/a.ts", change: "created" }],
    facts: ["42 tests pass"],
    state: { completed: ["lexer"], active: ["parser"], blocked: [] },
    next: ["write the parser"],
    citations: [{ segment_id: "m2#c1", digest: "0".repeat(64), what: "test log" }],
    lookup_hints: ["src/a.ts"],
    anchors: [wireAnchor("a.1")],
    ...more,
  };
}

export function wireAnchor(key: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    key,
    kind: "constraint",
    text: "Never push to main.",
    critical: true,
    source_segment_id: "m1",
    source_digest: "a".repeat(64),
    supersedes: [],
    ...more,
  };
}
