import type { Replacement } from "../../../../src/core/capsule/accept.ts";
import { completeDraft } from "../../../../src/core/capsule/carry.ts";
import type { ContextSummary } from "../../../../src/core/capsule/contextSummary.ts";
import type { CapsuleDraft } from "../../../../src/core/capsule/draft.ts";
import { rootOf } from "../../../../src/core/capsule/root.ts";
import { contextSummarySources } from "../../../../src/core/capsule/sources.ts";
import { summaryMessage } from "../../../../src/core/capsule/summaryMessage.ts";
import { estimateContext } from "../../../../src/core/estimate.ts";
import type { Message } from "../../../../src/core/messages.ts";
import { textOf } from "../../../../src/core/messages.ts";
import { safeCut } from "../../../../src/core/safeCut.ts";

export interface ReplacementInput {
  readonly before: readonly Message[];
  readonly previous: ContextSummary | undefined;
  readonly pinnedIds: readonly string[];
  readonly draft: CapsuleDraft;
  /** Either the id of the tail's first message, or an index that `safeCut` makes legal. */
  readonly tailFrom?: string;
  readonly cut?: number;
}

/** What the ladder would propose for this draft: the completed capsule in the place of what leaves. */
export function replacementOf(
  input: ReplacementInput,
): Replacement & { readonly capsule: Message; readonly pinnedIds: readonly string[] } {
  const { before, previous, pinnedIds, draft } = input;
  const at =
    input.tailFrom === undefined
      ? safeCut(before, input.cut ?? before.length)
      : before.findIndex(({ id }) => id === input.tailFrom);
  const held = new Set([...pinnedIds, rootOf(before)?.id]);
  const isCapsule = (message: Message) => message.kind === "capsule";
  const kept = before.slice(0, at).filter((message) => message.role === "system" || held.has(message.id));
  const tail = before.slice(at).filter((message) => !isCapsule(message));
  const stays = new Set([...kept, ...tail].map(({ id }) => id));
  const completed = completeDraft({
    draft,
    previous,
    sources: contextSummarySources(before, { stays }),
    left: new Map(),
    ceilingTokens: 128_000,
  });
  if (!completed.ok) throw new Error(completed.code);
  const capsule = summaryMessage(completed.summary);
  return {
    before,
    after: [...kept, capsule, ...tail],
    summary: completed.summary,
    previous,
    left: new Map(),
    pinnedIds,
    tailFrom: before[at]?.id,
    measure: estimateContext,
    capsule,
  };
}

/** The text where it is not blank. */
export function spokenText(message: Message): string | undefined {
  const text = textOf(message);
  return text.trim() === "" ? undefined : text;
}
