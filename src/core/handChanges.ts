import type { Message } from "./messages.ts";
import { capsuleMessage, firstKeptPosition, isRoot, positionOf } from "./projection.ts";
import type { BranchItem, CommitmentRecord, CompactionRecord } from "./records.ts";

/** Messages of the context that a change by the person's hand brought in and took out. */
export interface HandChange {
  readonly entered: readonly Message[];
  readonly left: readonly Message[];
}

interface Boundary {
  readonly runId: string;
  readonly firstKept: number;
  readonly heldIds: Set<string>;
  capsule: Message;
}

/**
 * What each change by the person's hand did to the context as it stood then, runs that were undone later included:
 * a projection knows only what stands now. Fed with the items of a branch in order.
 */
export class HandChanges {
  readonly #transcript: Message[] = [];
  readonly #pinnedIds = new Set<string>();
  #boundaries: Boundary[] = [];
  #rootId: string | undefined;

  /** The change that the item made, where it is one by hand. */
  add(item: BranchItem): HandChange | undefined {
    switch (item.type) {
      case "message":
        this.#transcript.push(item.message);
        if (item.command === undefined && isRoot(item.message)) this.#rootId ??= item.message.id;
        return undefined;
      case "compaction":
        this.#addBoundary(item.record);
        return undefined;
      case "undo":
        this.#boundaries = this.#boundaries.filter(({ runId }) => runId !== item.runId);
        return undefined;
      case "commitment":
        return this.#addCommitment(item.record);
      default:
        return undefined;
    }
  }

  #addBoundary(record: CompactionRecord): void {
    const firstKept = firstKeptPosition(record, this.#transcript);
    if (firstKept === undefined) return;
    const heldIds = new Set([...this.#pinnedIds, ...record.heldIds]);
    const capsule = capsuleMessage(record.runId, record.capsuleText);
    this.#boundaries.push({ runId: record.runId, firstKept, heldIds, capsule });
  }

  #addCommitment(record: CommitmentRecord): HandChange | undefined {
    const { action, messageId } = record;
    if (action === "unpin" && messageId !== undefined) this.#pinnedIds.delete(messageId);
    else if (action === "pin" && messageId !== undefined) return this.#pin(messageId);
    else if (record.text !== undefined) return this.#addStatement(record, record.text);
    return undefined;
  }

  /** A message that left comes back with its pin. */
  #pin(messageId: string): HandChange | undefined {
    this.#pinnedIds.add(messageId);
    const boundary = this.#boundaries.at(-1);
    const at = positionOf(messageId, this.#transcript);
    const message = at === undefined ? undefined : this.#transcript[at];
    if (boundary === undefined || at === undefined || message === undefined) return undefined;
    const stands =
      at >= boundary.firstKept ||
      message.role === "system" ||
      messageId === this.#rootId ||
      boundary.heldIds.has(messageId);
    boundary.heldIds.add(messageId);
    return stands ? undefined : { entered: [message], left: [] };
  }

  /** It stands by itself, or in the capsule that it changed. */
  #addStatement({ id, capsuleText }: CommitmentRecord, text: string): HandChange {
    const statement: Message = { id, role: "user", content: [{ type: "text", text }] };
    this.#transcript.push(statement);
    const boundary = this.#boundaries.at(-1);
    if (boundary === undefined || capsuleText === undefined) return { entered: [statement], left: [] };
    const replaced = boundary.capsule;
    boundary.capsule = capsuleMessage(id, capsuleText);
    return { entered: [boundary.capsule], left: [replaced] };
  }
}
