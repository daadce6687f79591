import { linkAbort, whenAborted } from "./abortLink.ts";
import type { AbortSignalLike, ChatModel, ModelChunk, ModelRequest } from "./model.ts";

/**
 * The chunks of a reply, ending at once when the signal is aborted, whether or not the model answers to that: a
 * silent one never settles. The model's own signal is aborted whenever the reader stops early.
 */
export async function* chunksUntilAborted(
  model: ChatModel,
  request: ModelRequest,
  signal: AbortSignalLike,
): AsyncGenerator<ModelChunk, void> {
  if (signal.aborted) return;
  const link = linkAbort(signal);
  const aborted = whenAborted(signal);
  let finished = false;
  let iterator: AsyncIterator<ModelChunk> | undefined;
  try {
    iterator = model.stream(request, link.signal)[Symbol.asyncIterator]();
    for (;;) {
      const chunk = iterator.next();
      chunk.catch(() => {});
      const next = await Promise.race([chunk, aborted.promise]);
      if (next === undefined || signal.aborted) return;
      if (next.done === true) {
        finished = true;
        return;
      }
      yield next.value;
    }
  } catch (error) {
    finished = true;
    throw error;
  } finally {
    aborted.release();
    if (!finished) {
      link.abort();
      void iterator?.return?.()?.then(undefined, () => {});
    }
    link.release();
  }
}
