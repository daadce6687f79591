import type { ContextSummary } from "../capsule/contextSummary.ts";
import { leavingSegments } from "../capsule/sources.ts";
import type { CompactionContext, CompactOptions } from "../compactOptions.ts";
import type { ContextIndex } from "../contextIndex.ts";
import { indexContext } from "../contextIndex.ts";
import { estimateTokens } from "../estimate.ts";
import type { Message } from "../messages.ts";
import type { EvictionCandidate } from "../plan.ts";
import type { ReplacementCandidate } from "../replacement.ts";
import type { SummaryStep } from "../summaryStep.ts";

/** The context as the completed rungs of a run left it, and the measure of it. */
export class StandingContext {
  readonly #estimate: (message: Message) => number;
  readonly #overheadTokens: number;
  readonly #left: Map<string, string>;
  #messages: readonly Message[];
  #index: ContextIndex | undefined;
  #summary: ContextSummary | undefined;

  constructor(
    context: CompactionContext,
    { estimate = estimateTokens, overheadTokens = 0 }: Pick<CompactOptions, "estimate" | "overheadTokens">,
  ) {
    this.#estimate = estimate;
    this.#overheadTokens = overheadTokens;
    this.#left = new Map(context.left);
    this.#messages = context.messages;
    this.#index = context.index;
    this.#summary = context.summary;
  }

  /** The very list that the run began with, until a rung changes it. */
  get messages(): readonly Message[] {
    return this.#messages;
  }

  get summary(): ContextSummary | undefined {
    return this.#summary;
  }

  /** Ids of segments that are not in the context any more, by digest. */
  get left(): ReadonlyMap<string, string> {
    return this.#left;
  }

  /** Made when first asked for these messages. */
  get index(): ContextIndex {
    this.#index ??= indexContext(this.#messages, this.#estimate);
    return this.#index;
  }

  /** Tokens of a request with the messages as they stand, by our own measure. */
  get tokens(): number {
    return this.measure(this.#messages);
  }

  /** Tokens of a request with these messages, by our own measure; the request's overhead is counted with them. */
  measure(messages: readonly Message[]): number {
    const index = messages === this.#messages ? this.#index : undefined;
    if (index?.length === messages.length) return index.tokensBefore(index.length) + this.#overheadTokens;
    return messages.reduce((sum, message) => sum + this.#estimate(message), this.#overheadTokens);
  }

  /** `after`: the messages without what was chosen. */
  evict(chosen: readonly EvictionCandidate[], after: readonly Message[]): void {
    if (chosen.length > 0) this.#replace(after);
    for (const { digest, segmentId } of chosen) this.#left.set(digest, segmentId);
  }

  summarize(step: SummaryStep, { completed, after }: ReplacementCandidate): void {
    for (const [segmentId, digest] of leavingSegments(step.sources, this.#left)) {
      this.#left.set(digest, segmentId);
    }
    this.#replace(after);
    this.#summary = completed.summary;
  }

  #replace(messages: readonly Message[]): void {
    this.#messages = messages;
    this.#index = undefined;
  }
}
