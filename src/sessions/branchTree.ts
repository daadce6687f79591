import type { ChainEntry, LogEntry } from "./entries.ts";
import { isChainEntry } from "./entries.ts";

/** Whether an entry becomes the head of its branch: what the next one follows. */
export function movesHead(entry: LogEntry): boolean {
  return isChainEntry(entry) || entry.type === "boundary";
}

/**
 * The branches of a log: each entry follows the head that stood when it was written, and a `branch` entry moves the
 * head. Made when a branch goes back to something outside the active one; then it grows by one step an entry.
 */
export class BranchTree {
  readonly #entries: LogEntry[] = [];
  /** Index of the entry that this one follows; -1 = the beginning. For entries that are no head: the head. */
  readonly #parents: number[] = [];
  readonly #indexById = new Map<string, number>();
  #head = -1;

  constructor(entries: readonly LogEntry[]) {
    for (const entry of entries) this.add(entry);
  }

  add(entry: LogEntry): void {
    const index = this.#entries.length;
    const before = this.#head;
    if (movesHead(entry)) this.#head = index;
    else if (entry.type === "branch") this.#head = this.#target(entry.from) ?? this.#head;
    this.#entries.push(entry);
    this.#parents.push(movesHead(entry) ? before : this.#head);
    this.#indexById.set(entry.id, index);
  }

  /** From the beginning, or the last boundary, to the entry; undefined where no such entry is. */
  pathTo(id: string | null): { readonly branch: ChainEntry[]; readonly headId: string | null } | undefined {
    const target = this.#target(id);
    if (target === undefined) return undefined;
    const branch: ChainEntry[] = [];
    for (let at = target; at !== -1; at = this.#parents[at] ?? -1) {
      const entry = this.#entries[at];
      if (entry === undefined || entry.type === "boundary") break;
      if (isChainEntry(entry)) branch.push(entry);
    }
    branch.reverse();
    return { branch, headId: target === -1 ? null : (this.#entries[target]?.id ?? null) };
  }

  /** An entry that never was a head stands for the head of its time. */
  #target(id: string | null): number | undefined {
    if (id === null) return -1;
    const index = this.#indexById.get(id);
    const entry = index === undefined ? undefined : this.#entries[index];
    if (index === undefined || entry === undefined) return undefined;
    return movesHead(entry) ? index : this.#parents[index];
  }
}
