import type { ContextIndex } from "./contextIndex.ts";
import { indexContext } from "./contextIndex.ts";
import { cutByTokens, cutByTurns } from "./cutForPolicy.ts";
import { effectiveLimits } from "./effectiveLimits.ts";
import { CompactionError } from "./errors.ts";
import { heldMessages } from "./heldMessages.ts";
import type { Message } from "./messages.ts";
import type { CompactionPlan, EffectiveLimits, Floor, PlanOptions } from "./plan.ts";
import { nextBoundary, unreadFrom } from "./rounds.ts";
import { safeCutIn } from "./safeCut.ts";
import { includeAttachments } from "./turns.ts";
import type { CutWeight, Scales } from "./weighCut.ts";
import { capsuleTokens, floorParts, largestOfTail, weighCut } from "./weighCut.ts";

/** A manual run that would compact less than this share of what could leave makes the turn floor yield. */
const MANUAL_LEAVING_SHARE = 0.5;

/**
 * What stays, what leaves and what cannot shrink (contract section 2). The cut is module A's rule with the
 * effective values, and never later than what no model has read yet. Where the turn floor would keep the
 * request at or above the trigger line (with room for a capsule) or leave a manual run too little, the tail is
 * chosen by tokens at a round boundary; a crossing round that alone keeps the request there leaves too, where
 * another one is left. With an index it costs a few binary searches and allocates nothing per message.
 *
 * Throws `invalid_options` for options that cannot work; every other outcome is a plan.
 */
export function planCompaction(messages: readonly Message[], options: PlanOptions): CompactionPlan {
  const limits = effectiveLimits(options);
  const index = indexOf(messages, options);
  const scales: Scales = {
    messages,
    index,
    held: heldMessages(messages, index, options),
    overheadTokens: notNegative("overheadTokens", options.overheadTokens ?? 0),
  };
  const scale = notNegative("tokensPerEstimate", options.tokensPerEstimate ?? 1);
  const { cut, yielded } = chooseCut(scales, { ...options, ...limits, scale });
  const { rootAt, pinsAt } = scales.held;
  const pins = [...pinsAt, ...cut.pinsOfCut].sort((a, b) => a - b);
  const idAt = (at: number): string => messages[at]?.id ?? "";
  return {
    effective: { ...limits, turnFloorYielded: yielded },
    cut: cut.cut,
    tailFrom: tailFrom(messages, cut.cut),
    rootId: messages[rootAt]?.id,
    pinnedIds: pins.map(idAt),
    cutPinIds: cut.pinsOfCut.map(idAt),
    totalTokens: index.tokensBefore(index.length) + scales.overheadTokens,
    tailTokens: cut.tailTokens,
    leavingTokens: cut.leavingTokens,
    leavingCount: cut.leavingCount,
    floor: floorOf(scales, cut, cut.floorTokens * scale >= limits.ceiling),
  };
}

interface CutChoice extends Omit<EffectiveLimits, "turnFloorYielded"> {
  readonly trigger: PlanOptions["trigger"];
  readonly scale: number;
}

function chooseCut(
  scales: Scales,
  choice: CutChoice,
): { cut: CutWeight; yielded: EffectiveLimits["turnFloorYielded"] } {
  const { messages, index } = scales;
  const latest = unreadFrom(index);
  const settle = (requested: number): number =>
    includeAttachments(messages, safeCutIn(index, Math.min(requested, latest)));
  const capsuleRoom = Math.max(choice.summaryMaxTokens, capsuleTokens(index));
  const staysOver = (weight: CutWeight): boolean =>
    (weight.floorTokens + capsuleRoom) * choice.scale >= choice.triggerLine;

  const byTokens = cutByTokens(index, choice.keepRecentTokens);
  const byTurns = cutByTurns(index, choice.keepRecentTurns);
  const kept = weighCut(scales, settle(Math.min(byTokens, byTurns)));
  const reason = staysOver(kept)
    ? "over_trigger_line"
    : choice.trigger === "manual" && leavesTooLittle(scales, kept, settle(index.length))
      ? "less_than_half_to_compact"
      : "no";
  if (reason === "no") return { cut: kept, yielded: "no" };

  let cut = weighCut(scales, settle(byTokens));
  if (staysOver(cut)) cut = weighCut(scales, cutAfterCrossing(index, { cut: cut.cut, latest, settle }));
  return { cut, yielded: cut.cut > settle(byTurns) ? reason : "no" };
}

/**
 * The cut behind the round that a cut begins with, where something is left then. Attachments are not parted
 * from their request, so that more than one boundary may be tried.
 */
function cutAfterCrossing(
  index: ContextIndex,
  { cut, latest, settle }: { cut: number; latest: number; settle: (requested: number) => number },
): number {
  const end = Math.min(latest, index.length - 1);
  for (let next = nextBoundary(index, cut); next <= end; next = nextBoundary(index, next)) {
    const shorter = settle(next);
    if (shorter > cut) return shorter;
  }
  return cut;
}

function leavesTooLittle(scales: Scales, kept: CutWeight, latestCut: number): boolean {
  return kept.leavingTokens < weighCut(scales, latestCut).leavingTokens * MANUAL_LEAVING_SHARE;
}

function floorOf(scales: Scales, cut: CutWeight, reachesCeiling: boolean): Floor {
  const parts = floorParts(scales, cut);
  const largest = reachesCeiling ? scales.messages[largestOfTail(scales, cut.cut)] : undefined;
  return {
    tokens: cut.floorTokens,
    parts:
      largest === undefined
        ? parts
        : parts.map((part) => (part.what === "tail" ? { ...part, messageId: largest.id } : part)),
    reachesCeiling,
  };
}

function tailFrom(messages: readonly Message[], cut: number): string | undefined {
  let at = cut;
  while (messages[at]?.kind === "capsule") at++;
  return messages[at]?.id;
}

function indexOf(messages: readonly Message[], { index }: PlanOptions): ContextIndex {
  if (index === undefined) return indexContext(messages);
  if (index.length === messages.length) return index;
  throw new CompactionError(
    "invalid_options",
    `The index covers ${index.length} messages and the context has ${messages.length}; index this context.`,
  );
}

function notNegative(name: string, value: number): number {
  if (Number.isFinite(value) && value >= 0) return value;
  throw new CompactionError("invalid_options", `"${name}" is ${value}; give a number that is not negative.`);
}
