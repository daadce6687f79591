import { completeDraft } from "../../../../src/core/capsule/carry.ts";
import type { CapsuleDraft, DraftAnchor } from "../../../../src/core/capsule/draft.ts";
import { emptyDraft, renderDraft } from "../../../../src/core/capsule/draft.ts";
import { renderContextSummary } from "../../../../src/core/capsule/render.ts";
import type {
  ContextCompactionFixture,
  ContextCompactionRequest,
  ContextCompactionSummarizer,
} from "../../../../src/core/evidence/fixture.ts";
import { DEFAULT_CONTEXT_WINDOW } from "../../../../src/core/policy.ts";

/** The draft of a summarizer that knows what the fixture expects. */
export function perfectDraft(
  { rounds }: ContextCompactionFixture,
  { round, previous, sources }: ContextCompactionRequest,
): CapsuleDraft {
  const { expected = [], expectedRecoveryDigests = [] } = rounds[round - 1] ?? {};
  const held = new Set(previous?.anchors.filter(({ critical }) => critical).map(({ text }) => text));
  const wanted = new Set(expected.map(({ text }) => text));
  const retired = (previous?.anchors ?? []).filter(({ critical, text }) => critical && !wanted.has(text));
  const taken = new Set<string>();
  const anchors = expected.flatMap(({ kind, text, critical = false }): DraftAnchor[] => {
    const source = sources.findLast((one) => one.role === "user" && one.text.includes(text));
    if (held.has(text) || source === undefined) return [];
    const supersedes = retired
      .filter((old) => old.kind === kind && !taken.has(old.key))
      .map(({ key }) => key);
    for (const key of supersedes) taken.add(key);
    return [{ kind, text, critical, sourceSegmentId: source.segmentId, supersedes }];
  });
  const digests = new Set(expectedRecoveryDigests);
  const citations = sources
    .filter(
      ({ role, digest, segmentId }) => role === "tool" && digests.has(digest) && segmentId.includes("#"),
    )
    .map(({ segmentId }) => ({ segmentId, what: "an output worth keeping" }));
  return { ...emptyDraft("Go on with the work."), anchors, citations };
}

/** The complete capsule that such a summarizer writes by itself. */
export function whole(draft: CapsuleDraft, { previous, sources }: ContextCompactionRequest): string {
  const completed = completeDraft({ draft, previous, sources, ceilingTokens: DEFAULT_CONTEXT_WINDOW });
  if (!completed.ok) throw new Error(completed.code);
  return renderContextSummary(completed.summary);
}

export const perfect =
  (fixture: ContextCompactionFixture, completion: "none" | "code"): ContextCompactionSummarizer =>
  (request) => {
    const draft = perfectDraft(fixture, request);
    return completion === "code" ? renderDraft(draft) : whole(draft, request);
  };
