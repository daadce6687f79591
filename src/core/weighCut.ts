import type { ContextIndex } from "./contextIndex.ts";
import type { HeldMessages } from "./heldMessages.ts";
import { pinsOfCut } from "./heldMessages.ts";
import type { Message } from "./messages.ts";
import type { Positions } from "./numberList.ts";
import type { FloorPart } from "./plan.ts";

/** What a cut is weighed on. */
export interface Scales {
  readonly messages: readonly Message[];
  readonly index: ContextIndex;
  readonly held: HeldMessages;
  readonly overheadTokens: number;
}

/** What a cut leaves and keeps, in estimated tokens. */
export interface CutWeight {
  readonly cut: number;
  readonly pinsOfCut: readonly number[];
  readonly leavingTokens: number;
  readonly leavingCount: number;
  /** The messages from the cut on, a capsule apart. */
  readonly tailTokens: number;
  /** All that stays, the overhead of the request included and every capsule apart. */
  readonly floorTokens: number;
}

export function weighCut(scales: Scales, cut: number): CutWeight {
  const { messages, index, held, overheadTokens } = scales;
  const pins = pinsOfCut(messages, index, held, cut);
  const before = (positions: Iterable<number>): Weight => weigh(index, positions, cut);
  const system = before(all(index.systems));
  const capsules = before(all(index.capsules));
  const standing = before([held.rootAt, ...held.pinsAt, ...pins]);
  const kept = system.tokens + standing.tokens;
  const leavingTokens = index.tokensBefore(cut) - kept - capsules.tokens;
  const allCapsules = weigh(index, all(index.capsules), index.length);
  const tailTokens =
    index.tokensBefore(index.length) - index.tokensBefore(cut) - (allCapsules.tokens - capsules.tokens);
  return {
    cut,
    pinsOfCut: pins,
    leavingTokens,
    leavingCount: cut - system.count - standing.count - capsules.count,
    tailTokens,
    floorTokens: overheadTokens + kept + tailTokens,
  };
}

/** The parts that `floorTokens` is the sum of, largest first. */
export function floorParts(scales: Scales, weight: CutWeight): FloorPart[] {
  const { messages, index, held, overheadTokens } = scales;
  const { cut, pinsOfCut: cutPins } = weight;
  const parts: FloorPart[] = [];
  const add = (what: FloorPart["what"], tokens: number, messageId?: string): void => {
    if (tokens > 0) parts.push(messageId === undefined ? { what, tokens } : { what, messageId, tokens });
  };
  const system = weigh(index, all(index.systems), index.length).tokens;
  const systemInTail = system - weigh(index, all(index.systems), cut).tokens;
  const images = index.imageTokensBefore(index.length) - index.imageTokensBefore(cut);
  add("system", system);
  add("tools", overheadTokens);
  if (held.rootAt >= 0 && held.rootAt < cut) {
    add("root", tokensAt(index, held.rootAt), messages[held.rootAt]?.id);
  }
  for (const at of [...held.pinsAt, ...cutPins]) {
    if (at < cut) add("pin", tokensAt(index, at), messages[at]?.id);
  }
  add("tail", weight.tailTokens - systemInTail - images);
  add("images", images);
  return parts.sort((a, b) => b.tokens - a.tokens);
}

/** Position of the largest message of the tail; -1 where the tail is empty. */
export function largestOfTail({ messages, index }: Scales, cut: number): number {
  let largest = -1;
  for (let at = cut; at < messages.length; at++) {
    const message = messages[at];
    if (message?.role === "system" || message?.kind === "capsule") continue;
    if (largest < 0 || tokensAt(index, at) > tokensAt(index, largest)) largest = at;
  }
  return largest;
}

export function capsuleTokens(index: ContextIndex): number {
  return weigh(index, all(index.capsules), index.length).tokens;
}

interface Weight {
  readonly count: number;
  readonly tokens: number;
}

/** Messages at these positions that stand before the cut. */
function weigh(index: ContextIndex, positions: Iterable<number>, cut: number): Weight {
  let count = 0;
  let tokens = 0;
  for (const at of positions) {
    if (at < 0 || at >= cut) continue;
    count++;
    tokens += tokensAt(index, at);
  }
  return { count, tokens };
}

function tokensAt(index: ContextIndex, at: number): number {
  return index.tokensBefore(at + 1) - index.tokensBefore(at);
}

function* all(positions: Positions): Iterable<number> {
  for (let i = 0; i < positions.length; i++) yield positions.at(i);
}
