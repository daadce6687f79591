import { GrowingContextIndex } from "../core/contextIndex.ts";
import { estimateTokens } from "../core/estimate.ts";
import type { Message } from "../core/messages.ts";
import type { ContextState } from "../core/projection.ts";
import { appendMessage, ContextFold } from "../core/projection.ts";
import type { BranchItem } from "../core/records.ts";
import { ContextBreakdown } from "./contextBreakdown.ts";
import { inSlices } from "./sliced.ts";
import { UsedTokensFold } from "./usedTokens.ts";

/**
 * Everything that is kept of a branch beside the branch: the projection, its index, tokens by kind, and the one
 * value of used tokens. Appending a message costs the same however old the session is.
 */
export class ContextView {
  #state: ContextState;
  #index: GrowingContextIndex;
  #breakdown: ContextBreakdown;
  #used: UsedTokensFold;
  readonly #estimates: Map<Message, number>;
  #lastItemType: BranchItem["type"] | undefined;

  private constructor(state: ContextState, used: UsedTokensFold, estimates: Map<Message, number>) {
    this.#state = state;
    this.#index = new GrowingContextIndex();
    this.#breakdown = new ContextBreakdown();
    this.#used = used;
    this.#estimates = estimates;
  }

  /** Folds a branch; `modelId` says whose numbers count. Estimates are kept over several views of a session. */
  static async of(
    branch: readonly BranchItem[],
    modelId: string | undefined,
    estimates: Map<Message, number>,
    pause: () => Promise<void>,
  ): Promise<ContextView> {
    const items = [...branch];
    const used = new UsedTokensFold(modelId, (message) => estimateOnce(message, estimates));
    const fold = new ContextFold(items);
    const take = (item: BranchItem): void => {
      used.apply(item);
      fold.add(item);
    };
    await inSlices(items, take, pause);
    const view = new ContextView(fold.finish(), used, estimates);
    view.#lastItemType = items.at(-1)?.type;
    await inSlices(view.#state.messages, (message) => view.#take(message), pause);
    return view;
  }

  get state(): ContextState {
    return this.#state;
  }

  get index(): GrowingContextIndex {
    return this.#index;
  }

  get breakdown(): ContextBreakdown {
    return this.#breakdown;
  }

  get used(): UsedTokensFold {
    return this.#used;
  }

  /** What was written last to the branch. */
  get lastItemType(): BranchItem["type"] | undefined {
    return this.#lastItemType;
  }

  /** A message or a reading at the end of the branch; every other item needs a new view. */
  append(item: Extract<BranchItem, { type: "message" | "usage" | "attempt" }>): void {
    this.#used.apply(item);
    this.#lastItemType = item.type;
    if (item.type === "attempt") {
      this.#state = { ...this.#state, receipts: [...this.#state.receipts, item.record.receipt] };
      return;
    }
    if (item.type !== "message") return;
    this.#state = appendMessage(this.#state, item.message, item.command);
    this.#take(item.message);
  }

  #take(message: Message): void {
    const tokens = estimateOnce(message, this.#estimates);
    this.#index.append(message, tokens);
    this.#breakdown.add(message, tokens);
  }
}

/** The estimate of a message, made once. */
export function estimateOnce(message: Message, estimates: Map<Message, number>): number {
  let tokens = estimates.get(message);
  if (tokens === undefined) {
    tokens = estimateTokens(message);
    estimates.set(message, tokens);
  }
  return tokens;
}
