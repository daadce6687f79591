/** What the contract (section 1) hands out from `context-capsule/compaction`. */
export const publicFunctions = [
  "acceptReplacement",
  "ceiling",
  "compactContext",
  "contextSummarySources",
  "cutForPolicy",
  "estimateTokens",
  "evict",
  "evictionCitation",
  "latestContextSummary",
  "parseContextSummary",
  "planCompaction",
  "recover",
  "renderContextSummary",
  "safeCut",
  "shouldCompact",
  "summarizationInstruction",
  "summarize",
  "summaryMessage",
  "validateContextSummaryTransition",
] as const;

export const publicConstants = {
  CONTEXT_SUMMARY_SCHEMA: "cave.context-summary.v2",
  DEFAULT_CONTEXT_WINDOW: 128_000,
  DEFAULT_KEEP_RECENT_TOKENS: 20_000,
  DEFAULT_KEEP_RECENT_TURNS: 2,
  DEFAULT_MIN_REMAINING: 16_384,
} as const;

export const publicTypes = [
  "CompactOutcome",
  "CompactionPolicy",
  "ContextSummary",
  "Message",
  "Part",
  "Summary",
  "Usage",
] as const;

/**
 * Script for a bare context in which `compaction` is the library: returns, as JSON, results that need bytes, SHA-256
 * and schema parsing.
 */
export const bareScript = `
  const user = (id, text) => ({ id, role: "user", content: [{ type: "text", text }] });
  const messages = [user("m1", "never push"), user("m2", "\\u20ac".repeat(200))];
  const capsule = {
    schema_version: 2, generation: 1, objective: "o", constraints_restated: [], decisions: [], artifacts: [],
    facts: [], state: { completed: [], active: [], blocked: [] }, next: [], citations: [], lookup_hints: [],
    anchors: [],
  };
  JSON.stringify({
    estimates: messages.map((message) => compaction.estimateTokens(message)),
    cut: compaction.cutForPolicy(messages, { minRemaining: 0, keepRecentTokens: 1, keepRecentTurns: 0 }),
    digest: compaction.contextSummarySources(messages)[0].digest,
    generation: compaction.parseContextSummary(JSON.stringify(capsule)).generation,
    refused: compaction.parseContextSummary("no capsule") === undefined,
  });
`;

export const bareResult = {
  estimates: [6, 154],
  cut: 1,
  /** printf 'never push' | sha256sum */
  digest: "a7838a6da62ecd46fe4e160053c356037724576885f8f786232eb825c6fd7bec",
  generation: 1,
  refused: true,
};
