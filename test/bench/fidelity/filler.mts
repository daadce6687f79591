/** Small talk, outputs and values that nobody can guess, from a seed. */
import type { SeededRandom } from "../../demo/sessions/seededRandom.mts";

const REQUESTS = [
  "Look at the layout of the ingestion module.",
  "Does the retry use jitter?",
  "Check the caching headers of the static route.",
  "Add a smoke test for the health endpoint.",
  "Rename that helper so that it says what it does.",
  "How did the load test go?",
  "Read the design of the webhooks again.",
  "Which version of the imaging package do we use?",
  "Is cache invalidation driven by events?",
  "See how often the webhook retries.",
] as const;

const LINES = [
  "src/ingest/reader: read and checked",
  "GET /health 200",
  "export const step = next(queue, options)",
  "ok - handles an empty batch",
  "cache: miss, filled from the store",
  "at processBatch (src/ingest/batch)",
  "warning: field is deprecated",
  "retry in backoff with jitter",
] as const;

const LEAST_LINES = 12;
const MOST_LINES = 110;

export const fillerRequest = (random: SeededRandom): string => random.pick(REQUESTS);

export function fillerOutput(random: SeededRandom): string {
  const count = random.between(LEAST_LINES, MOST_LINES);
  return Array.from({ length: count }, () => `${random.pick(LINES)} ${random.hex(6)}`).join("\n");
}

/** Makers of values that no model can guess and no other text of a session holds. */
export function unguessable(random: SeededRandom) {
  const letters = (count: number): string =>
    Array.from({ length: count }, () => String.fromCharCode(97 + random.between(0, 25))).join("");
  const digits = (count: number): string =>
    Array.from({ length: count }, () => String(random.between(1, 9))).join("");
  const name = (count: number): string => {
    const text = letters(count);
    return text.charAt(0).toUpperCase() + text.slice(1);
  };
  return {
    word: (): string => letters(8),
    code: (): string => `${letters(5).toUpperCase()}-${digits(4)}`,
    person: (): string => `${name(6)} ${name(7)}`,
    number: (): string => digits(6),
    /** Dollars, whole. */
    amount: (): string => digits(5),
    date: (): string => `20${random.between(27, 89)}-0${random.between(1, 9)}-${random.between(10, 28)}`,
  };
}
