const FIRST_CAPACITY = 16;

/** Numbers in a typed array that grows by doubling: `push` in amortized constant time. */
export class NumberList {
  length = 0;
  #items = new Float64Array(FIRST_CAPACITY);

  push(value: number): void {
    if (this.length === this.#items.length) {
      const grown = new Float64Array(this.length * 2);
      grown.set(this.#items);
      this.#items = grown;
    }
    this.#items[this.length++] = value;
  }

  pop(): void {
    if (this.length > 0) this.length--;
  }

  /** NaN outside of the list. */
  at(i: number): number {
    return i >= 0 && i < this.length ? (this.#items[i] ?? Number.NaN) : Number.NaN;
  }

  /** How many items are below the value; the list must be ascending. */
  countBelow(value: number): number {
    let low = 0;
    let high = this.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.at(middle) < value) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Ascending positions in a context, to be read only. */
export type Positions = Pick<NumberList, "length" | "at" | "countBelow">;
