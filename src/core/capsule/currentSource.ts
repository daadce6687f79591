import type { Anchor, ContextSummarySource } from "./contextSummary.ts";

/**
 * Which listed sources may overrule a prior commitment. Sources stand in record order, so "current" means: after
 * the capsule that states the commitment, and after the commitment's own source where that is still listed. An
 * older word that is merely still in view (the root, a pin) overrules nothing; where the list leaves the capsule
 * out, that is every source that stays.
 */
export class CurrentSources {
  readonly #positions = new Map<string, number>();
  #capsuleAt = -1;

  constructor(sources: readonly ContextSummarySource[]) {
    for (const [position, source] of sources.entries()) {
      if (!this.#positions.has(source.segmentId)) this.#positions.set(source.segmentId, position);
      if (source.role === "capsule") this.#capsuleAt = position;
    }
  }

  /** Whether this source was said after the prior anchor. */
  isLaterThan(source: ContextSummarySource, prior: Anchor): boolean {
    if (this.#capsuleAt < 0 && source.stays === true) return false;
    const position = this.#positions.get(source.segmentId) ?? -1;
    const priorAt = this.#positions.get(prior.sourceSegmentId) ?? -1;
    return position > Math.max(priorAt, this.#capsuleAt);
  }
}
