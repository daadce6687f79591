/** Pages of a document: VS Code opens plain text of up to 512 kB within a few milliseconds. */
export const PAGE_LIMIT_BYTES = 512_000;
/** A page is full from here on; what stands above and below its messages has the rest. */
export const PAGE_TARGET_BYTES = 400_000;
/** Rendered bytes of one part; what is longer is shown by its beginning and end, and whole in a document of its own. */
export const PART_LIMIT_BYTES = 200_000;
/**
 * The same in documents that are made to be compared: VS Code draws every removed line, and what changed is to be seen.
 */
export const COMPARED_PART_LIMIT_BYTES = 2_000;
const BLOCKS_PER_PAGE = 4_000;

/** Consecutive parts of one item; an item has at least one. */
export interface Block {
  readonly item: number;
  readonly partFrom: number;
  /** Exclusive. */
  readonly partUntil: number;
}

export interface ItemSize {
  /** Upper bounds of rendered UTF-8 bytes. */
  readonly heading: number;
  readonly parts: readonly number[];
}

/** Which parts of which items stand on which page. Grows at its end; a block never moves to another page. */
export class PageLayout {
  readonly #blocks: Block[] = [];
  readonly #pageStarts: number[] = [0];
  readonly #firstBlocks: number[] = [];
  readonly #partLimitBytes: number;
  #pageBytes = 0;

  constructor(partLimitBytes: number) {
    this.#partLimitBytes = partLimitBytes;
  }

  get itemCount(): number {
    return this.#firstBlocks.length;
  }

  /** At least 1. */
  get pageCount(): number {
    return this.#pageStarts.length;
  }

  add(size: ItemSize): void {
    const item = this.#firstBlocks.length;
    this.#firstBlocks.push(this.#blocks.length);
    let partFrom = 0;
    let bytes = size.heading;
    for (let part = 0; part < size.parts.length; part += 1) {
      const partBytes = Math.min(size.parts[part] as number, this.#partLimitBytes);
      if (bytes + partBytes > PAGE_TARGET_BYTES && part > partFrom) {
        this.#addBlock({ item, partFrom, partUntil: part }, bytes);
        partFrom = part;
        bytes = size.heading;
      }
      bytes += partBytes;
    }
    this.#addBlock({ item, partFrom, partUntil: size.parts.length }, bytes);
  }

  #addBlock(block: Block, bytes: number): void {
    const start = this.#pageStarts.at(-1) as number;
    const onPage = this.#blocks.length - start;
    if (onPage > 0 && (this.#pageBytes + bytes > PAGE_TARGET_BYTES || onPage >= BLOCKS_PER_PAGE)) {
      this.#pageStarts.push(this.#blocks.length);
      this.#pageBytes = 0;
    }
    this.#pageBytes += bytes;
    this.#blocks.push(block);
  }

  /** Pages count from 1; none beyond the last. */
  blocks(page: number): readonly Block[] {
    const from = this.#pageStarts[page - 1];
    if (from === undefined) return [];
    return this.#blocks.slice(from, this.#pageStarts[page] ?? this.#blocks.length);
  }

  /** The page on which an item begins, or on which one of its parts stands. */
  pageOf(item: number, part = 0): number | undefined {
    let block = this.#firstBlocks[item];
    if (block === undefined) return undefined;
    const next = this.#firstBlocks[item + 1] ?? this.#blocks.length;
    while (block + 1 < next && part >= (this.#blocks[block] as Block).partUntil) block += 1;
    let low = 0;
    let high = this.#pageStarts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#pageStarts[middle] as number) <= block) low = middle;
      else high = middle - 1;
    }
    return low + 1;
  }
}
