import { linkAbort, whenAborted } from "./abortLink.ts";
import { renderHistory } from "./capsule/renderHistory.ts";
import type { Message, Usage } from "./messages.ts";
import type { AbortSignalLike, ChatModel, Clock, FinishReason, ModelChunk, ModelRequest } from "./model.ts";
import { ModelError } from "./model.ts";

/** A summarizer that sends nothing for this long has timed out. */
export const CHUNK_TIMEOUT_MS = 60_000;
/** A summarizer may take this long in all. */
export const TOTAL_TIMEOUT_MS = 300_000;

/** What the summarizer said; whether it is a draft is judged by `readReply`. */
export interface Summary {
  readonly text: string;
  readonly usage?: Usage;
  readonly finishReason: FinishReason | undefined;
  readonly hadReasoning: boolean;
  readonly toolCallCount: number;
}

export type SummarizeResult =
  | { readonly ok: true; readonly summary: Summary }
  | { readonly ok: false; readonly state: "cancelled" }
  | {
      readonly ok: false;
      readonly state: "timed_out";
      readonly reason: "no_chunk_in_time" | "too_long_in_all";
    }
  | { readonly ok: false; readonly state: "provider_error"; readonly code: string; readonly message: string };

export interface SummarizeOptions {
  readonly signal: AbortSignalLike;
  readonly clock: Clock;
  /** Reply cap in tokens. */
  readonly maxOutputTokens?: number;
  /** UTF-8 bytes that the text of one message may have in the rendered history. */
  readonly maxTextBytes?: number;
}

/**
 * The request for a summary: one user message with the history as rendered text, then the instructions. No
 * callable tools, so that no provider can answer with a call and none rejects tool parts.
 */
export function summarizeRequest(
  conversation: readonly Message[],
  instructions: string | undefined,
  options: { readonly maxOutputTokens?: number; readonly maxTextBytes?: number } = {},
): ModelRequest {
  const history = renderHistory(
    conversation,
    options.maxTextBytes === undefined ? {} : { maxTextBytes: options.maxTextBytes },
  );
  const text = instructions === undefined ? history : `${history}\n\n${instructions}`;
  return {
    messages: [{ id: "summarize", role: "user", content: [{ type: "text", text }] }],
    tools: [],
    ...(options.maxOutputTokens === undefined ? {} : { maxOutputTokens: options.maxOutputTokens }),
  };
}

/**
 * The one call to a summarizer (contract section 4, rung 2): streams, waits at most 60 s for a chunk and 300 s
 * in all, drops what comes after a cancel. Never throws for what a model may do.
 */
export async function summarize(
  model: ChatModel,
  conversation: readonly Message[],
  instructions: string | undefined,
  options: SummarizeOptions,
): Promise<SummarizeResult> {
  const { signal, clock } = options;
  if (signal.aborted) return { ok: false, state: "cancelled" };
  const link = linkAbort(signal);
  const aborted = whenAborted(signal);
  const deadline = clock.now() + TOTAL_TIMEOUT_MS;
  const reply = new ReplyCollector();
  let iterator: AsyncIterator<ModelChunk> | undefined;
  let finished = false;
  try {
    iterator = model
      .stream(summarizeRequest(conversation, instructions, options), link.signal)
      [Symbol.asyncIterator]();
    for (;;) {
      const left = deadline - clock.now();
      const patience = Math.min(CHUNK_TIMEOUT_MS, left);
      const next = await nextChunk(iterator, patience, aborted.promise, clock);
      if (signal.aborted || next === "aborted") return { ok: false, state: "cancelled" };
      if (next === "late") {
        const reason = left <= CHUNK_TIMEOUT_MS ? "too_long_in_all" : "no_chunk_in_time";
        return { ok: false, state: "timed_out", reason };
      }
      if (next.done === true) {
        finished = true;
        return { ok: true, summary: reply.summary() };
      }
      reply.add(next.value);
    }
  } catch (error) {
    finished = true;
    if (signal.aborted) return { ok: false, state: "cancelled" };
    return providerError(error);
  } finally {
    aborted.release();
    if (!finished) {
      link.abort();
      // The source may never settle; nobody waits for it.
      void iterator?.return?.()?.then(undefined, () => {});
    }
    link.release();
  }
}

function providerError(error: unknown): SummarizeResult {
  if (error instanceof ModelError) {
    if (error.code === "cancelled") return { ok: false, state: "cancelled" };
    return { ok: false, state: "provider_error", code: error.code, message: error.message };
  }
  return {
    ok: false,
    state: "provider_error",
    code: "unknown",
    message: error instanceof Error ? error.message : String(error),
  };
}

async function nextChunk(
  iterator: AsyncIterator<ModelChunk>,
  patienceMs: number,
  aborted: Promise<void>,
  clock: Clock,
): Promise<IteratorResult<ModelChunk> | "late" | "aborted"> {
  if (patienceMs <= 0) return "late";
  const stopWaiting = linkAbort(NEVER);
  const chunk = iterator.next();
  try {
    return await Promise.race([
      chunk,
      aborted.then(() => "aborted" as const),
      clock.delay(patienceMs, stopWaiting.signal).then(() => "late" as const),
    ]);
  } finally {
    stopWaiting.abort();
    void chunk.then(undefined, () => {});
  }
}

const NEVER: AbortSignalLike = { aborted: false, addEventListener: () => {}, removeEventListener: () => {} };

class ReplyCollector {
  readonly #pieces: string[] = [];
  #usage: Usage | undefined;
  #finishReason: FinishReason | undefined;
  #hadReasoning = false;
  #toolCallCount = 0;

  add(chunk: ModelChunk): void {
    switch (chunk.type) {
      case "text":
        this.#pieces.push(chunk.text);
        break;
      case "reasoning":
        this.#hadReasoning = true;
        break;
      case "tool-call":
        this.#toolCallCount += 1;
        break;
      case "usage":
        // Snapshots are cumulative: the last one counts.
        this.#usage = chunk.usage;
        break;
      case "finish":
        this.#finishReason = chunk.reason;
        break;
    }
  }

  summary(): Summary {
    return {
      text: this.#pieces.join(""),
      ...(this.#usage === undefined ? {} : { usage: this.#usage }),
      finishReason: this.#finishReason,
      hadReasoning: this.#hadReasoning,
      toolCallCount: this.#toolCallCount,
    };
  }
}
