import type { DraftBoundary, DraftMessage } from "./sessionDraft.ts";
import type { TimeSlices } from "./timeSlices.ts";

interface Node {
  readonly uuid: string;
  readonly parentUuid: string | undefined;
  readonly order: number;
  /** The line holds words that a person typed. */
  readonly typed: boolean;
  readonly drafts: readonly (DraftMessage | DraftBoundary)[];
}

/**
 * Which lines a person took back. Claude Code appends a rewritten prompt as a second child of the same parent and goes
 * on from there. Parallel calls, bad lines and old versions also leave lines off the straight way to the last one, so
 * only that shape counts: a typed line whose later typed sibling leads to the end of the file.
 */
export class ClaudeTree {
  readonly #nodes: Node[] = [];
  readonly #byUuid = new Map<string, Node>();
  readonly #ambiguous = new Set<string>();

  add(line: Omit<Node, "order">): void {
    const node: Node = { ...line, order: this.#nodes.length };
    this.#nodes.push(node);
    if (this.#byUuid.has(node.uuid)) this.#ambiguous.add(node.uuid);
    else this.#byUuid.set(node.uuid, node);
  }

  draftsOf(uuid: string): readonly (DraftMessage | DraftBoundary)[] {
    return this.#ambiguous.has(uuid) ? [] : (this.#byUuid.get(uuid)?.drafts ?? []);
  }

  /** What lies below a prompt that was taken back. */
  async rewound(slices: TimeSlices): Promise<(DraftMessage | DraftBoundary)[]> {
    const onPath = await this.#pathToLast(slices);
    const newestTypedChild = new Map<string, number>();
    for (const node of this.#nodes) {
      if (slices.isOver()) await slices.next();
      if (node.typed && onPath.has(node) && node.parentUuid !== undefined) {
        newestTypedChild.set(node.parentUuid, node.order);
      }
    }
    const gone = new Set<Node>();
    const drafts: (DraftMessage | DraftBoundary)[] = [];
    for (const node of this.#nodes) {
      if (slices.isOver()) await slices.next();
      if (onPath.has(node)) continue;
      const parent = this.#parentOf(node);
      if (parent === undefined) continue;
      const replacedBy = newestTypedChild.get(parent.uuid);
      const takenBack = node.typed && replacedBy !== undefined && replacedBy > node.order;
      if (!takenBack && !gone.has(parent)) continue;
      gone.add(node);
      drafts.push(...node.drafts);
    }
    return drafts;
  }

  /** Lines all of whose messages are outside the context. */
  countOutsideLines(): number {
    return this.#nodes.filter(
      ({ drafts }) => drafts.length > 0 && drafts.every(({ type }) => type === "outside"),
    ).length;
  }

  #parentOf(node: Node): Node | undefined {
    if (node.parentUuid === undefined || this.#ambiguous.has(node.parentUuid)) return undefined;
    return this.#byUuid.get(node.parentUuid);
  }

  async #pathToLast(slices: TimeSlices): Promise<Set<Node>> {
    const path = new Set<Node>();
    let node = this.#nodes.at(-1);
    while (node !== undefined && !path.has(node)) {
      path.add(node);
      if (slices.isOver()) await slices.next();
      node = this.#parentOf(node);
    }
    return path;
  }
}
