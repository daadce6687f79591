/** Where the words of our own context come from. */
import type { Anchor, ContextSummary } from "../../../src/core/capsule/contextSummary.ts";
import type { Message } from "../../../src/core/messages.ts";
import { isUserSource, textOf } from "../../../src/core/messages.ts";
import type { ContextText } from "./compactor.mts";
import { wordsOf } from "./compactor.mts";

export interface OwnContext {
  /** As sent now. */
  readonly messages: readonly Message[];
  readonly summary: ContextSummary | undefined;
  /** All that was ever said, by id. */
  readonly originals: ReadonlyMap<string, Message>;
}

export function contextText({ messages, summary, originals }: OwnContext): ContextText {
  const kept = messages.filter(
    (message) => JSON.stringify(originals.get(message.id)) === JSON.stringify(message),
  );
  const changed = messages.filter((message) => message.kind !== "capsule" && !kept.includes(message));
  const anchors = summary?.anchors ?? [];
  const quotes = anchors.filter((anchor) => isSaidEarlier(anchor, originals));
  const others = anchors.filter((anchor) => !quotes.includes(anchor));
  return {
    kept: kept.map(wordsOf),
    quoted: quotes.map(({ text }) => text),
    written: [
      ...changed.map(wordsOf),
      ...others.map(({ text }) => text),
      ...(summary === undefined ? [] : listsOf(summary)),
    ],
    policy: anchors.filter(({ critical }) => critical).map(({ text }) => text),
  };
}

/** No commitment, and word for word what the person said: all else counts as written. */
function isSaidEarlier(
  { critical, sourceSegmentId, text }: Anchor,
  originals: ReadonlyMap<string, Message>,
): boolean {
  const original = originals.get(sourceSegmentId);
  return !critical && original !== undefined && isUserSource(original) && textOf(original).includes(text);
}

/** Objective, constraints, decisions, artifacts, facts, state, next, citations, hints. */
function listsOf({ anchors: _anchors, ...lists }: ContextSummary): string[] {
  const texts: string[] = [];
  const collect = (value: unknown): void => {
    if (typeof value === "string") texts.push(value);
    else if (typeof value === "object" && value !== null)
      for (const one of Object.values(value)) collect(one);
  };
  collect(lists);
  return texts;
}
