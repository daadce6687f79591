import type { Anchor, ContextSummarySource } from "./contextSummary.ts";

/** Number of a segment's message in the record, growing with time; undefined = not known. */
export type RecordOrder = (segmentId: string) => number | undefined;

/**
 * Which listed sources may overrule a prior commitment: those said after the commitment's own source. Where the
 * record's order is not known, that is told by the list: after the capsule that states the commitment, and after
 * the commitment's own source where that is still listed. An older word that is merely still in view (the root, a
 * pin) overrules nothing; where the list leaves the capsule out, that is every source that stays. The user message
 * of a turn that a cut divided stands before the capsule too and is newer: only the record's order can tell.
 */
export class CurrentSources {
  readonly #positions = new Map<string, number>();
  readonly #recordOrder: RecordOrder;
  #capsuleAt = -1;

  constructor(sources: readonly ContextSummarySource[], recordOrder: RecordOrder = () => undefined) {
    this.#recordOrder = recordOrder;
    for (const [position, source] of sources.entries()) {
      if (!this.#positions.has(source.segmentId)) this.#positions.set(source.segmentId, position);
      if (source.role === "capsule") this.#capsuleAt = position;
    }
  }

  /** Whether this source was said after the prior anchor. */
  isLaterThan(source: ContextSummarySource, prior: Anchor): boolean {
    const said = this.#recordOrder(source.segmentId);
    const priorSaid = this.#recordOrder(prior.sourceSegmentId);
    if (said !== undefined && priorSaid !== undefined) return said > priorSaid;
    if (this.#capsuleAt < 0 && source.stays === true) return false;
    const position = this.#positions.get(source.segmentId) ?? -1;
    const priorAt = this.#positions.get(prior.sourceSegmentId) ?? -1;
    return position > Math.max(priorAt, this.#capsuleAt);
  }
}
