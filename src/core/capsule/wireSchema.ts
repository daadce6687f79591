import * as z from "zod/mini";
import type { ContextSummary } from "./contextSummary.ts";
import { ANCHOR_KINDS } from "./contextSummary.ts";
import { deepFreeze } from "./deepFreeze.ts";

/** Bounds of the wire shape (contract section 5). Characters are UTF-16 code units. */
export const LIMITS = Object.freeze({
  textCharacters: 8192,
  stringItems: 256,
  objectItems: 128,
  anchors: 128,
  supersedes: 32,
});

export const KEY_PATTERN = /^[A-Za-z0-9._:-]{1,128}$/;
const DIGEST_PATTERN = /^[0-9a-f]{64}$/;

const text = z.string().check(z.maxLength(LIMITS.textCharacters));
const nonBlankText = text.check(z.refine((value) => value.trim() !== "", "blank"));
const texts = z.array(text).check(z.maxLength(LIMITS.stringItems));
const digest = z.string().check(z.regex(DIGEST_PATTERN));
const key = z.string().check(z.regex(KEY_PATTERN));
const isUnique = (values: readonly string[]) => new Set(values).size === values.length;

/** Fields that a summarizer writes itself; the rest of the wire shape is completed by code. */
export const writtenFields = {
  objective: nonBlankText,
  constraints_restated: texts,
  decisions: z.array(z.object({ decision: text, why: text })).check(z.maxLength(LIMITS.objectItems)),
  artifacts: z.array(z.object({ path: text, change: text })).check(z.maxLength(LIMITS.objectItems)),
  facts: texts,
  state: z.object({ completed: texts, active: texts, blocked: texts }),
  next: texts,
  lookup_hints: texts,
};

export const writtenCitationFields = { segment_id: z.string(), what: text };

export const writtenAnchorFields = {
  kind: z.enum(ANCHOR_KINDS),
  text: nonBlankText,
  critical: z.boolean(),
  source_segment_id: z.string(),
  supersedes: z.optional(
    z.array(key).check(z.maxLength(LIMITS.supersedes), z.refine(isUnique, "duplicate key")),
  ),
};

/** The complete wire shape. Unknown properties are dropped. */
export const wireSchema = z.object({
  schema_version: z.literal(2),
  generation: z.int().check(z.positive()),
  ...writtenFields,
  citations: z.array(z.object({ ...writtenCitationFields, digest })).check(z.maxLength(LIMITS.objectItems)),
  anchors: z.array(z.object({ key, ...writtenAnchorFields, source_digest: digest })).check(
    z.maxLength(LIMITS.anchors),
    z.refine((anchors) => isUnique(anchors.map((anchor) => anchor.key)), "duplicate key"),
  ),
});

export type WireSummary = z.infer<typeof wireSchema>;

/** The wire shape of a capsule, keys always in the same order, unknown properties left out. */
export function toWire(summary: ContextSummary): WireSummary {
  return {
    schema_version: summary.schemaVersion,
    generation: summary.generation,
    objective: summary.objective,
    constraints_restated: [...summary.constraintsRestated],
    decisions: summary.decisions.map(({ decision, why }) => ({ decision, why })),
    artifacts: summary.artifacts.map(({ path, change }) => ({ path, change })),
    facts: [...summary.facts],
    state: {
      completed: [...summary.state.completed],
      active: [...summary.state.active],
      blocked: [...summary.state.blocked],
    },
    next: [...summary.next],
    citations: summary.citations.map(({ segmentId, digest: sha256, what }) => ({
      segment_id: segmentId,
      digest: sha256,
      what,
    })),
    lookup_hints: [...summary.lookupHints],
    anchors: summary.anchors.map((anchor) => ({
      key: anchor.key,
      kind: anchor.kind,
      text: anchor.text,
      critical: anchor.critical,
      source_segment_id: anchor.sourceSegmentId,
      source_digest: anchor.sourceDigest,
      supersedes: [...anchor.supersedes],
    })),
  };
}

/** The deep-frozen capsule of an untrusted value; undefined where it breaks the schema. Never throws. */
export function fromWire(value: unknown): ContextSummary | undefined {
  const parsed = z.safeParse(wireSchema, value);
  if (!parsed.success) return undefined;
  const wire = parsed.data;
  return deepFreeze({
    schemaVersion: 2,
    generation: wire.generation,
    objective: wire.objective,
    constraintsRestated: wire.constraints_restated,
    decisions: wire.decisions,
    artifacts: wire.artifacts,
    facts: wire.facts,
    state: wire.state,
    next: wire.next,
    citations: wire.citations.map((citation) => ({
      segmentId: citation.segment_id,
      digest: citation.digest,
      what: citation.what,
    })),
    lookupHints: wire.lookup_hints,
    anchors: wire.anchors.map((anchor) => ({
      key: anchor.key,
      kind: anchor.kind,
      text: anchor.text,
      critical: anchor.critical,
      sourceSegmentId: anchor.source_segment_id,
      sourceDigest: anchor.source_digest,
      supersedes: anchor.supersedes ?? [],
    })),
  });
}
