/** What the contract (section 1) hands out from `context-capsule/compaction`. */
export const publicFunctions = [
  "acceptReplacement",
  "ceiling",
  "compactContext",
  "contextSummarySources",
  "createBudgetMeter",
  "cutForPolicy",
  "estimateTokens",
  "evaluateContextSummary",
  "evaluateContextSummaryStability",
  "evict",
  "evictionCitation",
  "latestContextSummary",
  "loadContextCompactionCorpus",
  "parseContextSummary",
  "parseRunReceipt",
  "planCompaction",
  "recover",
  "renderContextSummary",
  "replayBudgetMeter",
  "run",
  "runContextCompactionHarness",
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
  "RunBudget",
  "RunReceipt",
  "Summary",
  "Usage",
] as const;

/**
 * Script for a bare context in which `compaction` is the library: returns, as JSON, results that need bytes, SHA-256
 * and schema parsing.
 */
export const bareScript = `(() => {
  const user = (id, text) => ({ id, role: "user", content: [{ type: "text", text }] });
  const messages = [user("m1", "never push"), user("m2", "\\u20ac".repeat(200))];
  const capsule = {
    schema_version: 2, generation: 1, objective: "o", constraints_restated: [], decisions: [], artifacts: [],
    facts: [], state: { completed: [], active: [], blocked: [] }, next: [], citations: [], lookup_hints: [],
    anchors: [],
  };
  return JSON.stringify({
    estimates: messages.map((message) => compaction.estimateTokens(message)),
    cut: compaction.cutForPolicy(messages, { minRemaining: 0, keepRecentTokens: 1, keepRecentTurns: 0 }),
    digest: compaction.contextSummarySources(messages)[0].digest,
    generation: compaction.parseContextSummary(JSON.stringify(capsule)).generation,
    refused: compaction.parseContextSummary("no capsule") === undefined,
  });
})()`;

export const bareResult = {
  estimates: [6, 154],
  cut: 1,
  /** printf 'never push' | sha256sum */
  digest: "a7838a6da62ecd46fe4e160053c356037724576885f8f786232eb825c6fd7bec",
  generation: 1,
  refused: true,
};

/** Script for the same bare context: a whole compaction, twice; returns a promise of JSON. */
export const bareCompaction = `(async () => {
  const ROUNDS = 30;
  const transcript = [{ id: "m0", role: "user", content: [{ type: "text", text: "Fix the build. Never push." }] }];
  for (let round = 1; round <= ROUNDS; round += 1) {
    const pair = { toolCallId: "call" + round, toolName: "read" };
    transcript.push(
      { id: "a" + round, role: "assistant", content: [{ type: "tool-call", ...pair, input: { path: round + ".ts" } }] },
      { id: "t" + round, role: "tool", content: [{ type: "tool-result", ...pair, output: "line ".repeat(400) }] },
    );
  }
  const draft = {
    objective: "Fix the build.", constraints_restated: ["Never push."], decisions: [], artifacts: [], facts: [],
    state: { completed: [], active: ["the build"], blocked: [] }, next: ["read on"], citations: [],
    lookup_hints: [], anchors: [],
  };
  const model = {
    id: "scripted/model", vendor: "scripted", name: "Scripted", limits: { maxInputTokens: 128000 },
    async *stream() {
      yield { type: "text", text: JSON.stringify(draft) };
      yield { type: "finish", reason: "stop" };
    },
  };
  async function compact() {
    let ids = 0;
    const written = [];
    const journal = {};
    for (const kind of ["eviction", "compaction", "attempt"]) {
      journal[kind] = async (record) => void written.push([kind, record]);
    }
    const outcome = await compaction.compactContext(
      {
        messages: transcript, transcript, summary: undefined, rootId: "m0", pinnedIds: new Set(), left: new Map(),
        statementIds: new Set(),
      },
      {
        trigger: "manual", policy: { ...compaction.defaultPolicy, keepRecentTokens: 1000 }, window: 128000, model, journal,
        clock: { now: () => 7, delay: () => new Promise(() => {}) },
        newId: () => "id" + (ids += 1),
        signal: { aborted: false, addEventListener() {}, removeEventListener() {} },
      },
    );
    return { outcome, written };
  }
  const first = await compact();
  const second = await compact();
  return JSON.stringify({
    state: first.outcome.state,
    failures: first.outcome.failures,
    smaller: first.outcome.after < first.outcome.before,
    generation: first.outcome.summary?.generation,
    capsules: first.outcome.messages.filter(({ kind }) => kind === "capsule").length,
    written: first.written.map(([kind]) => kind),
    same: JSON.stringify(first) === JSON.stringify(second),
  });
})()`;

export const bareCompactionResult = {
  state: "summarized",
  failures: [],
  smaller: true,
  generation: 1,
  capsules: 1,
  written: ["compaction"],
  same: true,
};
