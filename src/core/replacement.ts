import type { CompletedDraft } from "./capsule/carry.ts";
import { completeDraft } from "./capsule/carry.ts";
import type { ContextSummary } from "./capsule/contextSummary.ts";
import type { CapsuleDraft } from "./capsule/draft.ts";
import { summaryMessage } from "./capsule/summaryMessage.ts";
import type { Message } from "./messages.ts";
import { textOf } from "./messages.ts";
import type { SummaryStep } from "./summaryStep.ts";

export type Completed = Extract<CompletedDraft, { ok: true }>;

/** A capsule made of a draft, and the context with it in the place of what leaves. */
export interface ReplacementCandidate {
  readonly completed: Completed;
  readonly capsuleText: string;
  readonly after: readonly Message[];
  /** List items of the draft beyond its bound, which were left out. */
  readonly droppedItems?: number;
}

interface CandidateInput {
  readonly step: SummaryStep;
  readonly draft: CapsuleDraft;
  readonly previous: ContextSummary | undefined;
  readonly left: ReadonlyMap<string, string>;
  readonly statementIds: ReadonlySet<string>;
  readonly ceilingTokens: number;
  readonly capsuleId: (generation: number) => string;
  readonly messageNumber: (segmentId: string) => number | undefined;
}

/** Undefined: more commitments than one capsule holds. */
export function replacementCandidate(input: CandidateInput): ReplacementCandidate | undefined {
  const { step, draft, previous, left, statementIds, ceilingTokens } = input;
  const { sources } = step;
  const completed = completeDraft({
    draft,
    previous,
    sources,
    left,
    ceilingTokens,
    commitmentIds: statementIds,
    recordOrder: input.messageNumber,
  });
  if (!completed.ok) return undefined;
  const capsule = summaryMessage(completed.summary, {
    id: input.capsuleId(completed.summary.generation),
    messageNumber: input.messageNumber,
  });
  const { system, held, tail } = step.partition;
  return { completed, capsuleText: textOf(capsule), after: [...system, ...held, capsule, ...tail] };
}
