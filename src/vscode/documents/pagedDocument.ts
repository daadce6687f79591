import { l10n } from "vscode";
import type { Slices } from "../slices.ts";
import type { DocumentPage, LinkPiece, Piece } from "./documentPage.ts";
import { PageBuilder } from "./documentPage.ts";
import type { Block, ItemSize } from "./pageLayout.ts";
import { PageLayout } from "./pageLayout.ts";

/** What a paged document is made of: items that are measured once and rendered when their page is shown. */
export interface PageSource {
  readonly length: number;
  size(item: number): ItemSize;
  render(page: PageBuilder, block: Block): void;
  /** Differs when the item would be rendered differently; cheap. */
  signature(item: number): string;
  /** Lines above the items of a page, without the links to other pages. */
  heading(page: number): readonly (readonly Piece[])[];
  /**
   * The last lines of the last page. What changes with every message belongs here: the editor replaces a text from
   * its first change to its last, and a cursor between them would jump.
   */
  end(): readonly string[];
  /** False where only the first page is ever shown, beside a page of another document. */
  readonly hasPages: boolean;
  /** Bytes that one part may take on a page. */
  readonly partLimitBytes: number;
}

/** A document of any length in pages of at most 512 kB. One page is rendered without looking at the others. */
export class PagedDocument {
  readonly #source: PageSource;
  readonly #layout: PageLayout;
  #growing: Promise<void> = Promise.resolve();

  constructor(source: PageSource) {
    this.#source = source;
    this.#layout = new PageLayout(source.partLimitBytes);
  }

  get pageCount(): number {
    return this.#layout.pageCount;
  }

  /** Measures the items that are new. */
  grow(slices: Slices): Promise<void> {
    const next = this.#growing.then(async () => {
      while (this.#layout.itemCount < this.#source.length) {
        this.#layout.add(this.#source.size(this.#layout.itemCount));
        const turn = slices.pause();
        if (turn !== undefined) await turn;
      }
    });
    this.#growing = next;
    return next;
  }

  /** Page on which an item begins, or on which a part of it stands; undefined before it was measured. */
  pageOf(item: number, part = 0): number | undefined {
    return this.#layout.pageOf(item, part);
  }

  /** Items that begin or go on on a page. */
  itemsOf(page: number): readonly number[] {
    return this.#layout.blocks(page).map(({ item }) => item);
  }

  /** Equal signatures, equal pages. */
  signature(page: number): string {
    const parts = [page < this.pageCount ? "more" : this.#source.end().join("\n")];
    for (const line of this.#source.heading(page)) parts.push(pieceText(line));
    for (const { item, partFrom } of this.#layout.blocks(page)) {
      parts.push(`${item}.${partFrom} ${this.#source.signature(item)}`);
    }
    return parts.join("\n");
  }

  async render(page: number, slices: Slices): Promise<DocumentPage> {
    const builder = new PageBuilder();
    for (const line of this.#source.heading(page)) builder.line(...line);
    this.#renderNavigation(builder, page);
    builder.line("");
    for (const block of this.#layout.blocks(page)) {
      this.#source.render(builder, block);
      const turn = slices.pause();
      if (turn !== undefined) await turn;
    }
    builder.endSection();
    if (page >= this.pageCount) builder.body(this.#source.end());
    this.#renderNavigation(builder, page);
    return builder.finish();
  }

  #renderNavigation(builder: PageBuilder, page: number): void {
    const links: Piece[] = [];
    if (!this.#source.hasPages) return;
    if (page > 1) links.push(this.#pageLink(page - 1, l10n.t("← page {0}", page - 1)));
    if (page < this.pageCount) {
      if (links.length > 0) links.push("   ");
      links.push(this.#pageLink(page + 1, l10n.t("page {0} →", page + 1)));
    }
    if (links.length > 0) builder.line(...links);
  }

  #pageLink(page: number, text: string): LinkPiece {
    return { text, target: { to: "page", page }, tooltip: l10n.t("Open page {0}", page) };
  }
}

/** What the pieces read as. */
export function pieceText(pieces: readonly Piece[]): string {
  return pieces.map((piece) => (typeof piece === "string" ? piece : piece.text)).join("");
}
