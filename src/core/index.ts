/** The public core (contract section 1), built to dist/compaction.mjs with its types. */
export {
  type BudgetHold,
  type BudgetMeter,
  createBudgetMeter,
  type MeterOptions,
  type Reservation,
  replayBudgetMeter,
  type SettledCall,
} from "./budget/budgetMeter.ts";
export { type BudgetShortfall, budgetShortfall } from "./budget/leastBudget.ts";
export { type MeteredCall, type MeterRecord, parseMeterRecord } from "./budget/meterRecord.ts";
export type { BudgetReading, MeterState } from "./budget/meterState.ts";
export type { ModelPrice, PriceTable, TokenPrices } from "./budget/prices.ts";
export { RequestBounds } from "./budget/requestBound.ts";
export * from "./budget/runBudget.ts";
export { type SummarySpend, type SummarySpendOptions, summaryOpener } from "./budget/summarySpend.ts";
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
export type { Agent, AgentTool, ToolOutcome } from "./run/agent.ts";
export { type CompactionParts, compactionReceipt } from "./run/compactionReceipt.ts";
export { MemorySession } from "./run/memorySession.ts";
export { parseRunReceipt } from "./run/parseRunReceipt.ts";
export { type RunOptions, run } from "./run/run.ts";
export type { RunEvent, RunListener } from "./run/runEvents.ts";
export type * from "./run/runReceipt.ts";
export type { RunResult } from "./run/runResult.ts";
export type { RoomMade, RunItem, RunSession } from "./run/runSession.ts";
export { safeCut } from "./safeCut.ts";
export { type SummarizeResult, type Summary, summarize } from "./summarize.ts";
export { useHostUtf8Length } from "./utf8.ts";
