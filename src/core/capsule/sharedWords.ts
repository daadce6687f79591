const WORD = /\S+/g;
const COMPARED_WORDS = 200;

/**
 * The longest run of words of a text that another text holds too, as an exact slice of the first; its first word
 * where they share none.
 */
export function sharedWords(text: string, other: string): string {
  const words = [...text.matchAll(WORD)].slice(0, COMPARED_WORDS);
  const others = (other.match(WORD) ?? []).slice(0, COMPARED_WORDS);
  let best = { start: 0, length: 0 };
  let before = new Array<number>(others.length + 1).fill(0);
  for (const [at, [word]] of words.entries()) {
    const lengths = new Array<number>(others.length + 1).fill(0);
    for (const [otherAt, otherWord] of others.entries()) {
      if (word !== otherWord) continue;
      const length = (before[otherAt] as number) + 1;
      lengths[otherAt + 1] = length;
      if (length > best.length) best = { start: at - length + 1, length };
    }
    before = lengths;
  }
  const first = words[best.start];
  const last = words[best.start + Math.max(best.length, 1) - 1];
  if (first === undefined || last === undefined) return text.trim();
  return text.slice(first.index, last.index + last[0].length);
}
