import { estimateTokens } from "../core/estimate.ts";
import type { Basis, Message } from "../core/messages.ts";
import type { BranchItem, UsageReading } from "../core/records.ts";

/** A provider number below this share of our own count of the same request is not believed (contract section 3). */
export const BELIEF_FLOOR = 0.5;
/** A learned ratio outside these bounds says more about hidden prompts than about the tokenizer. */
export const RATIO_BOUNDS = { least: 0.5, most: 3 } as const;
/** Below this many tokens of our own count a reply teaches no ratio: fixed overheads rule there. */
export const LEAST_TOKENS_TO_LEARN = 500;

/** Tokens of the request about to be sent; the one value that meter and trigger read. */
export interface UsedTokens {
  /** Undefined = unknown: not even an estimate was asked for. */
  readonly tokens: number;
  readonly basis: Basis;
  /** When the number that it rests on was given; milliseconds since the epoch. */
  readonly measuredAt: number | undefined;
  readonly modelId: string | undefined;
}

interface Base {
  /** Not rounded, so that a compaction and its undo give the number back. */
  readonly tokens: number;
  readonly basis: Basis;
  readonly measuredAt: number | undefined;
  /** Tokens of the context by our own count, when the number was taken. */
  readonly own: number;
}

/**
 * Keeps the newest believable provider number of one branch and one model, and our own count of what came after
 * (contract section 3.1). Fed with the items of a branch in order; each costs the same however long it is.
 */
export class UsedTokensFold {
  readonly #modelId: string | undefined;
  #own = 0;
  #base: Base | undefined;
  #ratio = 1;

  readonly #estimate: (message: Message) => number;

  /** `modelId`: whose numbers count; undefined = none, then imported ones do. */
  constructor(modelId: string | undefined, estimate: (message: Message) => number = estimateTokens) {
    this.#modelId = modelId;
    this.#estimate = estimate;
  }

  apply(item: BranchItem): void {
    switch (item.type) {
      case "message":
        this.#message(item.message, item.usageBasis ?? "reported", item.at);
        break;
      case "usage":
        this.#reading(item.reading);
        break;
      case "eviction":
      case "compaction":
        this.#rescale(item.record.receipt.before, item.record.receipt.after);
        break;
      case "undo":
        this.#rescale(item.before, item.after);
        break;
      // What the person's hand brings into the context, only the projection knows: see `replaced`.
      case "commitment":
      case "attempt":
        break;
    }
  }

  /** These messages came into the context and those left it: a pin, a statement, a capsule reworded by hand. */
  replaced(entered: readonly Message[], left: readonly Message[]): void {
    for (const message of entered) this.#own += estimateTokens(message);
    for (const message of left) this.#own = Math.max(0, this.#own - estimateTokens(message));
  }

  /** Our own count of the whole context, where it is at hand; what provider numbers stand for stays as it is. */
  align(ownTokens: number): void {
    const drift = ownTokens - this.#own;
    if (drift === 0) return;
    this.#own = ownTokens;
    if (this.#base !== undefined) this.#base = { ...this.#base, own: this.#base.own + drift };
  }

  /** What the next request holds; undefined where no provider number is believed. */
  get reported(): UsedTokens | undefined {
    const base = this.#base;
    if (base === undefined) return undefined;
    const changed = base.own !== this.#own && base.basis !== "imported";
    return {
      tokens: Math.round(this.#exactTokens(base)),
      basis: changed ? "projected" : base.basis,
      measuredAt: base.measuredAt,
      modelId: this.#modelId,
    };
  }

  #exactTokens(base: Base): number {
    return Math.max(0, base.tokens + (this.#own - base.own) * this.#ratio);
  }

  /** Whether a provider's number of this model stands for exactly what the branch holds. */
  get isCurrent(): boolean {
    const base = this.#base;
    return (
      base !== undefined && base.own === this.#own && (base.basis === "reported" || base.basis === "counted")
    );
  }

  /** Our own count of the context, in tokens. */
  get ownTokens(): number {
    return this.#own;
  }

  /** Provider tokens for each token of our own count; 1 until one is learned. */
  get ratio(): number {
    return this.#ratio;
  }

  #message(message: Message, basis: Basis, at: number | undefined): void {
    this.#own += this.#estimate(message);
    const { usage } = message;
    if (usage === undefined || basis === "unavailable") return;
    if (basis === "imported") {
      if (this.#base !== undefined && this.#base.basis !== "imported") return;
    } else if (usage.model !== this.#modelId) return;
    this.#believe(usage.inputTokens + usage.outputTokens, basis, at);
  }

  #reading(reading: UsageReading): void {
    if (reading.modelId !== this.#modelId) return;
    this.#believe(reading.tokens, reading.basis, reading.at);
  }

  #believe(tokens: number, basis: Basis, at: number | undefined): void {
    if (!isBelievable(tokens, this.#own)) return;
    this.#base = { tokens, basis, measuredAt: at, own: this.#own };
    if (basis !== "imported" && this.#own >= LEAST_TOKENS_TO_LEARN) {
      this.#ratio = Math.min(RATIO_BOUNDS.most, Math.max(RATIO_BOUNDS.least, tokens / this.#own));
    }
  }

  /**
   * The context was replaced: the number before x our count after / our count before. A run counts the context
   * that it looked at; messages that came while it ran stand in both counts.
   */
  #rescale(before: number, after: number): void {
    const base = this.#base;
    const own = this.#own;
    const tokens = base === undefined ? 0 : this.#exactTokens(base);
    this.#own = Math.max(0, own - before + after);
    if (base === undefined || own <= 0) return;
    this.#base = {
      tokens: (tokens * this.#own) / own,
      basis: base.basis === "imported" ? "imported" : "projected",
      measuredAt: base.measuredAt,
      own: this.#own,
    };
  }
}

/** Not believed: 0, negative, NaN, infinite, or below half of our own count of the same request. */
export function isBelievable(tokens: number, ownTokens: number): boolean {
  return Number.isFinite(tokens) && tokens > 0 && tokens >= ownTokens * BELIEF_FLOOR;
}
