import type { ContextIndex } from "./contextIndex.ts";
import type { Message } from "./messages.ts";
import type { PlanOptions } from "./plan.ts";
import { wholeRound } from "./rounds.ts";
import { attachmentsOf, startsTurn } from "./turns.ts";

/** Positions of what stands word for word wherever the cut falls; system messages and capsules are not among them. */
export interface HeldMessages {
  /** -1 where there is no root. */
  readonly rootAt: number;
  /** Ascending, the root apart. */
  readonly pinsAt: readonly number[];
}

/** Root and pins of the person, each pin with the round it belongs to. */
export function heldMessages(
  messages: readonly Message[],
  index: ContextIndex,
  { rootId, pinnedIds }: Pick<PlanOptions, "rootId" | "pinnedIds">,
): HeldMessages {
  const given = typeof rootId === "string" ? index.positionOf(rootId) : -1;
  const isGiven = given >= 0 || rootId === null || index.turnStarts.length === 0;
  const rootAt = isGiven ? given : index.turnStarts.at(0);
  const positions = new Set<number>();
  for (const id of pinnedIds ?? []) {
    const position = index.positionOf(id);
    if (position < 0) continue;
    const { first, last } = wholeRound(index, position);
    for (let at = first; at <= last; at++) if (at !== rootAt && canBePinned(messages[at])) positions.add(at);
  }
  return { rootAt, pinsAt: [...positions].sort((a, b) => a - b) };
}

/**
 * What a cut pins by itself: the user message of the turn it divides and, when that is the newest turn, the
 * images attached to it. So the current request never leaves.
 */
export function pinsOfCut(
  messages: readonly Message[],
  index: ContextIndex,
  { rootAt, pinsAt }: HeldMessages,
  cut: number,
): readonly number[] {
  if (!dividesTurn(messages, cut)) return [];
  const turn = index.turnStarts.countBelow(cut) - 1;
  if (turn < 0) return [];
  const userAt = index.turnStarts.at(turn);
  const pins = [userAt];
  if (turn === index.turnStarts.length - 1) {
    attachmentsOf(messages, userAt).forEach((attachment, i, attachments) => {
      if (attachment.content.some((part) => part.type === "image"))
        pins.push(userAt - attachments.length + i);
    });
  }
  return pins.filter((at) => at !== rootAt && !pinsAt.includes(at)).sort((a, b) => a - b);
}

/** The first message from the cut on that was not injected neither starts a turn nor is missing. */
function dividesTurn(messages: readonly Message[], cut: number): boolean {
  let at = cut;
  while (messages[at]?.kind !== undefined) at++;
  const first = messages[at];
  return first !== undefined && !startsTurn(first);
}

function canBePinned(message: Message | undefined): boolean {
  return message !== undefined && message.role !== "system" && message.kind !== "capsule";
}
