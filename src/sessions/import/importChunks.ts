import type { ImportInput } from "./importedSession.ts";

/** The person cancelled; caught by `importSession`. */
export class ImportAborted extends Error {
  override readonly name = "ImportAborted";
}

/** The stream failed; caught by `importSession`. */
export class ImportReadError extends Error {
  override readonly name = "ImportReadError";
}

/** The chunks of the input. Ends at once when the signal aborts, also while a chunk is waited for. */
export async function* readChunks({ chunks, signal, onProgress }: ImportInput): AsyncGenerator<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  let bytesRead = 0;
  let ended = false;
  try {
    for (;;) {
      const next = await orAborted(() => iterator.next(), signal);
      if (next.done === true) {
        ended = true;
        return;
      }
      bytesRead += next.value.length;
      onProgress?.(bytesRead);
      yield next.value;
    }
  } finally {
    // Not awaited: a stream that hangs would keep a cancelled import from ending.
    if (!ended) Promise.resolve(iterator.return?.()).catch(() => {});
  }
}

async function orAborted<Value>(
  start: () => Promise<Value>,
  signal: AbortSignal | undefined,
): Promise<Value> {
  if (signal?.aborted === true) throw new ImportAborted();
  let onAbort: (() => void) | undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(new ImportAborted());
    signal?.addEventListener("abort", onAbort, { once: true });
  });
  try {
    return await Promise.race([start(), aborted]);
  } catch (error) {
    if (error instanceof ImportAborted) throw error;
    throw new ImportReadError("The file could not be read.", { cause: error });
  } finally {
    if (onAbort !== undefined) signal?.removeEventListener("abort", onAbort);
  }
}
