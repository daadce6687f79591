import { linkAbort, whenAborted } from "./abortLink.ts";
import type { AbortSignalLike, ChatModel, Clock } from "./model.ts";
import { utf8Length } from "./utf8.ts";

/** A counter that has not answered in this time does not count. */
export const COUNT_TIMEOUT_MS = 5000;
/** A count under this share of the bytes is not believed (contract section 9, kind 9). */
export const LEAST_TOKENS_PER_BYTE = 1 / 16;
/** Short texts prove nothing about a counter. */
const LEAST_BYTES_TO_DOUBT = 64;

/**
 * A model's own count of a text in tokens, whatever its counter does: undefined where it has none, throws, answers
 * with no number to believe, or not in time. A cancel ends the wait. Without a clock it is the caller who waits.
 */
export async function countText(
  model: ChatModel,
  text: string,
  { signal, clock }: { readonly signal: AbortSignalLike; readonly clock?: Clock },
): Promise<number | undefined> {
  if (model.countTokens === undefined || signal.aborted) return undefined;
  const link = linkAbort(signal);
  const stopped = whenAborted(link.signal);
  try {
    if (clock !== undefined) void clock.delay(COUNT_TIMEOUT_MS, link.signal).then(() => link.abort());
    const counted = await Promise.race([model.countTokens(text, link.signal), stopped.promise]);
    return typeof counted === "number" && isBelievable(counted, text) ? counted : undefined;
  } catch {
    return undefined;
  } finally {
    stopped.release();
    link.abort();
    link.release();
  }
}

function isBelievable(tokens: number, text: string): boolean {
  if (!Number.isFinite(tokens) || tokens <= 0) return false;
  const bytes = utf8Length(text);
  return bytes < LEAST_BYTES_TO_DOUBT || tokens >= bytes * LEAST_TOKENS_PER_BYTE;
}
