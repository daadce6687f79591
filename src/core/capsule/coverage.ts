import { LIMITS } from "./wireSchema.ts";

/** A required source of up to this many characters is quoted whole. */
export const WHOLE_SOURCE_CHARACTERS = 400;
/** Of a longer one its first and its last so many characters. */
export const SOURCE_END_CHARACTERS = 200;

/** The quotes that stand for a required source: the whole text, or its two ends. Blank ends are left out. */
export function coveragePieces(text: string): string[] {
  const trimmed = text.trim();
  if (trimmed.length <= WHOLE_SOURCE_CHARACTERS) return trimmed === "" ? [] : [trimmed];
  const last = trimmed.slice(wholePairFrom(trimmed, trimmed.length - SOURCE_END_CHARACTERS)).trim();
  return [headOf(trimmed, SOURCE_END_CHARACTERS), last];
}

/** The whole text in pieces that an anchor can hold: for statements of the person's hand. */
export function wholePieces(text: string): string[] {
  const pieces: string[] = [];
  for (let rest = text.trim(); rest !== ""; ) {
    const piece = headOf(rest, LIMITS.textCharacters);
    pieces.push(piece);
    rest = rest.slice(piece.length).trim();
  }
  return pieces;
}

/** The first characters of a text that starts with none that is blank; no surrogate pair is divided. */
export function headOf(text: string, characters: number): string {
  return text.slice(0, Math.min(text.length, wholePairUpTo(text, characters))).trim();
}

function wholePairUpTo(text: string, end: number): number {
  return dividesPair(text, end) ? end - 1 : end;
}

function wholePairFrom(text: string, start: number): number {
  return dividesPair(text, start) ? start + 1 : start;
}

function dividesPair(text: string, at: number): boolean {
  return at > 0 && at < text.length && (text.codePointAt(at - 1) as number) > 0xffff;
}
