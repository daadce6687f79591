import { BYTES_PER_TOKEN } from "../estimate.ts";
import { utf8Length } from "../utf8.ts";
import type { CapsuleDraft } from "./draft.ts";
import { renderDraft } from "./draft.ts";

export interface BoundedDraft {
  readonly draft: CapsuleDraft;
  /** List items that were left out. */
  readonly droppedItems: number;
}

/** The lists of a draft as they can be cut short, what the work needs least first. */
const LISTS: readonly {
  readonly of: (draft: CapsuleDraft) => readonly unknown[];
  readonly keep: (draft: CapsuleDraft, count: number) => CapsuleDraft;
}[] = [
  {
    of: (draft) => draft.lookupHints,
    keep: (draft, count) => ({ ...draft, lookupHints: draft.lookupHints.slice(0, count) }),
  },
  {
    of: (draft) => draft.citations,
    keep: (draft, count) => ({ ...draft, citations: draft.citations.slice(0, count) }),
  },
  {
    of: (draft) => draft.anchors.filter(({ critical }) => !critical),
    keep: (draft, count) => ({ ...draft, anchors: withoutLateQuotes(draft.anchors, count) }),
  },
  { of: (draft) => draft.facts, keep: (draft, count) => ({ ...draft, facts: draft.facts.slice(0, count) }) },
  {
    of: (draft) => draft.artifacts,
    keep: (draft, count) => ({ ...draft, artifacts: draft.artifacts.slice(0, count) }),
  },
  {
    of: (draft) => draft.decisions,
    keep: (draft, count) => ({ ...draft, decisions: draft.decisions.slice(0, count) }),
  },
  {
    of: (draft) => draft.constraintsRestated,
    keep: (draft, count) => ({ ...draft, constraintsRestated: draft.constraintsRestated.slice(0, count) }),
  },
  { of: (draft) => draft.next, keep: (draft, count) => ({ ...draft, next: draft.next.slice(0, count) }) },
  {
    of: (draft) => draft.state.blocked,
    keep: (draft, count) => withState(draft, { blocked: draft.state.blocked.slice(0, count) }),
  },
  {
    of: (draft) => draft.state.active,
    keep: (draft, count) => withState(draft, { active: draft.state.active.slice(0, count) }),
  },
  {
    of: (draft) => draft.state.completed,
    keep: (draft, count) => withState(draft, { completed: draft.state.completed.slice(0, count) }),
  },
];

/**
 * A draft of at most so many tokens (`summaryMaxTokens` bounds the draft, contract section 4): providers that cannot
 * cap a reply let a summarizer write as much as it likes. The ends of lists go, the least needed list first, since a
 * summarizer is told to put first what matters most. Objective and critical quotes stay; a draft of no more than
 * those may still be larger. The very draft comes back where it fits.
 */
export function boundDraft(draft: CapsuleDraft, maxTokens: number): BoundedDraft {
  const excessOf = (one: CapsuleDraft) => utf8Length(renderDraft(one)) - maxTokens * BYTES_PER_TOKEN;
  let bounded = draft;
  let excess = excessOf(draft);
  let droppedItems = 0;
  for (const { of, keep } of LISTS) {
    const items = of(bounded);
    let count = items.length;
    while (count > 0 && excess > 0) {
      // About as many as it takes; what that leaves is measured.
      while (count > 0 && excess > 0) {
        count -= 1;
        excess -= utf8Length(JSON.stringify(items[count])) + 1;
      }
      bounded = keep(bounded, count);
      excess = excessOf(bounded);
    }
    droppedItems += items.length - count;
  }
  return { draft: bounded, droppedItems };
}

function withState(draft: CapsuleDraft, changes: Partial<CapsuleDraft["state"]>): CapsuleDraft {
  return { ...draft, state: { ...draft.state, ...changes } };
}

/** Critical quotes, and the first so many of the others. */
function withoutLateQuotes(anchors: CapsuleDraft["anchors"], count: number): CapsuleDraft["anchors"] {
  let left = count;
  return anchors.filter(({ critical }) => critical || left-- > 0);
}
