/** The capsule (contract section 5): the typed summary, deep-frozen, camelCase here and snake_case on the wire. */
export const CONTEXT_SUMMARY_SCHEMA = "cave.context-summary.v2";

export const ANCHOR_KINDS = [
  "objective",
  "constraint",
  "decision",
  "artifact",
  "fact",
  "blocker",
  "next",
] as const;

export type AnchorKind = (typeof ANCHOR_KINDS)[number];

/** An exact statement, tied to its source by id and SHA-256. A critical one is a commitment. */
export interface Anchor {
  /** `[A-Za-z0-9._:-]{1,128}`, unique in a lineage. */
  readonly key: string;
  readonly kind: AnchorKind;
  readonly text: string;
  readonly critical: boolean;
  readonly sourceSegmentId: string;
  /** 64 lower-case hex digits. */
  readonly sourceDigest: string;
  /** Keys of prior critical anchors that this one replaces. */
  readonly supersedes: readonly string[];
}

export interface Citation {
  readonly segmentId: string;
  readonly digest: string;
  readonly what: string;
}

export interface ContextSummary {
  readonly schemaVersion: 2;
  /** 1, 2, 3 … along a branch. */
  readonly generation: number;
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
  readonly citations: readonly Citation[];
  readonly lookupHints: readonly string[];
  readonly anchors: readonly Anchor[];
}

/** Who said it. Only `user` is a user source; a user-role message with a kind has that kind as its role. */
export type SourceRole = "system" | "user" | "assistant" | "tool" | "capsule" | "notice" | "attachment";

/** A segment that an anchor may cite. */
export interface ContextSummarySource {
  /** Message id, or `messageId#toolCallId` for one tool result. */
  readonly segmentId: string;
  /** SHA-256 of `text`, lower-case hex. */
  readonly digest: string;
  readonly role: SourceRole;
  /** A user source that leaves the context and has text: the capsule must cover it. */
  readonly required: boolean;
  readonly text: string;
  /** Present where the segment remains in the context: listed, never required, no ground for a citation. */
  readonly stays?: true;
}

export interface Verdict {
  readonly ok: boolean;
  /** Codes of contract section 5, e.g. `critical_anchor_lost:key`. */
  readonly failures: readonly string[];
}
