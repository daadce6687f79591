/** The public core (contract section 1), built to dist/compaction.mjs with its types. */
export { acceptReplacement, type Replacement } from "./capsule/accept.ts";
export { type CompleteDraftOptions, type CompletedDraft, completeDraft } from "./capsule/carry.ts";
export * from "./capsule/contextSummary.ts";
export type { CapsuleDraft, DraftAnchor } from "./capsule/draft.ts";
export { applyCommitment, commitmentSource, commitmentStatement, type HandAction } from "./capsule/hand.ts";
export { summarizationInstruction } from "./capsule/instruction.ts";
export { parseContextSummary } from "./capsule/parse.ts";
export { type ReadReply, type ReplyFailure, readReply } from "./capsule/readReply.ts";
export { renderContextSummary } from "./capsule/render.ts";
export { contextSummarySources } from "./capsule/sources.ts";
export { latestContextSummary, summaryMessage } from "./capsule/summaryMessage.ts";
export { validateContextSummaryTransition } from "./capsule/transition.ts";
export { chooseEvictions } from "./chooseEvictions.ts";
export { compactContext, previewCompaction } from "./compactContext.ts";
export * from "./compactionOutcome.ts";
export * from "./compactOptions.ts";
export { type ContextIndex, GrowingContextIndex, indexContext } from "./contextIndex.ts";
export { cutForPolicy } from "./cutForPolicy.ts";
export { sha256Hex, useHostSha256 } from "./digest.ts";
export * from "./errors.ts";
export { estimateContext, estimateTokens } from "./estimate.ts";
export { evict } from "./evict.ts";
export { evictionCandidates } from "./evictionCandidates.ts";
export { evictionCitation } from "./evictionCitation.ts";
export type { Completion } from "./evidence/capsuleLineage.ts";
export { loadContextCompactionCorpus } from "./evidence/corpus/loadContextCompactionCorpus.ts";
export {
  evaluateContextSummary,
  type SummaryEvaluation,
  type SummaryExpectation,
} from "./evidence/evaluateContextSummary.ts";
export {
  evaluateContextSummaryStability,
  type SummaryStability,
} from "./evidence/evaluateContextSummaryStability.ts";
export type {
  ContextCompactionFixture,
  ContextCompactionRequest,
  ContextCompactionSummarizer,
  ExpectedAnchor,
  FixtureRound,
} from "./evidence/fixture.ts";
export {
  type ContextCompactionReport,
  DEFAULT_REPETITIONS,
  type HarnessOptions,
  type HarnessRoundResult,
  runContextCompactionHarness,
} from "./evidence/runContextCompactionHarness.ts";
export * from "./messages.ts";
export * from "./model.ts";
export { answerOpenCalls } from "./openCalls.ts";
export * from "./plan.ts";
export { planCompaction } from "./planCompaction.ts";
export {
  type CompactionPolicy,
  ceiling,
  DEFAULT_CONTEXT_WINDOW,
  DEFAULT_KEEP_RECENT_TOKENS,
  DEFAULT_KEEP_RECENT_TURNS,
  DEFAULT_MIN_REMAINING,
  defaultPolicy,
  shouldCompact,
} from "./policy.ts";
export { appendMessage, type ContextState, contextHash, projectContext } from "./projection.ts";
export * from "./records.ts";
export { recover } from "./recover.ts";
export { safeCut } from "./safeCut.ts";
export { type SummarizeResult, type Summary, summarize } from "./summarize.ts";
export { useHostUtf8Length } from "./utf8.ts";
