import type { Message } from "../messages.ts";
import { safeCut } from "../safeCut.ts";
import type { ContextSummary, ContextSummarySource, Verdict } from "./contextSummary.ts";
import type { RecordOrder } from "./currentSource.ts";
import { renderContextSummary } from "./render.ts";
import { rootOf } from "./root.ts";
import { sameValue } from "./sameValue.ts";
import { contextSummarySources } from "./sources.ts";
import { isCapsuleMessage, isMadeFrom, latestContextSummary } from "./summaryMessage.ts";
import { validateContextSummaryTransition } from "./transition.ts";

export interface Replacement {
  /** The context as it is: system, root, pins, the active capsule if there is one, and all that followed. */
  readonly before: readonly Message[];
  /** The context as it would be. */
  readonly after: readonly Message[];
  readonly summary: ContextSummary;
  /** The active capsule of this branch: the one that stands in `before`. */
  readonly previous: ContextSummary | undefined;
  /** Digest → segment id of all that left this branch before. */
  readonly left: ReadonlyMap<string, string>;
  readonly pinnedIds: Iterable<string>;
  /** Id in `before` of the tail's first message; undefined = the tail is empty. */
  readonly tailFrom: string | undefined;
  /** Tokens of a request; the same measure for both. */
  readonly measure: (messages: readonly Message[]) => number;
  /** The root, null where the branch has none. Default: the first user source in `before` that is no bare command. */
  readonly rootId?: string | null | undefined;
  /** User sources of this transition that are no messages of the context: statements of the person's hand. */
  readonly handSources?: readonly ContextSummarySource[];
  /** See `TransitionOptions`. */
  readonly carriedKeys?: ReadonlySet<string>;
  readonly recordOrder?: RecordOrder | undefined;
}

/** Every rule of contract section 5 for replacing the old part of a context by a capsule; all failures are listed. */
export function acceptReplacement(replacement: Replacement): Verdict {
  const { before, after, summary, previous, left, carriedKeys, recordOrder, measure } = replacement;
  const failures = new Set<string>();
  const frame = frameOf(replacement);
  checkCapsule(replacement, failures);
  checkHeld(replacement, frame, failures);
  checkTail(replacement, frame, failures);
  if (!(measure(after) < measure(before))) failures.add("not_smaller");

  const stays = new Set(after.map((message) => message.id));
  const sources = [...contextSummarySources(before, { stays }), ...(replacement.handSources ?? [])];
  const options = { left, recordOrder, ...(carriedKeys === undefined ? {} : { carriedKeys }) };
  const transition = validateContextSummaryTransition(summary, previous, sources, options);
  for (const failure of transition.failures) failures.add(failure);
  return { ok: failures.size === 0, failures: [...failures] };
}

/** What must stand in the new context, made from the old one alone. */
interface Frame {
  readonly rootId: string | null;
  /** System, root and pins before the tail, in record order. */
  readonly held: readonly Message[];
  readonly tail: readonly Message[];
  /** Position of the tail's first message in the old context; -1 where its id is not there. */
  readonly tailAt: number;
}

function frameOf({ before, pinnedIds, tailFrom, rootId }: Replacement): Frame {
  const root = rootId === undefined ? (rootOf(before)?.id ?? null) : rootId;
  const heldIds = new Set(pinnedIds);
  if (root !== null) heldIds.add(root);
  const tailAt =
    tailFrom === undefined ? before.length : before.findIndex((message) => message.id === tailFrom);
  const tailStart = tailAt < 0 ? before.length : tailAt;
  const held = before
    .slice(0, tailStart)
    .filter(
      (message) => !isCapsuleMessage(message) && (message.role === "system" || heldIds.has(message.id)),
    );
  const tail = before.slice(tailStart).filter((message) => !isCapsuleMessage(message));
  return { rootId: root, held, tail, tailAt };
}

function checkCapsule({ before, after, summary, previous }: Replacement, failures: Set<string>): void {
  const hasCapsule = before.some(isCapsuleMessage);
  const active = hasCapsule ? latestContextSummary(before) : undefined;
  if (hasCapsule !== (previous !== undefined) || !isSameSummary(active, previous)) failures.add("generation");
  const capsules = after.filter((message) => message.kind === "capsule");
  if (capsules.length !== 1) failures.add("capsule_count");
  const capsule = capsules[0];
  if (capsule !== undefined && !safely(() => isMadeFrom(capsule, summary))) failures.add("shape");
}

function isSameSummary(a: ContextSummary | undefined, b: ContextSummary | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return safely(() => renderContextSummary(a) === renderContextSummary(b));
}

/** A capsule that was never parsed may lack fields; that is a failed check here and `schema` beside it. */
function safely(check: () => boolean): boolean {
  try {
    return check();
  } catch {
    return false;
  }
}

function checkHeld(replacement: Replacement, frame: Frame, failures: Set<string>): void {
  const { before, after, pinnedIds } = replacement;
  const isSystem = (message: Message) => message.role === "system";
  if (!sameValue(before.filter(isSystem), after.filter(isSystem))) failures.add("system");
  const { rootId, held, tail } = frame;
  if (rootId !== null && !standsUnchanged(rootId, before, after)) failures.add("root_intent");
  for (const id of pinnedIds) {
    if (!standsUnchanged(id, before, after)) failures.add(`pinned_lost:${id}`);
  }
  const capsuleAt = after.findIndex((message) => message.kind === "capsule");
  const capsule = capsuleAt < 0 ? [] : after.slice(capsuleAt, capsuleAt + 1);
  const systemFirst = [...held.filter(isSystem), ...held.filter((message) => !isSystem(message))];
  const isInPlace = [held, systemFirst].some((order) => isInOrder([...order, ...capsule, ...tail], after));
  if (!isInPlace) failures.add("shape");
}

function isInOrder(expected: readonly Message[], found: readonly Message[]): boolean {
  return (
    expected.length === found.length &&
    expected.every((message, index) => isSameKindOfMessage(message, found[index]))
  );
}

function isSameKindOfMessage(expected: Message, found: Message | undefined): boolean {
  return expected.id === found?.id && expected.role === found.role && expected.kind === found.kind;
}

/** Exactly once in the new context, and word for word as in the old one. */
function standsUnchanged(id: string, before: readonly Message[], after: readonly Message[]): boolean {
  const old = before.find((message) => message.id === id);
  const now = after.filter((message) => message.id === id);
  return old !== undefined && now.length === 1 && sameValue(old, now[0]);
}

function checkTail({ before, after }: Replacement, { tail, tailAt }: Frame, failures: Set<string>): void {
  const isSelfContained = tailAt >= 0 && safeCut(before, tailAt) === tailAt;
  const now = tail.length === 0 ? [] : after.slice(-tail.length);
  if (!isSelfContained || !sameValue(tail, now)) failures.add("tail");
}
