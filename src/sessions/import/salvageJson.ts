/**
 * Reads a JSON document that is cut off: everything up to the last complete element of a list, with what is open
 * closed behind it. Gives the value and where the cut-off rest begins; undefined when not even one element is whole.
 */
export function salvageJson(text: string): { readonly value: unknown; readonly restAt: number } | undefined {
  const cut = lastCompleteElement(text);
  if (cut === undefined) return undefined;
  try {
    return { value: JSON.parse(text.slice(0, cut.at) + cut.closers), restAt: cut.at };
  } catch {
    return undefined;
  }
}

interface Cut {
  readonly at: number;
  readonly closers: string;
}

/**
 * Lists of objects only stand in the open: at depth 1, or at depth 2 below the document's own object. Elements deeper
 * down (parts of a message) are no place to cut, since half a message is none.
 */
const DEEPEST_LIST = 2;

function lastCompleteElement(text: string): Cut | undefined {
  const closers: string[] = [];
  let cut: Cut | undefined;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (character === '"') {
      const end = stringEnd(text, index);
      if (end < 0) return cut;
      index = end;
    } else if (character === "{" || character === "[") {
      closers.push(character === "{" ? "}" : "]");
    } else if (character === "}" || character === "]") {
      if (closers.pop() !== character) return cut;
      if (character === "}" && closers.at(-1) === "]" && closers.length <= DEEPEST_LIST) {
        cut = { at: index + 1, closers: closers.toReversed().join("") };
      }
    }
  }
  return cut;
}

/** Index of the quote that closes the string which begins at `start`, -1 when the text ends first. */
function stringEnd(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end >= 0) {
    let backslashes = 0;
    while (text[end - 1 - backslashes] === "\\") backslashes += 1;
    if (backslashes % 2 === 0) return end;
    end = text.indexOf('"', end + 1);
  }
  return -1;
}
