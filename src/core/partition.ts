import type { Message } from "./messages.ts";
import type { CompactionPlan } from "./plan.ts";

/** Where each message of a planned context goes, each list in record order. */
export interface Partition {
  readonly system: readonly Message[];
  /** Root and pins that stand before the tail. */
  readonly held: readonly Message[];
  /** What is summarized. */
  readonly leaving: readonly Message[];
  /** Capsules, wherever they stand: replaced, never tail. */
  readonly capsules: readonly Message[];
  readonly tail: readonly Message[];
}

/** Sorts the messages that a plan was made for. */
export function partitionContext(
  messages: readonly Message[],
  plan: Pick<CompactionPlan, "cut" | "rootId" | "pinnedIds">,
): Partition {
  const heldIds = new Set(plan.pinnedIds);
  if (plan.rootId !== undefined) heldIds.add(plan.rootId);
  const system: Message[] = [];
  const held: Message[] = [];
  const leaving: Message[] = [];
  const capsules: Message[] = [];
  const tail: Message[] = [];
  messages.forEach((message, at) => {
    if (message.kind === "capsule") capsules.push(message);
    else if (at >= plan.cut) tail.push(message);
    else if (message.role === "system") system.push(message);
    else if (heldIds.has(message.id)) held.push(message);
    else leaving.push(message);
  });
  return { system, held, leaving, capsules, tail };
}
