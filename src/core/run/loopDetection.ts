import type { ToolCallPart } from "../messages.ts";

/** The same call so many times … */
export const LOOP_CALLS = 3;
/** … within so many rounds is a loop (contract section 6). */
export const LOOP_ROUNDS = 8;

/** Remembers what the last rounds called. */
export class LoopDetection {
  readonly #rounds: string[][] = [];

  /** The calls of the next round; true where one of them closes a loop. */
  takesRound(calls: readonly Pick<ToolCallPart, "toolName" | "input">[]): boolean {
    const signatures = calls.map(signatureOf);
    this.#rounds.push(signatures);
    if (this.#rounds.length > LOOP_ROUNDS) this.#rounds.shift();
    const all = this.#rounds.flat();
    return signatures.some((signature) => all.filter((other) => other === signature).length >= LOOP_CALLS);
  }
}

/** The same for the same tool and the same input, in whatever order its fields stand. */
function signatureOf({ toolName, input }: Pick<ToolCallPart, "toolName" | "input">): string {
  return JSON.stringify([toolName, sorted(input)]);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([key, field]) => [key, sorted(field)]);
}
