import { acceptReplacement } from "./capsule/accept.ts";
import type { CompletedDraft } from "./capsule/carry.ts";
import { completeDraft } from "./capsule/carry.ts";
import type { ContextSummary } from "./capsule/contextSummary.ts";
import type { CapsuleDraft } from "./capsule/draft.ts";
import type { SummarizerReply } from "./capsule/readReply.ts";
import { readReply } from "./capsule/readReply.ts";
import { leavingSegments } from "./capsule/sources.ts";
import { summaryMessage } from "./capsule/summaryMessage.ts";
import { chooseEvictions } from "./chooseEvictions.ts";
import type { CompactionContext, CompactOptions } from "./compactContext.ts";
import type { CompactionPreview, CompactOutcome, RetiredCommitment } from "./compactionOutcome.ts";
import { sha256Hex } from "./digest.ts";
import { estimateContext } from "./estimate.ts";
import { evict } from "./evict.ts";
import { evictionCandidates } from "./evictionCandidates.ts";
import type { Message, Usage } from "./messages.ts";
import { nextActionFor } from "./nextAction.ts";
import type { CompactionPlan, EvictionCandidate, FloorPart } from "./plan.ts";
import { planCompaction } from "./planCompaction.ts";
import { shouldCompact } from "./policy.ts";
import { contextHash } from "./projection.ts";
import type { AttemptRecord, CompactionReceipt, EndReason, EndState } from "./records.ts";
import type { SummarizeResult, Summary } from "./summarize.ts";
import { summarize } from "./summarize.ts";
import type { SummaryStep } from "./summaryStep.ts";
import { nextSummaryStep } from "./summaryStep.ts";

/** Paid calls of one run under window pressure or by hand (contract section 4). */
export const MAX_PAID_CALLS = 4;
/** Drafts that cost nothing may take more generations, but not without end. */
export const MAX_FREE_CALLS = 64;
/** An automatic run pays only for at least this much: tokens, or this share of the ceiling. */
export const MIN_AUTOMATIC_GAIN_TOKENS = 20_000;
export const MIN_AUTOMATIC_GAIN_SHARE = 0.1;
const MIN_MANUAL_GAIN_TOKENS = 1;

/** How a rung ended without success. */
interface Failure {
  readonly state: EndState;
  readonly reason: EndReason;
  readonly failures?: readonly string[];
  readonly error?: { readonly code: string; readonly message: string };
  readonly usage?: Usage;
  readonly contentHash?: string;
}

type Completed = Extract<CompletedDraft, { ok: true }>;

/** What the code carries when a summarizer adds nothing; its objective is never sent. */
const EMPTY_DRAFT: CapsuleDraft = {
  objective: "-",
  constraintsRestated: [],
  decisions: [],
  artifacts: [],
  facts: [],
  state: { completed: [], active: [], blocked: [] },
  next: [],
  citations: [],
  lookupHints: [],
  anchors: [],
};

/** What a validated replacement is made of. */
interface Replacement {
  readonly completed: Completed;
  readonly text: string;
  readonly after: readonly Message[];
}

/** One run of the ladder over a snapshot of a context. */
export class CompactionRun {
  readonly #options: CompactOptions;
  readonly #context: CompactionContext;
  readonly #runId: string;
  readonly #startedAt: number;
  readonly #before: number;
  readonly #left: Map<string, string>;
  readonly #originals = new Map<string, Message>();
  readonly #receipts: CompactionReceipt[] = [];
  readonly #retired: RetiredCommitment[] = [];
  readonly #carriedOutKeys: string[] = [];
  #messages: readonly Message[];
  #summary: ContextSummary | undefined;
  #evicted: readonly EvictionCandidate[] = [];
  #summaries = 0;
  #floorParts: readonly FloorPart[] = [];

  constructor(context: CompactionContext, options: CompactOptions) {
    this.#context = context;
    this.#options = options;
    this.#runId = options.newId();
    this.#startedAt = options.clock.now();
    this.#messages = context.messages;
    this.#summary = context.summary;
    this.#left = new Map(context.left);
    this.#before = this.#measure(context.messages);
  }

  async run(): Promise<CompactOutcome> {
    this.#options.onPhase?.("planning");
    const plan = this.#plan();
    const refusal = this.#refusal(plan);
    if (refusal !== undefined) return this.#outcome(refusal);
    try {
      return await this.#climb(plan);
    } catch (error) {
      return this.#outcome({
        state: "stopped",
        reason: "write_failed",
        error: { code: codeOf(error), message: error instanceof Error ? error.message : String(error) },
      });
    }
  }

  async preview(): Promise<CompactionPreview> {
    const { model } = this.#options;
    const plan = this.#plan();
    const evictions = this.#chooseEvictions(plan);
    const afterEviction = this.#measure(evict(this.#messages, evictions));
    const base = {
      plan,
      before: this.#before,
      afterEviction,
      evictions,
      tailIds: this.#messages.slice(plan.cut).map((message) => message.id),
    };
    const stop = (failure: Failure): CompactionPreview => ({
      ...base,
      afterAtLeast: afterEviction,
      afterAtMost: afterEviction,
      summarizedIds: [],
      keptIds: [],
      calls: { atMost: 0, inputTokens: 0, outputTokens: 0, basis: "estimated" },
      wouldEnd: {
        state: failure.state,
        reason: failure.reason,
        nextAction: nextActionFor(failure.state, failure.reason),
      },
    });
    const refusal = this.#refusal(plan) ?? this.#floorFailure(plan);
    if (refusal !== undefined) return stop(refusal);
    const found = await this.#nextStep(plan, plan.cut);
    if (!found.ok) return stop(stepFailure(found.reason));
    const minimal = this.#minimal(found.step, plan);
    if (minimal === undefined) return stop({ state: "declined", reason: "too_many_commitments" });
    const atLeast = this.#measure(minimal.after);
    const atMost = atLeast + plan.effective.summaryMaxTokens;
    const paid = model !== undefined && model.writeDraft === undefined;
    const whole = found.step.cut === plan.cut;
    const failure = this.#gainFailure(atLeast, plan, this.#before) ?? this.#modelFailure();
    return {
      ...base,
      afterAtLeast: Math.min(atLeast, this.#before),
      afterAtMost: Math.min(atMost, this.#before),
      summarizedIds: found.step.partition.leaving.map((message) => message.id),
      keptIds: [...found.step.partition.system, ...found.step.partition.held].map((message) => message.id),
      calls: paid
        ? {
            atMost: whole ? 1 : MAX_PAID_CALLS,
            inputTokens: found.step.requestTokens * (whole ? 1 : MAX_PAID_CALLS),
            outputTokens: plan.effective.summaryMaxTokens * (whole ? 1 : MAX_PAID_CALLS),
            basis: found.step.requestBasis,
          }
        : { atMost: 0, inputTokens: 0, outputTokens: 0, basis: "estimated" },
      ...(failure === undefined
        ? {}
        : {
            wouldEnd: {
              state: evictions.length > 0 ? ("evicted" as const) : failure.state,
              reason: failure.reason,
              nextAction: nextActionFor(failure.state, failure.reason),
            },
          }),
    };
  }

  /** Evict, test the trigger again, summarize. Rungs 3 and 4 (clamp, stop) belong to whoever sends the request. */
  async #climb(plan: CompactionPlan): Promise<CompactOutcome> {
    const floor = this.#floorFailure(plan);
    if (floor !== undefined) {
      this.#floorParts = plan.floor.parts;
      return this.#fail(floor);
    }
    await this.#evict(plan);
    if (this.#options.trigger === "window" && this.#evicted.length > 0 && !this.#isOverLine()) {
      return this.#outcome({ state: "evicted", reason: "evicted_enough" });
    }
    return this.#summarizeAll(plan);
  }

  #plan(): CompactionPlan {
    const { used, policy, trigger, window, summaryMaxTokens, overheadTokens } = this.#options;
    return planCompaction(this.#messages, {
      policy,
      trigger,
      window,
      summaryMaxTokens,
      overheadTokens,
      pinnedIds: this.#context.pinnedIds,
      rootId: this.#context.rootId,
      tokensPerEstimate: used === undefined || this.#before === 0 ? undefined : used.tokens / this.#before,
    });
  }

  /** Ends that are no run at all: nothing is written. */
  #refusal(plan: CompactionPlan): Failure | undefined {
    const { trigger, used, policy, window } = this.#options;
    if (trigger === "window") {
      if (used === undefined) return { state: "nothing_to_do", reason: "no_provider_number" };
      if (plan.effective.windowSource === "assumed")
        return { state: "nothing_to_do", reason: "window_unknown" };
      if (!shouldCompact(policy, window, used.tokens))
        return { state: "nothing_to_do", reason: "below_trigger_line" };
    }
    if (plan.floor.reachesCeiling) return undefined;
    if (plan.leavingCount === 0 && this.#chooseEvictions(plan).length === 0) {
      return { state: "nothing_to_do", reason: "nothing_leaves" };
    }
    return undefined;
  }

  #floorFailure(plan: CompactionPlan): Failure | undefined {
    return plan.floor.reachesCeiling ? { state: "stopped", reason: "floor_at_ceiling" } : undefined;
  }

  #chooseEvictions(plan: CompactionPlan): readonly EvictionCandidate[] {
    const { isStored, recallToolName, trigger, used } = this.#options;
    if (isStored === undefined) return [];
    const candidates = evictionCandidates(this.#messages, plan, { isStored, recallToolName });
    const line = plan.effective.triggerLine;
    const neededTokens =
      trigger === "window" && used !== undefined
        ? Math.max(1, this.#before - Math.floor((this.#before * (line - 1)) / used.tokens))
        : undefined;
    return chooseEvictions(candidates, { ceilingTokens: plan.effective.ceiling, neededTokens });
  }

  async #evict(plan: CompactionPlan): Promise<void> {
    const chosen = this.#chooseEvictions(plan);
    if (chosen.length === 0) return;
    this.#options.onPhase?.("evicting");
    const after = evict(this.#messages, chosen);
    const receipt = this.#receipt({
      rung: "evict",
      after: this.#measure(after),
      state: "evicted",
      reason: "evicted_enough",
      evictedDigests: chosen.map((candidate) => candidate.digest),
    });
    await this.#options.journal.eviction({
      runId: this.#runId,
      receipt,
      beforeHash: contextHash(this.#messages, sha256Hex),
      throughMessageId: this.#context.transcript.at(-1)?.id,
      evicted: chosen.map(({ segmentId, digest, bytes, citation }) => ({
        segmentId,
        digest,
        bytes,
        citation,
      })),
    });
    this.#receipts.push(receipt);
    this.#evicted = chosen;
    this.#messages = after;
    for (const candidate of chosen) this.#left.set(candidate.digest, candidate.segmentId);
  }

  async #summarizeAll(plan: CompactionPlan): Promise<CompactOutcome> {
    const noModel = this.#modelFailure();
    if (noModel !== undefined) return this.#fail(noModel);
    for (let call = 1; ; call += 1) {
      const targetCut = this.#cutOf(plan);
      const found = await this.#nextStep(plan, targetCut);
      if (!found.ok) return this.#fail(stepFailure(found.reason));
      const failure = await this.#summarizeStep(found.step, plan);
      if (failure !== undefined) return this.#fail(failure);
      const isFree = this.#options.model?.writeDraft !== undefined;
      if (found.step.cut === targetCut || call === (isFree ? MAX_FREE_CALLS : MAX_PAID_CALLS)) break;
    }
    const over = this.#options.trigger === "window" && this.#isOverLine();
    return this.#outcome({
      state: "summarized",
      reason: over ? "still_over_trigger_line" : "summary_accepted",
    });
  }

  /** Where the tail that the run aims at begins now. */
  #cutOf(plan: CompactionPlan): number {
    if (plan.tailFrom === undefined) return this.#messages.length;
    return this.#messages.findIndex((message) => message.id === plan.tailFrom);
  }

  #nextStep(plan: CompactionPlan, targetCut: number) {
    const { model, focus, signal } = this.#options;
    return nextSummaryStep({
      messages: this.#messages,
      plan,
      targetCut,
      previous: this.#summary,
      originalOf: (message) => this.#originalOf(message),
      model,
      focus,
      signal,
    });
  }

  #modelFailure(): Failure | undefined {
    return this.#options.model === undefined ? { state: "declined", reason: "no_model" } : undefined;
  }

  /** One generation: decline, or call, read, complete, accept and write. Undefined = accepted. */
  async #summarizeStep(step: SummaryStep, plan: CompactionPlan): Promise<Failure | undefined> {
    const { trigger, wasAttempted, signal } = this.#options;
    const minimal = this.#minimal(step, plan);
    if (minimal === undefined) return { state: "declined", reason: "too_many_commitments" };
    const before = this.#measure(this.#messages);
    const tooSmall = this.#gainFailure(this.#measure(minimal.after), plan, before);
    if (tooSmall !== undefined) return tooSmall;
    const contentHash = sha256Hex(JSON.stringify([step.instruction, step.conversation]));
    if (trigger === "window" && wasAttempted?.(contentHash) === true) {
      return { state: "declined", reason: "already_attempted" };
    }
    this.#options.onPhase?.("summarizing");
    const callStartedAt = this.#options.clock.now();
    const result = await this.#call(step, plan);
    if (!result.ok) return { ...callFailure(result), contentHash };
    this.#options.onPhase?.("checking");
    const { usage } = result.summary;
    const spent = usage === undefined ? { contentHash } : { contentHash, usage };
    const reply = readReply(replyOf(result.summary));
    if (!reply.ok) return { state: "rejected", reason: "reply_rejected", failures: [reply.code], ...spent };
    const replacement = this.#replacement(step, plan, reply.draft);
    if (replacement === undefined) return { state: "declined", reason: "too_many_commitments", ...spent };
    const verdict = acceptReplacement({
      before: this.#messages,
      after: replacement.after,
      summary: replacement.completed.summary,
      previous: this.#summary,
      left: this.#left,
      pinnedIds: new Set(step.partition.held.map((message) => message.id)),
      tailFrom: step.partition.tail[0]?.id,
      rootId: this.#context.rootId,
      measure: (messages) => this.#measure(messages),
    });
    if (!verdict.ok) {
      const onlySize = verdict.failures.every((failure) => failure === "not_smaller");
      const reason = onlySize ? "gain_too_small" : "replacement_rejected";
      return { state: "rejected", reason, failures: verdict.failures, ...spent };
    }
    if (signal.aborted) return { state: "cancelled", reason: "cancelled_by_person", ...spent };
    await this.#accept(step, plan, replacement, { callStartedAt, usage });
    return undefined;
  }

  async #call(step: SummaryStep, plan: CompactionPlan): Promise<SummarizeResult> {
    const { model, signal, clock } = this.#options;
    if (model === undefined) return { ok: false, state: "cancelled" };
    const maxOutputTokens = plan.effective.summaryMaxTokens;
    if (model.writeDraft !== undefined) {
      if (signal.aborted) return { ok: false, state: "cancelled" };
      const { conversation: messages, sources } = step;
      const text = model.writeDraft({ messages, previous: this.#summary, sources, maxOutputTokens });
      return {
        ok: true,
        summary: { text, finishReason: "stop", hadReasoning: false, toolCallCount: 0 },
      };
    }
    return summarize(model, step.conversation, step.instruction, {
      signal,
      clock,
      maxOutputTokens,
      ...(step.maxTextBytes === undefined ? {} : { maxTextBytes: step.maxTextBytes }),
    });
  }

  /** The least that can stand in the place of what leaves: what code carries by itself. */
  #minimal(step: SummaryStep, plan: CompactionPlan): Replacement | undefined {
    return this.#replacement(step, plan, EMPTY_DRAFT);
  }

  #replacement(step: SummaryStep, plan: CompactionPlan, draft: CapsuleDraft): Replacement | undefined {
    const completed = completeDraft({
      draft,
      previous: this.#summary,
      sources: step.sources,
      left: this.#left,
      ceilingTokens: plan.effective.ceiling,
      commitmentIds: this.#context.statementIds,
    });
    if (!completed.ok) return undefined;
    const capsule = summaryMessage(completed.summary, {
      id: `capsule-${this.#runId}-${completed.summary.generation}`,
      messageNumber: (segmentId) => this.#numberOf(segmentId),
    });
    const { system, held, tail } = step.partition;
    return { completed, text: textOfCapsule(capsule), after: [...system, ...held, capsule, ...tail] };
  }

  async #accept(
    step: SummaryStep,
    plan: CompactionPlan,
    replacement: Replacement,
    call: { readonly callStartedAt: number; readonly usage: Usage | undefined },
  ): Promise<void> {
    this.#options.onPhase?.("saving");
    const { completed, after, text } = replacement;
    const firstKept = step.partition.tail[0];
    const left = leavingSegments(step.sources, this.#left);
    const heldIds = new Set(step.partition.held.map((message) => message.id));
    const receipt = this.#receipt({
      rung: "summarize",
      after: this.#measure(after),
      state: "summarized",
      reason: "summary_accepted",
      generation: completed.summary.generation,
      startedAt: call.callStartedAt,
      usage: call.usage,
      pinnedIds: [...heldIds],
      completed,
      called: true,
    });
    await this.#options.journal.compaction({
      runId: this.#runId,
      receipt,
      beforeHash: contextHash(this.#messages, sha256Hex),
      throughMessageId: this.#context.transcript.at(-1)?.id,
      summary: completed.summary,
      capsuleText: text,
      firstKeptMessageId: firstKept?.id,
      firstKeptOrdinal: this.#ordinalOf(firstKept?.id),
      rootId: this.#context.rootId,
      cutPinIds: plan.cutPinIds.filter((id) => heldIds.has(id)),
      left,
    });
    this.#receipts.push(receipt);
    this.#messages = after;
    this.#summary = completed.summary;
    this.#summaries += 1;
    this.#retired.push(...completed.retired);
    this.#carriedOutKeys.push(...completed.carriedOut.map((anchor) => anchor.key));
    for (const [segmentId, digest] of left) this.#left.set(digest, segmentId);
  }

  #gainFailure(atLeast: number, plan: CompactionPlan, before: number): Failure | undefined {
    const least =
      this.#options.trigger === "manual"
        ? MIN_MANUAL_GAIN_TOKENS
        : Math.min(MIN_AUTOMATIC_GAIN_TOKENS, Math.floor(plan.effective.ceiling * MIN_AUTOMATIC_GAIN_SHARE));
    return before - atLeast < least ? { state: "declined", reason: "gain_too_small" } : undefined;
  }

  /** A failed rung is written with its cost; what earlier rungs won stays and rules the end state. */
  async #fail(failure: Failure): Promise<CompactOutcome> {
    const receipt = this.#receipt({
      rung: failure.state === "stopped" ? "stop" : "summarize",
      after: this.#measure(this.#messages),
      state: failure.state,
      reason: failure.reason,
      failures: failure.failures,
      usage: failure.usage,
      errorCode: failure.error?.code,
      called: failure.contentHash !== undefined,
    });
    const attempt: AttemptRecord = {
      runId: this.#runId,
      receipt,
      ...(failure.contentHash === undefined ? {} : { contentHash: failure.contentHash }),
    };
    await this.#options.journal.attempt(attempt);
    this.#receipts.push(receipt);
    if (this.#summaries === 0 && this.#evicted.length === 0) return this.#outcome(failure);
    const done: Failure =
      this.#summaries > 0
        ? { state: "summarized", reason: "summary_accepted" }
        : { state: "evicted", reason: "evicted_enough" };
    return this.#outcome(done, failure);
  }

  #outcome(end: Failure, beside?: Failure): CompactOutcome {
    const told = beside ?? end;
    return {
      runId: this.#runId,
      state: end.state,
      reason: end.reason,
      nextAction: nextActionFor(told.state, told.reason, told.error?.code),
      failures: end.failures ?? [],
      ...(end.error === undefined ? {} : { error: end.error }),
      ...(beside === undefined
        ? {}
        : {
            summaryFailure: {
              state: beside.state,
              reason: beside.reason,
              failures: beside.failures ?? [],
              ...(beside.error === undefined ? {} : { error: beside.error }),
            },
          }),
      messages: this.#messages,
      ...(this.#summary === undefined ? {} : { summary: this.#summary }),
      before: this.#before,
      after: this.#measure(this.#messages),
      retired: this.#retired,
      carriedOutKeys: this.#carriedOutKeys,
      evictedCount: this.#evicted.length,
      floorParts: this.#floorParts,
      receipts: this.#receipts,
    };
  }

  #receipt(entry: {
    rung: CompactionReceipt["rung"];
    after: number;
    state: EndState;
    reason: EndReason;
    failures?: readonly string[] | undefined;
    evictedDigests?: readonly string[] | undefined;
    pinnedIds?: readonly string[] | undefined;
    generation?: number | undefined;
    startedAt?: number | undefined;
    usage?: Usage | undefined;
    errorCode?: string | undefined;
    completed?: Completed | undefined;
    called?: boolean;
  }): CompactionReceipt {
    const { used, model, trigger, clock } = this.#options;
    const startedAt = entry.startedAt ?? this.#startedAt;
    return {
      index: this.#receipts.length + 1,
      rung: entry.rung,
      trigger,
      basis: used?.basis ?? "estimated",
      before: this.#measure(this.#messages),
      after: entry.after,
      ...(used === undefined ? {} : { usedTokens: used.tokens }),
      evictedDigests: entry.evictedDigests ?? [],
      pinnedIds: entry.pinnedIds ?? [],
      ...(entry.generation === undefined ? {} : { generation: entry.generation }),
      ...(entry.called === true && model !== undefined
        ? { modelId: model.id, call: callCost(entry.usage) }
        : {}),
      startedAt,
      durationMs: Math.max(0, clock.now() - startedAt),
      state: entry.state,
      reason: entry.reason,
      failures: entry.failures ?? [],
      ...(entry.errorCode === undefined ? {} : { errorCode: entry.errorCode }),
      retired: (entry.completed?.retired ?? []).map(({ key, byKey }) => ({ key, byKey })),
      carriedOutKeys: (entry.completed?.carriedOut ?? []).map((anchor) => anchor.key),
      droppedQuotes: entry.completed?.droppedQuotes ?? 0,
    };
  }

  #measure(messages: readonly Message[]): number {
    return estimateContext(messages) + (this.#options.overheadTokens ?? 0);
  }

  /** Whether the number that fired would fire again, projected onto the context as it is now. */
  #isOverLine(): boolean {
    const { used, policy, window } = this.#options;
    if (used === undefined) return false;
    const projected = Math.round((used.tokens * this.#measure(this.#messages)) / Math.max(1, this.#before));
    return shouldCompact(policy, window, projected);
  }

  /** The message with the outputs that eviction took out of the context. */
  #originalOf(message: Message): Message {
    if (this.#originals.size === 0) {
      for (const original of this.#context.transcript) this.#originals.set(original.id, original);
    }
    return this.#originals.get(message.id) ?? message;
  }

  /** Number of the branch's own messages before this one; the person's statements are not counted. */
  #ordinalOf(messageId: string | undefined): number {
    let ordinal = 0;
    for (const message of this.#context.transcript) {
      if (message.id === messageId) return ordinal;
      if (!this.#context.statementIds.has(message.id)) ordinal += 1;
    }
    return ordinal;
  }

  /** Number of a message in the transcript, from 1, as people see it. */
  #numberOf(segmentId: string): number | undefined {
    const messageId = segmentId.split("#", 1)[0];
    const at = this.#context.transcript.findIndex(
      (message) => message.id === segmentId || message.id === messageId,
    );
    return at < 0 ? undefined : at + 1;
  }
}

function replyOf(summary: Summary): SummarizerReply {
  const { text, finishReason, toolCallCount, hadReasoning } = summary;
  return {
    text,
    toolCalls: toolCallCount,
    reasoningOnly: hadReasoning && text.trim() === "",
    ...(finishReason === undefined ? {} : { finishReason }),
  };
}

function textOfCapsule(capsule: Message): string {
  const [part] = capsule.content;
  return part?.type === "text" ? part.text : "";
}

function callCost(usage: Usage | undefined): NonNullable<CompactionReceipt["call"]> {
  if (usage === undefined) return { basis: "unavailable" };
  return { inputTokens: usage.inputTokens, outputTokens: usage.outputTokens, basis: "reported" };
}

function stepFailure(reason: "nothing_leaves" | "summary_request_too_big"): Failure {
  return reason === "nothing_leaves" ? { state: "nothing_to_do", reason } : { state: "stopped", reason };
}

function callFailure(result: Exclude<SummarizeResult, { ok: true }>): Failure {
  switch (result.state) {
    case "cancelled":
      return { state: "cancelled", reason: "cancelled_by_person" };
    case "timed_out":
      return { state: "timed_out", reason: result.reason };
    case "provider_error":
      return {
        state: "provider_error",
        reason: "model_failed",
        error: { code: result.code, message: result.message },
      };
  }
}

function codeOf(error: unknown): string {
  if (typeof error === "object" && error !== null && "code" in error) return String(error.code);
  return "unknown";
}
