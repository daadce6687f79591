import { PAGE_TARGET_BYTES } from "./pageLayout.ts";

const LOW_SURROGATES = [0xdc00, 0xdfff] as const;
/** A page ends behind a line where one ends in its last part. */
const LINE_SEARCH_UNITS = 20_000;

/**
 * Where the pages of a text begin, in UTF-16 units; together they are the text, unit for unit. No page is over the
 * target in UTF-8 bytes; no character and no CR LF is divided.
 */
export function textPageStarts(text: string, targetBytes = PAGE_TARGET_BYTES): number[] {
  const starts = [0];
  let bytes = 0;
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    const size = unitBytes(text.charCodeAt(at));
    if (bytes + size > targetBytes && at > start) {
      start = pageEnd(text, start, at);
      starts.push(start);
      at = start;
      bytes = 0;
    }
    bytes += unitBytes(text.charCodeAt(at));
  }
  return starts;
}

/** The text of a page, from 1. */
export function textPage(text: string, starts: readonly number[], page: number): string {
  return text.slice(starts[page - 1] ?? text.length, starts[page] ?? text.length);
}

function pageEnd(text: string, start: number, limit: number): number {
  const line = text.lastIndexOf("\n", limit - 1);
  if (line >= start && limit - line <= LINE_SEARCH_UNITS) return line + 1;
  let end = limit;
  const unit = text.charCodeAt(end);
  const insidePair = unit >= LOW_SURROGATES[0] && unit <= LOW_SURROGATES[1];
  if (insidePair || (unit === 0x0a && text.charCodeAt(end - 1) === 0x0d)) end -= 1;
  return end > start ? end : limit;
}

function unitBytes(unit: number): number {
  if (unit < 0x80) return 1;
  return unit < 0x800 ? 2 : 3;
}
