import type { ContextSummary } from "../capsule/contextSummary.ts";
import { CompactionError } from "../errors.ts";
import type { SummaryEvaluation, SummaryExpectation } from "./evaluateContextSummary.ts";
import { evaluateContextSummary } from "./evaluateContextSummary.ts";

/** Several capsules of the same history, held against the same expectation. */
export interface SummaryStability {
  readonly repetitions: number;
  /** The worst repetition of each. */
  readonly criticalAnchorRecall: number;
  readonly weightedAnchorRecall: number;
  readonly exactRecoveryCoverage: number;
  readonly meanCompressionRatio: number;
  /** Every repetition is stable. */
  readonly stable: boolean;
  /** `repetition_R:evaluation` for each that drifted, R from 1. */
  readonly failures: readonly string[];
  readonly evaluations: readonly SummaryEvaluation[];
}

/**
 * Whether a summarizer that was asked the same thing several times kept what matters each time. One drifting
 * repetition is enough to fail, and it is named. Throws `invalid_options` without any repetition.
 */
export function evaluateContextSummaryStability(
  summaries: readonly ContextSummary[],
  expectation: SummaryExpectation,
): SummaryStability {
  if (summaries.length === 0) {
    throw new CompactionError("invalid_options", "There are no capsules to compare; give at least one.");
  }
  const evaluations = summaries.map((summary) => evaluateContextSummary(summary, expectation));
  const failures = evaluations.flatMap(({ stable }, at) =>
    stable ? [] : [`repetition_${at + 1}:evaluation`],
  );
  const worst = (share: (evaluation: SummaryEvaluation) => number): number =>
    Math.min(...evaluations.map(share));
  const ratios = evaluations.map(({ compressionRatio }) => compressionRatio);
  return {
    repetitions: summaries.length,
    criticalAnchorRecall: worst(({ criticalAnchorRecall }) => criticalAnchorRecall),
    weightedAnchorRecall: worst(({ weightedAnchorRecall }) => weightedAnchorRecall),
    exactRecoveryCoverage: worst(({ exactRecoveryCoverage }) => exactRecoveryCoverage),
    meanCompressionRatio: ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length,
    stable: failures.length === 0,
    failures,
    evaluations,
  };
}
