import type { Usage } from "../messages.ts";
import type { AbortSignalLike, ChatModel, ModelChunk } from "../model.ts";
import type { BudgetHold, SettledCall } from "./budgetMeter.ts";

/** Looks on at one call of a model, so that its hold can be settled by what really came. */
export class CallWatch {
  /** The model to call in the other's place. */
  readonly model: ChatModel;
  #hasBegun = false;
  #hasEnded = false;
  /** Snapshots are cumulative: the last one counts. */
  #usage: Usage | undefined;

  constructor(model: ChatModel) {
    this.model = {
      id: model.id,
      vendor: model.vendor,
      name: model.name,
      limits: model.limits,
      stream: (request, signal) => this.#watched(model.stream(request, signal), signal),
    };
  }

  get usage(): Usage | undefined {
    return this.#usage;
  }

  /**
   * Settles the hold (contract section 6): a stream that came to its end by its report, one that broke off after its
   * first chunk by the whole hold, one that never began not at all. What comes later changes nothing.
   */
  settle(hold: BudgetHold): SettledCall {
    if (this.#hasEnded) return hold.settle(this.#usage);
    return this.#hasBegun ? hold.settleBroken(this.#usage) : hold.release();
  }

  #watched(chunks: AsyncIterable<ModelChunk>, signal: AbortSignalLike): AsyncIterable<ModelChunk> {
    return {
      [Symbol.asyncIterator]: () => {
        const iterator = chunks[Symbol.asyncIterator]();
        return {
          next: async () => {
            const next = await iterator.next();
            // A stream that ends because it was cancelled has not come to its end.
            if (signal.aborted) return next;
            this.#hasBegun = true;
            if (next.done === true) this.#hasEnded = true;
            else if (next.value.type === "usage") this.#usage = next.value.usage;
            return next;
          },
          return: async () => (await iterator.return?.()) ?? { done: true, value: undefined },
        };
      },
    };
  }
}
