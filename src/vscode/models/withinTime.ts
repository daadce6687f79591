import { systemClock } from "../systemClock.ts";

/** What a provider gives, or undefined where it does not in this time. Some never settle, cancelled or not. */
export async function withinTime<Value>(
  work: Thenable<Value>,
  timeoutMs: number,
): Promise<Value | undefined> {
  const stopWaiting = new AbortController();
  try {
    return await Promise.race([work, systemClock.delay(timeoutMs, stopWaiting.signal).then(() => undefined)]);
  } finally {
    stopWaiting.abort();
  }
}
