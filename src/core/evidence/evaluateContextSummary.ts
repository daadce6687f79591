import type { Anchor, ContextSummary } from "../capsule/contextSummary.ts";
import { summaryMessage } from "../capsule/summaryMessage.ts";
import { estimateTokens } from "../estimate.ts";
import type { ExpectedAnchor } from "./fixture.ts";

/** What a capsule is held against. */
export interface SummaryExpectation {
  readonly expected: readonly ExpectedAnchor[];
  /** Digests that the capsule must cite. */
  readonly expectedRecoveryDigests?: readonly string[];
  /** Estimated tokens of all that the capsule and what stays beside it replace. */
  readonly originalTokens: number;
  /** Tokens that stay beside the capsule word for word; default 0. */
  readonly retainedTokens?: number;
}

/** Shares are 0 to 1, and 1 where nothing was expected. */
export interface SummaryEvaluation {
  readonly criticalAnchorRecall: number;
  readonly weightedAnchorRecall: number;
  readonly exactRecoveryCoverage: number;
  /** Tokens after / tokens before: below 1 is smaller. 1 where there was nothing before. */
  readonly compressionRatio: number;
  /** Expected anchors found for each 1000 tokens of the capsule's message. */
  readonly anchorDensity: number;
  /** Both recalls are exactly 1, and it is smaller. */
  readonly stable: boolean;
  readonly lost: readonly ExpectedAnchor[];
  readonly unrecoveredDigests: readonly string[];
}

const DENSITY_TOKENS = 1000;

/**
 * How much of what was expected a capsule holds (contract section 7). Kind and text match exactly, so a
 * paraphrase is lost; a commitment that is no longer critical is lost too.
 */
export function evaluateContextSummary(
  summary: ContextSummary,
  expectation: SummaryExpectation,
): SummaryEvaluation {
  const { expected, originalTokens, retainedTokens = 0, expectedRecoveryDigests = [] } = expectation;
  const lost = expected.filter((wanted) => !summary.anchors.some((anchor) => isMatch(anchor, wanted)));
  const cited = new Set(summary.citations.map(({ digest }) => digest));
  const unrecoveredDigests = expectedRecoveryDigests.filter((digest) => !cited.has(digest));
  const capsuleTokens = estimateTokens(summaryMessage(summary));
  const isCritical = ({ critical }: ExpectedAnchor): boolean => critical === true;
  const criticalAnchorRecall = keptShare(lost.filter(isCritical).length, expected.filter(isCritical).length);
  const weightedAnchorRecall = keptShare(weightOf(lost), weightOf(expected));
  const compressionRatio = originalTokens > 0 ? (capsuleTokens + retainedTokens) / originalTokens : 1;
  return {
    criticalAnchorRecall,
    weightedAnchorRecall,
    exactRecoveryCoverage: keptShare(unrecoveredDigests.length, expectedRecoveryDigests.length),
    compressionRatio,
    anchorDensity: ((expected.length - lost.length) * DENSITY_TOKENS) / capsuleTokens,
    stable: criticalAnchorRecall === 1 && weightedAnchorRecall === 1 && compressionRatio < 1,
    lost,
    unrecoveredDigests,
  };
}

function isMatch(anchor: Anchor, { key, kind, text, critical }: ExpectedAnchor): boolean {
  return (
    anchor.kind === kind &&
    anchor.text === text &&
    (key === undefined || anchor.key === key) &&
    (critical !== true || anchor.critical)
  );
}

export function weightOf(anchors: readonly ExpectedAnchor[]): number {
  return anchors.reduce((sum, { weight = 1 }) => sum + weight, 0);
}

/** What is not lost of a whole; an empty whole has lost nothing. */
export function keptShare(lost: number, whole: number): number {
  return whole === 0 ? 1 : (whole - lost) / whole;
}
