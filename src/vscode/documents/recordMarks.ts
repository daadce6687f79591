import { l10n } from "vscode";
import type { Message } from "../../core/messages.ts";
import type { ContextState } from "../../core/projection.ts";
import type { EvictedPart } from "../../core/records.ts";
import type { MessageItem, TranscriptRecord } from "./transcriptRecord.ts";

/** What the context makes of each message of the record: in it, out of it, pinned, or on another branch. */
export class RecordMarks {
  #context: ContextState | undefined;
  /** Number of the tail's first message; messages from there on are sent as they are. */
  #tailNumber = 0;
  /** Messages before the tail that are sent all the same. */
  #heldIds: ReadonlySet<string> = new Set();
  /** Undefined while the record has one branch alone. */
  #branchIds: Set<string> | undefined;
  #branch: readonly Message[] | undefined;
  #branchSeen = 0;

  update(context: ContextState, record: TranscriptRecord): void {
    if (record.hasOtherBranches) this.#extendBranch(context.transcript);
    const before = this.#context;
    this.#context = context;
    // Only a new fold changes what stands before the tail, and a fold makes a new set of pins.
    if (before?.pinnedIds === context.pinnedIds && before.tailFrom === context.tailFrom) return;
    const held = new Set<string>();
    this.#tailNumber = 0;
    if (context.summary !== undefined) {
      const tail = context.tailFrom === undefined ? undefined : record.message(context.tailFrom);
      this.#tailNumber = tail?.number ?? Number.POSITIVE_INFINITY;
      for (const { id } of context.messages) {
        if (id === context.tailFrom) break;
        held.add(id);
      }
    }
    this.#heldIds = held;
  }

  #extendBranch(transcript: readonly Message[]): void {
    if (this.#branch !== transcript || this.#branchIds === undefined) {
      this.#branch = transcript;
      this.#branchIds = new Set();
      this.#branchSeen = 0;
    }
    for (; this.#branchSeen < transcript.length; this.#branchSeen += 1) {
      this.#branchIds.add((transcript[this.#branchSeen] as Message).id);
    }
  }

  evicted(segmentId: string): EvictedPart | undefined {
    return this.#context?.evicted.get(segmentId);
  }

  /** Whether the message is on the active branch. */
  isOnBranch(item: MessageItem): boolean {
    return this.#branchIds === undefined || this.#branchIds.has(item.message.id);
  }

  /** Whether the next request holds it, whole or with citations. */
  isSent(item: MessageItem): boolean {
    if (!this.isOnBranch(item)) return false;
    return item.number >= this.#tailNumber || this.#heldIds.has(item.message.id);
  }

  signature(item: MessageItem): string {
    const context = this.#context;
    if (context === undefined) return "";
    const { id } = item.message;
    let signature = this.isSent(item) ? "s" : this.isOnBranch(item) ? "-" : "b";
    if (context.rootId === id) signature += "r";
    if (context.pinnedIds.has(id)) signature += "p";
    if (context.evicted.size === 0) return signature;
    if (context.evicted.has(id)) signature += "e";
    for (const part of item.message.content) {
      if (part.type !== "tool-result") continue;
      signature += context.evicted.has(`${id}#${part.toolCallId}`) ? "e" : ".";
    }
    return signature;
  }

  words(item: MessageItem): string[] {
    const marks: string[] = [];
    const { id } = item.message;
    if (item.statement !== undefined) marks.push(l10n.t("stated by hand"));
    if (item.command !== undefined) marks.push(l10n.t("command"));
    if (this.#context?.rootId === id) marks.push(l10n.t("first request"));
    if (this.#context?.pinnedIds.has(id) === true) marks.push(l10n.t("pinned"));
    if (!this.isOnBranch(item)) marks.push(l10n.t("not on this branch"));
    else if (!this.isSent(item)) marks.push(l10n.t("summarized"));
    return marks;
  }
}
