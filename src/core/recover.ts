import { sha256Hex } from "./digest.ts";
import { CompactionError } from "./errors.ts";

/** Reads a stored text by its digest; undefined where nothing is stored under it. */
export type ReadStored = (digest: string) => string | undefined | Promise<string | undefined>;

/**
 * The evicted text with this digest, after checking it. Throws `not_stored` where it is gone and `altered_bytes`
 * where it is no longer what was evicted; whatever `read` throws goes through.
 */
export async function recover(digest: string, read: ReadStored): Promise<string> {
  return checkRecovered(digest, await read(digest));
}

/** `recover` for a text already read. */
export function checkRecovered(digest: string, text: string | undefined): string {
  if (text === undefined) {
    throw new CompactionError("not_stored", `Nothing is stored under SHA-256 ${digest}.`);
  }
  const actual = sha256Hex(text);
  if (actual === digest) return text;
  throw new CompactionError(
    "altered_bytes",
    `The text stored under SHA-256 ${digest} was altered: its SHA-256 is ${actual}. It is not used.`,
  );
}
