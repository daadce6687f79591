import type { CommandId } from "../contributions.ts";

/** Where a link inside a document leads. */
export type DocumentTarget =
  | { readonly to: "message"; readonly messageId: string }
  | { readonly to: "original"; readonly segmentId: string }
  | { readonly to: "part"; readonly messageId: string; readonly part: number }
  | { readonly to: "generation"; readonly messageId: string }
  | { readonly to: "receipt"; readonly runId: string }
  | { readonly to: "page"; readonly page: number }
  | { readonly to: "command"; readonly command: CommandId };

export interface DocumentLink {
  /** Line and UTF-16 columns, from 0. */
  readonly line: number;
  readonly from: number;
  readonly until: number;
  readonly target: DocumentTarget;
  readonly tooltip: string;
}

/** A stretch of lines that the outline names and that can be folded. */
export interface DocumentSection {
  readonly name: string;
  readonly detail: string;
  readonly kind: "message" | "result" | "call" | "note" | "heading";
  readonly line: number;
  lastLine: number;
}

/** One document as it is shown, with what the editor needs to know about its lines. */
export interface DocumentPage {
  readonly text: string;
  readonly links: readonly DocumentLink[];
  readonly sections: readonly DocumentSection[];
  /** Message id → line. */
  readonly lines: ReadonlyMap<string, number>;
}

export interface LinkPiece {
  readonly text: string;
  readonly target: DocumentTarget;
  readonly tooltip: string;
}
export type Piece = string | LinkPiece;

/** Collects the lines of a document. Text from a chat goes through `body` or comes in as `field`s and `oneLine`s. */
export class PageBuilder {
  readonly #lines: string[] = [];
  readonly #links: DocumentLink[] = [];
  readonly #sections: DocumentSection[] = [];
  readonly #anchors = new Map<string, number>();
  #open: DocumentSection | undefined;

  get lineCount(): number {
    return this.#lines.length;
  }

  /** One line made of plain pieces and links. */
  line(...pieces: readonly Piece[]): void {
    let text = "";
    for (const piece of pieces) {
      if (typeof piece === "string") text += piece;
      else {
        const { target, tooltip } = piece;
        const from = text.length;
        text += piece.text;
        this.#links.push({ line: this.#lines.length, from, until: text.length, target, tooltip });
      }
    }
    this.#lines.push(text);
  }

  body(lines: readonly string[]): void {
    for (const line of lines) this.#lines.push(line);
  }

  /** A section begins with the next line; the one before it ends. */
  section(section: Pick<DocumentSection, "name" | "detail" | "kind">): void {
    this.endSection();
    this.#open = { ...section, line: this.#lines.length, lastLine: this.#lines.length };
    this.#sections.push(this.#open);
  }

  endSection(): void {
    if (this.#open === undefined) return;
    let last = this.#lines.length - 1;
    while (last > this.#open.line && this.#lines[last] === "") last -= 1;
    this.#open.lastLine = Math.max(last, this.#open.line);
    this.#open = undefined;
  }

  /** The next line is where this message begins, unless an earlier line is. */
  anchor(messageId: string): void {
    if (!this.#anchors.has(messageId)) this.#anchors.set(messageId, this.#lines.length);
  }

  finish(): DocumentPage {
    this.endSection();
    return {
      text: this.#lines.join("\n"),
      links: this.#links,
      sections: this.#sections,
      lines: this.#anchors,
    };
  }
}
