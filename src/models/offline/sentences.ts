const LONGEST_CHARACTERS = 600;
const FENCE = /^\s*(?:```|~~~)/;
const QUOTED_LINE = /^\s*>/;
/** Lines of a diff, a numbered listing or a terminal that were pasted in. */
const PASTED_LINE = /^\s*(?:[+-]\s*\d+\b|[+-]{3}\s|@@|\d+\s+[-+|]|\d+[:|]|[➜$%#]\s|at \S+ \()/u;
const SENTENCE_END = /(?<=[.!?…])["'”’)\]]*\s+(?=\S)|(?<=[。！？])/u;
const LIST_MARK = /^\s*(?:[-*+•]|\d{1,3}[.)])\s+/;

/**
 * The sentences that a person wrote, each an exact slice of the text without white space at its ends. Left out is
 * what the person only shows: fenced code, quoted and pasted lines, and lines too long to be anybody's sentence.
 */
export function sentencesOf(text: string): string[] {
  const sentences: string[] = [];
  let isInFence = false;
  for (const line of text.split(/\r\n|[\n\r]/)) {
    if (FENCE.test(line)) {
      isInFence = !isInFence;
      continue;
    }
    if (isInFence || QUOTED_LINE.test(line) || PASTED_LINE.test(line)) continue;
    for (const piece of line.replace(LIST_MARK, "").split(SENTENCE_END)) {
      const sentence = piece.trim();
      if (sentence !== "" && sentence.length <= LONGEST_CHARACTERS) sentences.push(sentence);
    }
  }
  return sentences;
}

/** The sentence without what it quotes: words inside quotation marks are somebody else's. */
export function withoutQuotes(sentence: string): string {
  return sentence.replace(/"[^"]*"|“[^”]*”|«[^»]*»|„[^“”]*[“”]|`[^`]*`|「[^」]*」/g, " ");
}
