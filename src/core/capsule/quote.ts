const WHITE_SPACE_RUN = /\s+/g;

/** Runs of white space as one blank, none at the ends: how quotes and sources are compared. */
export function collapse(text: string): string {
  return text.replace(WHITE_SPACE_RUN, " ").trim();
}

/** Finds quotes in one text; give it all quotes of that text, since it prepares the text once. */
export class QuoteFinder {
  readonly #text: string;
  #collapsed: string | undefined;
  /** Position in the text of each unit of the collapsed text. */
  #positions: Uint32Array | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** Whether the text holds the quote, runs of white space compared as one. A blank quote is in no text. */
  holds(quote: string): boolean {
    const wanted = collapse(quote);
    return wanted !== "" && this.#collapsedText().includes(wanted);
  }

  /** The exact slice of the text that the quote names, without white space at its ends; undefined where none. */
  find(quote: string): string | undefined {
    const trimmed = quote.trim();
    if (trimmed === "") return undefined;
    if (this.#text.includes(trimmed)) return trimmed;
    const wanted = collapse(quote);
    const at = this.#collapsedText().indexOf(wanted);
    if (at < 0) return undefined;
    const positions = this.#positionsOfCollapsed();
    const start = positions[at] as number;
    const end = (positions[at + wanted.length - 1] as number) + 1;
    return this.#text.slice(start, end);
  }

  #collapsedText(): string {
    this.#collapsed ??= collapse(this.#text);
    return this.#collapsed;
  }

  #positionsOfCollapsed(): Uint32Array {
    if (this.#positions !== undefined) return this.#positions;
    const positions = new Uint32Array(this.#collapsedText().length);
    let at = 0;
    for (const word of this.#text.matchAll(/\S+/g)) {
      if (at > 0) positions[at++] = word.index - 1;
      for (let unit = 0; unit < word[0].length; unit++) positions[at++] = word.index + unit;
    }
    this.#positions = positions;
    return positions;
  }
}
