import { GrowingContextIndex } from "../core/contextIndex.ts";
import { EvictableSums } from "../core/evictableTokens.ts";
import { HandChanges } from "../core/handChanges.ts";
import type { Message } from "../core/messages.ts";
import type { ContextState } from "../core/projection.ts";
import { appendMessage, ContextFold } from "../core/projection.ts";
import type { BranchItem } from "../core/records.ts";
import { ContextBreakdown } from "./contextBreakdown.ts";
import type { MessageEstimates } from "./messageEstimates.ts";
import { inSlices } from "./sliced.ts";
import { UsedTokensFold } from "./usedTokens.ts";

/** About a millisecond. */
const MOST_SUMMED_AT_ONCE = 1_000;

/**
 * Everything that is kept of a branch beside the branch: the projection, its index, tokens by kind, and the one
 * value of used tokens. Appending a message costs the same however old the session is.
 */
export class ContextView {
  #state!: ContextState;
  readonly #index = new GrowingContextIndex();
  readonly #breakdown = new ContextBreakdown();
  readonly #evictableSums = new EvictableSums(this.#index.evictables);
  readonly #used: UsedTokensFold;
  readonly #estimate: (message: Message) => number;
  #lastItemType: BranchItem["type"] | undefined;

  private constructor(used: UsedTokensFold, estimate: (message: Message) => number) {
    this.#used = used;
    this.#estimate = estimate;
  }

  /** Folds a branch; `modelId` says whose numbers count. Estimates are kept over several views of a session. */
  static async of(
    branch: readonly BranchItem[],
    modelId: string | undefined,
    estimates: MessageEstimates,
    pause: () => Promise<void>,
  ): Promise<ContextView> {
    const items = [...branch];
    const fold = new ContextFold(items);
    const hand = items.some(({ type }) => type === "commitment") ? new HandChanges() : undefined;
    const view = new ContextView(new UsedTokensFold(modelId, estimates.inOrder()), estimates.inOrder());
    const take = (item: BranchItem): void => {
      const broken = fold.brokenCount;
      fold.add(item);
      const change = hand?.add(item);
      // Nothing was dropped for a boundary that could not be applied.
      if (fold.brokenCount > broken) return;
      view.#used.apply(item);
      if (change !== undefined) view.#used.replaced(change.entered, change.left);
      // One walk over the messages instead of two: what costs is to fetch each from memory.
      if (fold.isAsWritten && item.type === "message") view.#take(item.message);
    };
    await inSlices(items, take, pause);
    view.#state = fold.finish();
    view.#lastItemType = items.at(-1)?.type;
    if (!fold.isAsWritten) await inSlices(view.#state.messages, (message) => view.#take(message), pause);
    view.#used.align(view.#index.tokensBefore(view.#index.length));
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

  get evictableSums(): EvictableSums {
    return this.#evictableSums;
  }

  /** More is left to sum up than a reading may take time for. */
  get isSummingEvictables(): boolean {
    return this.#evictableSums.waiting > MOST_SUMMED_AT_ONCE;
  }

  /** Sums up what eviction could win, in slices; nobody has to wait for it. */
  async sumUpEvictables(pause: () => Promise<void>): Promise<void> {
    while (this.isSummingEvictables) {
      this.#evictableSums.sumUp(this.#state.messages, MOST_SUMMED_AT_ONCE);
      await pause();
    }
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
    const tokens = this.#estimate(message);
    this.#index.append(message, tokens);
    this.#breakdown.add(message, tokens);
  }
}
