import { collapse } from "./quote.ts";

const CLOSING_MARKS = /[\s.,;:!?…。！？]+$/u;
const CLOSE_ENOUGH = 0.5;

/**
 * Whether the text is one of the requests listed as completed: the same words but for case, white space and
 * closing marks, or one inside the other and at least half as long. A finished request must never read as an
 * instruction; a rule that a longer item merely mentions stays a rule.
 */
export function isFinishedRequest(text: string, completed: readonly string[]): boolean {
  const wanted = bare(text);
  if (wanted === "") return false;
  return completed.some((item) => {
    const done = bare(item);
    const [shorter, longer] = done.length < wanted.length ? [done, wanted] : [wanted, done];
    return shorter !== "" && shorter.length >= longer.length * CLOSE_ENOUGH && longer.includes(shorter);
  });
}

function bare(text: string): string {
  return collapse(text).toLowerCase().replace(CLOSING_MARKS, "");
}
