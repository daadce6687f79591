import * as z from "zod/mini";
import type { AnchorKind } from "./contextSummary.ts";
import { deepFreeze } from "./deepFreeze.ts";
import { LIMITS, writtenAnchorFields, writtenCitationFields, writtenFields } from "./wireSchema.ts";

/** A quote that a summarizer offers. */
export interface DraftAnchor {
  readonly kind: AnchorKind;
  readonly text: string;
  readonly critical: boolean;
  readonly sourceSegmentId: string;
  /** Keys of prior commitments that it takes the place of. */
  readonly supersedes: readonly string[];
}

/**
 * What a summarizer writes: the wire shape without what code completes (schema version, generation, keys,
 * digests, all of which it may leave out or get wrong). Otherwise the limits of the wire shape hold.
 */
export interface CapsuleDraft {
  readonly objective: string;
  readonly constraintsRestated: readonly string[];
  readonly decisions: readonly { readonly decision: string; readonly why: string }[];
  readonly artifacts: readonly { readonly path: string; readonly change: string }[];
  readonly facts: readonly string[];
  readonly state: {
    readonly completed: readonly string[];
    readonly active: readonly string[];
    readonly blocked: readonly string[];
  };
  readonly next: readonly string[];
  readonly citations: readonly { readonly segmentId: string; readonly what: string }[];
  readonly lookupHints: readonly string[];
  readonly anchors: readonly DraftAnchor[];
}

const draftSchema = z.object({
  ...writtenFields,
  citations: z.array(z.object(writtenCitationFields)).check(z.maxLength(LIMITS.objectItems)),
  anchors: z.array(z.object(writtenAnchorFields)).check(z.maxLength(LIMITS.anchors)),
});

/** The least that a draft can say: what code carries then stands alone. */
export function emptyDraft(objective = "Continue the conversation."): CapsuleDraft {
  return deepFreeze({
    objective,
    constraintsRestated: [],
    decisions: [],
    artifacts: [],
    facts: [],
    state: { completed: [], active: [], blocked: [] },
    next: [],
    citations: [],
    lookupHints: [],
    anchors: [],
  });
}

/** The draft as wire JSON, as a summarizer would send it. */
export function renderDraft(draft: CapsuleDraft): string {
  return JSON.stringify({
    objective: draft.objective,
    constraints_restated: draft.constraintsRestated,
    decisions: draft.decisions,
    artifacts: draft.artifacts,
    facts: draft.facts,
    state: draft.state,
    next: draft.next,
    citations: draft.citations.map(({ segmentId, what }) => ({ segment_id: segmentId, what })),
    lookup_hints: draft.lookupHints,
    anchors: draft.anchors.map((anchor) => ({
      kind: anchor.kind,
      text: anchor.text,
      critical: anchor.critical,
      source_segment_id: anchor.sourceSegmentId,
      supersedes: anchor.supersedes,
    })),
  });
}

export type DraftResult =
  | { readonly ok: true; readonly draft: CapsuleDraft }
  /** `where`: path of the first field that breaks the shape, e.g. `anchors.3.kind`; no text of the reply. */
  | { readonly ok: false; readonly where: string };

/** Reads an untrusted value in the wire shape as a draft. Never throws. */
export function draftFromWire(value: unknown): DraftResult {
  const parsed = z.safeParse(draftSchema, value);
  if (!parsed.success) {
    const path = parsed.error.issues[0]?.path ?? [];
    return { ok: false, where: path.map(String).join(".") };
  }
  const wire = parsed.data;
  const draft: CapsuleDraft = {
    objective: wire.objective,
    constraintsRestated: wire.constraints_restated,
    decisions: wire.decisions,
    artifacts: wire.artifacts,
    facts: wire.facts,
    state: wire.state,
    next: wire.next,
    citations: wire.citations.map(({ segment_id, what }) => ({ segmentId: segment_id, what })),
    lookupHints: wire.lookup_hints,
    anchors: wire.anchors.map((anchor) => ({
      kind: anchor.kind,
      text: anchor.text,
      critical: anchor.critical,
      sourceSegmentId: anchor.source_segment_id,
      supersedes: anchor.supersedes ?? [],
    })),
  };
  return { ok: true, draft: deepFreeze(draft) };
}
