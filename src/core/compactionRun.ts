import { acceptReplacement } from "./capsule/accept.ts";
import { boundDraft } from "./capsule/boundDraft.ts";
import type { ContextSummary } from "./capsule/contextSummary.ts";
import type { CapsuleDraft } from "./capsule/draft.ts";
import { emptyDraft } from "./capsule/draft.ts";
import { readReply } from "./capsule/readReply.ts";
import { leavingSegments } from "./capsule/sources.ts";
import { chooseEvictions } from "./chooseEvictions.ts";
import type { CompactionPreview, CompactOutcome, RetiredCommitment } from "./compactionOutcome.ts";
import type { CompactionContext, CompactOptions } from "./compactOptions.ts";
import type { ContextIndex } from "./contextIndex.ts";
import { indexContext } from "./contextIndex.ts";
import { sha256Hex } from "./digest.ts";
import { estimateTokens } from "./estimate.ts";
import { evict } from "./evict.ts";
import { evictionCandidates } from "./evictionCandidates.ts";
import type { Message, Usage } from "./messages.ts";
import { nextActionFor } from "./nextAction.ts";
import type { CompactionPlan, EvictionCandidate, FloorPart } from "./plan.ts";
import { planCompaction } from "./planCompaction.ts";
import { ceiling, shouldCompact } from "./policy.ts";
import { contextHash } from "./projection.ts";
import type { CompactionReceipt } from "./records.ts";
import type { Completed, ReplacementCandidate } from "./replacement.ts";
import { replacementCandidate } from "./replacement.ts";
import type { RunEnd } from "./runEnd.ts";
import { endOfCall, endOfStep, endOfWrite, replyOf } from "./runEnd.ts";
import type { SummarizeResult } from "./summarize.ts";
import { summarize } from "./summarize.ts";
import type { StepResult, SummaryStep } from "./summaryStep.ts";
import { nextSummaryStep } from "./summaryStep.ts";
import { TranscriptLookup } from "./transcriptLookup.ts";

/** Paid calls of one run under window pressure or by hand (contract section 4). */
export const MAX_PAID_CALLS = 4;
/** Drafts that cost nothing may take more generations, but not without end. */
export const MAX_FREE_CALLS = 64;
/** An automatic run acts only for at least this much: tokens, or this share of the ceiling. */
export const MIN_AUTOMATIC_GAIN_TOKENS = 20_000;
export const MIN_AUTOMATIC_GAIN_SHARE = 0.1;
/** A run by hand, and every step of any run. */
const MIN_GAIN_TOKENS = 1;
/** What code carries by itself is measured with this objective in its place. */
const CARRIED_ALONE: CapsuleDraft = emptyDraft("-");

/** What a receipt says beyond the run's own facts. */
interface Entry extends RunEnd {
  readonly rung: CompactionReceipt["rung"];
  readonly after: number;
  readonly evictedDigests?: readonly string[];
  readonly pinnedIds?: readonly string[];
  readonly completed?: Completed;
  readonly droppedItems?: number;
  readonly startedAt?: number;
}

/** One run of the ladder over a snapshot of a context. */
export class CompactionRun {
  readonly #options: CompactOptions;
  readonly #context: CompactionContext;
  readonly #lookup: TranscriptLookup;
  readonly #runId: string;
  readonly #startedAt: number;
  readonly #before: number;
  readonly #left: Map<string, string>;
  readonly #receipts: CompactionReceipt[] = [];
  readonly #retired: RetiredCommitment[] = [];
  readonly #carriedOutKeys: string[] = [];
  #messages: readonly Message[];
  #index: ContextIndex | undefined;
  #summary: ContextSummary | undefined;
  #evictedCount = 0;
  #summaries = 0;
  #floorParts: readonly FloorPart[] = [];

  constructor(context: CompactionContext, options: CompactOptions) {
    this.#context = context;
    this.#options = options;
    this.#lookup = new TranscriptLookup(context.transcript, context.statementIds);
    this.#runId = options.newId();
    this.#startedAt = options.clock.now();
    this.#messages = context.messages;
    this.#index = context.index;
    this.#summary = context.summary;
    this.#left = new Map(context.left);
    this.#before = this.#measure(context.messages);
  }

  async run(): Promise<CompactOutcome> {
    this.#options.onPhase?.("planning");
    const notYet = this.#notYet();
    if (notYet !== undefined) return this.#outcome(notYet);
    const plan = this.#plan();
    const idle = this.#nothingToDo(plan);
    if (idle !== undefined) return this.#outcome(idle);
    try {
      return await this.#climb(plan);
    } catch (error) {
      return this.#standing(endOfWrite(error));
    }
  }

  async preview(): Promise<CompactionPreview> {
    const plan = this.#plan();
    const evictions = this.#chooseEvictions(plan);
    const afterEviction = this.#measure(evict(this.#messages, evictions));
    const tailIds = this.#messages
      .slice(plan.cut)
      .flatMap(({ id, kind }) => (kind === "capsule" ? [] : [id]));
    const shared = { plan, before: this.#before, afterEviction, evictions, tailIds };
    const found = await this.#nextStep(plan, plan.cut);
    const minimal = found.ok ? this.#candidate(found.step, plan, CARRIED_ALONE) : undefined;
    const atLeast = minimal === undefined ? afterEviction : this.#measure(minimal.after);
    const gain = found.ok ? await this.#projectedGain(found.step, plan, afterEviction) : 0;
    const ends =
      this.#notYet() ??
      this.#nothingToDo(plan) ??
      floorEnd(plan) ??
      (found.ok ? undefined : endOfStep(found.reason)) ??
      (minimal === undefined ? TOO_MANY_COMMITMENTS : undefined) ??
      this.#gainEnd(gain, plan) ??
      this.#modelEnd();
    const { model } = this.#options;
    const isPaid = model !== undefined && model.writeDraft === undefined && ends === undefined;
    const atMost = !isPaid ? 0 : found.ok && found.step.cut === plan.cut ? 1 : MAX_PAID_CALLS;
    const { held = [], leaving = [] } = found.ok ? found.step.partition : {};
    const summarized = ends === undefined;
    const state =
      ends !== undefined && evictions.length > 0 && ends.state !== "stopped" ? "evicted" : ends?.state;
    return {
      ...shared,
      afterAtLeast: summarized ? Math.min(atLeast, this.#before) : afterEviction,
      afterAtMost: summarized
        ? Math.min(atLeast + plan.effective.summaryMaxTokens, afterEviction)
        : afterEviction,
      summarizedIds: summarized ? leaving.map(({ id }) => id) : [],
      keptIds: held.map(({ id }) => id),
      calls: {
        atMost,
        inputTokens: found.ok ? found.step.requestTokens * atMost : 0,
        outputTokens: plan.effective.summaryMaxTokens * atMost,
        basis: found.ok ? found.step.requestBasis : "estimated",
      },
      ...(ends === undefined || state === undefined
        ? {}
        : { wouldEnd: { state, reason: ends.reason, nextAction: nextActionFor(ends.state, ends.reason) } }),
    };
  }

  /** Evict, test the trigger again, summarize. Rungs 3 and 4 (clamp, stop) belong to whoever sends the request. */
  async #climb(plan: CompactionPlan): Promise<CompactOutcome> {
    const floor = floorEnd(plan);
    if (floor !== undefined) {
      this.#floorParts = plan.floor.parts;
      return this.#fail(floor);
    }
    if (this.#options.signal.aborted) return this.#fail(CANCELLED);
    await this.#evict(plan);
    if (this.#options.trigger === "window" && this.#evictedCount > 0 && !this.#isOverLine()) {
      return this.#outcome({ state: "evicted", reason: "evicted_enough" });
    }
    const noModel = this.#modelEnd();
    if (noModel !== undefined) return this.#fail(noModel);
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
      index: this.#indexed(),
      pinnedIds: this.#context.pinnedIds,
      rootId: this.#context.rootId ?? null,
      tokensPerEstimate: used === undefined || this.#before === 0 ? undefined : used.tokens / this.#before,
    });
  }

  /** Window pressure that is none: no number, no window, below the line. */
  #notYet(): RunEnd | undefined {
    const { trigger, used, policy, window } = this.#options;
    if (trigger !== "window") return undefined;
    if (used === undefined) return { state: "nothing_to_do", reason: "no_provider_number" };
    if (ceiling(policy, window) === undefined) return { state: "nothing_to_do", reason: "window_unknown" };
    if (shouldCompact(policy, window, used.tokens)) return undefined;
    return { state: "nothing_to_do", reason: "below_trigger_line" };
  }

  #nothingToDo(plan: CompactionPlan): RunEnd | undefined {
    const isIdle =
      !plan.floor.reachesCeiling && plan.leavingCount === 0 && this.#chooseEvictions(plan).length === 0;
    return isIdle ? { state: "nothing_to_do", reason: "nothing_leaves" } : undefined;
  }

  #modelEnd(): RunEnd | undefined {
    return this.#options.model === undefined ? { state: "declined", reason: "no_model" } : undefined;
  }

  /** `gain`: what the run would win at most, in tokens. */
  #gainEnd(gain: number, plan: CompactionPlan): RunEnd | undefined {
    const least =
      this.#options.trigger === "manual"
        ? MIN_GAIN_TOKENS
        : Math.min(MIN_AUTOMATIC_GAIN_TOKENS, plan.effective.ceiling * MIN_AUTOMATIC_GAIN_SHARE);
    return gain < least ? GAIN_TOO_SMALL : undefined;
  }

  /**
   * What a run that begins with this step would win with what code carries by itself: all that is to leave, or the
   * share of it that the calls of one run can take in steps like this one. By itself nothing pays for writing the
   * capsule anew: the next one will say about as much as this one does.
   */
  async #projectedGain(step: SummaryStep, plan: CompactionPlan, tokensNow: number): Promise<number> {
    const targetCut = this.#cutOf(plan);
    const found = step.cut === targetCut ? undefined : await this.#nextStep(plan, targetCut, "whole");
    const whole = found?.ok === true ? found.step : step;
    const minimal = this.#candidate(whole, plan, CARRIED_ALONE) ?? this.#candidate(step, plan, CARRIED_ALONE);
    if (minimal === undefined) return 0;
    const rewritten = this.#options.trigger === "manual" ? 0 : this.#shrinkOfCapsule(minimal);
    const gain = tokensNow - this.#measure(minimal.after) - rewritten;
    const all = this.#measure(whole.partition.leaving);
    const reach = this.#mostCalls * this.#measure(step.partition.leaving);
    return gain > 0 && reach < all ? (gain * reach) / all : gain;
  }

  #shrinkOfCapsule({ after }: ReplacementCandidate): number {
    const capsules = (messages: readonly Message[]) => messages.filter(({ kind }) => kind === "capsule");
    return Math.max(0, this.#measure(capsules(this.#messages)) - this.#measure(capsules(after)));
  }

  get #mostCalls(): number {
    return this.#options.model?.writeDraft === undefined ? MAX_PAID_CALLS : MAX_FREE_CALLS;
  }

  #chooseEvictions(plan: CompactionPlan): readonly EvictionCandidate[] {
    const { isStored, recallToolName, trigger, used } = this.#options;
    if (isStored === undefined) return [];
    const candidates = evictionCandidates(this.#messages, plan, {
      isStored,
      recallToolName,
      index: this.#indexed(),
    });
    const ceilingTokens = plan.effective.ceiling;
    if (trigger !== "window" || used === undefined) return chooseEvictions(candidates, { ceilingTokens });
    // Just under the line, on the scale of our own measure.
    const target = Math.floor((this.#before * (plan.effective.triggerLine - 1)) / used.tokens);
    return chooseEvictions(candidates, { ceilingTokens, neededTokens: Math.max(1, this.#before - target) });
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
      evictedDigests: chosen.map(({ digest }) => digest),
    });
    await this.#options.journal.eviction({
      ...this.#boundary(receipt),
      evicted: chosen.map(({ segmentId, digest, bytes, citation }) => ({
        segmentId,
        digest,
        bytes,
        citation,
      })),
    });
    this.#receipts.push(receipt);
    this.#evictedCount = chosen.length;
    this.#replace(after);
    for (const { digest, segmentId } of chosen) this.#left.set(digest, segmentId);
  }

  /** Oldest first, one generation after the other, until the tail that the plan aims at stands alone. */
  async #summarizeAll(plan: CompactionPlan): Promise<CompactOutcome> {
    for (let call = 1; ; call += 1) {
      const targetCut = this.#cutOf(plan);
      const found = await this.#nextStep(plan, targetCut);
      if (!found.ok) return this.#fail(endOfStep(found.reason));
      if (call === 1) {
        const gain = await this.#projectedGain(found.step, plan, this.#measure(this.#messages));
        const tooSmall = this.#gainEnd(gain, plan);
        if (tooSmall !== undefined) return this.#fail(tooSmall);
      }
      const end = await this.#summarizeStep(found.step, plan);
      if (end !== undefined) return this.#fail(end);
      if (found.step.cut === targetCut || call === this.#mostCalls) break;
    }
    const isOver = this.#options.trigger === "window" && this.#isOverLine();
    return this.#outcome({
      state: "summarized",
      reason: isOver ? "still_over_trigger_line" : "summary_accepted",
    });
  }

  /** Where the tail that the plan aims at begins now. */
  #cutOf({ tailFrom }: CompactionPlan): number {
    if (tailFrom === undefined) return this.#messages.length;
    return this.#messages.findIndex(({ id }) => id === tailFrom);
  }

  /** `whole`: as if one call could take any size. */
  #nextStep(plan: CompactionPlan, targetCut: number, size: "sized" | "whole" = "sized"): Promise<StepResult> {
    const { model, summarizerWindow: window, focus, signal, clock } = this.#options;
    return nextSummaryStep({
      messages: this.#messages,
      index: this.#indexed(),
      plan,
      targetCut,
      previous: this.#summary,
      originalOf: (message) => this.#lookup.originalOf(message),
      model: size === "whole" ? undefined : model,
      window,
      focus,
      signal,
      clock,
    });
  }

  /** One generation: decline, or call, read, complete, accept and write. Undefined = accepted. */
  async #summarizeStep(step: SummaryStep, plan: CompactionPlan): Promise<RunEnd | undefined> {
    const { trigger, wasAttempted, signal, clock, onPhase } = this.#options;
    const minimal = this.#candidate(step, plan, CARRIED_ALONE);
    if (minimal === undefined) return TOO_MANY_COMMITMENTS;
    const gain = this.#measure(this.#messages) - this.#measure(minimal.after);
    if (gain < MIN_GAIN_TOKENS) return GAIN_TOO_SMALL;
    const contentHash = sha256Hex(JSON.stringify([step.instruction, step.conversation]));
    if (trigger === "window" && wasAttempted?.(contentHash) === true) {
      return { state: "declined", reason: "already_attempted" };
    }
    // Nothing was paid for a call that was never made.
    if (signal.aborted) return CANCELLED;
    onPhase?.("summarizing");
    const startedAt = clock.now();
    const result = await this.#call(step, plan);
    if (!result.ok) return { ...endOfCall(result), contentHash };
    onPhase?.("checking");
    const { usage } = result.summary;
    const spent = usage === undefined ? { contentHash } : { contentHash, usage };
    const reply = readReply(replyOf(result.summary));
    if (!reply.ok) return { state: "rejected", reason: "reply_rejected", failures: [reply.code], ...spent };
    const candidate = this.#boundedCandidate(step, plan, reply.draft);
    if (candidate === undefined) return { ...TOO_MANY_COMMITMENTS, ...spent };
    const failures = this.#judge(step, plan, candidate);
    if (failures.length > 0) {
      const isOnlySize = failures.every((failure) => failure === "not_smaller");
      return {
        state: "rejected",
        reason: isOnlySize ? "gain_too_small" : "replacement_rejected",
        failures,
        ...spent,
      };
    }
    if (signal.aborted) return { ...CANCELLED, ...spent };
    await this.#accept(step, candidate, { startedAt, ...spent });
    return undefined;
  }

  async #call(step: SummaryStep, plan: CompactionPlan): Promise<SummarizeResult> {
    const { model, signal, clock } = this.#options;
    const maxOutputTokens = plan.effective.summaryMaxTokens;
    if (model === undefined || signal.aborted) return { ok: false, state: "cancelled" };
    const { conversation: messages, sources, instruction, maxTextBytes, partition } = step;
    if (model.writeDraft !== undefined) {
      const text = model.writeDraft({
        messages,
        previous: this.#summary,
        sources,
        tail: partition.tail,
        maxOutputTokens,
      });
      return { ok: true, summary: { text, finishReason: "stop", hadReasoning: false, toolCallCount: 0 } };
    }
    const limit = maxTextBytes === undefined ? {} : { maxTextBytes };
    return summarize(model, messages, instruction, { signal, clock, maxOutputTokens, ...limit });
  }

  #candidate(step: SummaryStep, plan: CompactionPlan, draft: CapsuleDraft): ReplacementCandidate | undefined {
    return replacementCandidate({
      step,
      draft,
      previous: this.#summary,
      left: this.#left,
      statementIds: this.#context.statementIds,
      ceilingTokens: plan.effective.ceiling,
      capsuleId: (generation) => `capsule-${this.#runId}-${generation}`,
      messageNumber: (segmentId) => this.#lookup.numberOf(segmentId),
    });
  }

  /** A draft above its bound is held to it where the request would stay at the trigger line, or no smaller. */
  #boundedCandidate(
    step: SummaryStep,
    plan: CompactionPlan,
    draft: CapsuleDraft,
  ): ReplacementCandidate | undefined {
    const candidate = this.#candidate(step, plan, draft);
    if (candidate === undefined) return undefined;
    const { used } = this.#options;
    const tokens = this.#measure(candidate.after);
    const scale = used === undefined || this.#before === 0 ? 1 : used.tokens / this.#before;
    const fits = tokens * scale < plan.effective.triggerLine && tokens < this.#measure(this.#messages);
    const bounded = fits ? undefined : boundDraft(draft, plan.effective.summaryMaxTokens);
    if (bounded === undefined || bounded.droppedItems === 0) return candidate;
    const smaller = this.#candidate(step, plan, bounded.draft);
    return smaller === undefined ? undefined : { ...smaller, droppedItems: bounded.droppedItems };
  }

  #judge(
    step: SummaryStep,
    plan: CompactionPlan,
    { completed, after }: ReplacementCandidate,
  ): readonly string[] {
    return acceptReplacement({
      before: this.#messages,
      after,
      summary: completed.summary,
      previous: this.#summary,
      left: this.#left,
      pinnedIds: plan.pinnedIds,
      tailFrom: step.partition.tail[0]?.id,
      rootId: this.#context.rootId ?? null,
      measure: (messages) => this.#measure(messages),
    }).failures;
  }

  async #accept(
    step: SummaryStep,
    { completed, after, capsuleText, droppedItems }: ReplacementCandidate,
    call: { readonly startedAt: number; readonly contentHash: string; readonly usage?: Usage },
  ): Promise<void> {
    this.#options.onPhase?.("saving");
    const { summary } = completed;
    const firstKeptMessageId = step.partition.tail[0]?.id;
    const left = leavingSegments(step.sources, this.#left);
    const pinnedIds = step.partition.held.map(({ id }) => id);
    const receipt = this.#receipt({
      rung: "summarize",
      after: this.#measure(after),
      state: "summarized",
      reason: "summary_accepted",
      pinnedIds,
      completed,
      ...(droppedItems === undefined ? {} : { droppedItems }),
      ...call,
    });
    await this.#options.journal.compaction({
      ...this.#boundary(receipt),
      summary,
      capsuleText,
      firstKeptMessageId,
      firstKeptOrdinal: this.#lookup.ordinalOf(firstKeptMessageId),
      rootId: this.#context.rootId,
      heldIds: pinnedIds,
      left,
    });
    this.#receipts.push(receipt);
    this.#replace(after);
    this.#summary = summary;
    this.#summaries += 1;
    this.#retired.push(...completed.retired);
    this.#carriedOutKeys.push(...completed.carriedOut.map(({ key }) => key));
    for (const [segmentId, digest] of left) this.#left.set(digest, segmentId);
  }

  #boundary(receipt: CompactionReceipt) {
    return {
      runId: this.#runId,
      receipt,
      beforeHash: contextHash(this.#messages, sha256Hex),
      throughMessageId: this.#lookup.lastId,
    };
  }

  /** A failed rung is written with its cost. */
  async #fail(end: RunEnd): Promise<CompactOutcome> {
    const rung = end.state === "stopped" ? "stop" : "summarize";
    const receipt = this.#receipt({ ...end, rung, after: this.#measure(this.#messages) });
    const { contentHash } = end;
    const hash = contentHash === undefined ? {} : { contentHash };
    await this.#options.journal.attempt({ runId: this.#runId, receipt, ...hash });
    this.#receipts.push(receipt);
    return this.#standing(end);
  }

  /** What earlier rungs won stays and rules the end state. */
  #standing(end: RunEnd): CompactOutcome {
    if (this.#summaries > 0) return this.#outcome({ state: "summarized", reason: "summary_accepted" }, end);
    if (this.#evictedCount > 0) return this.#outcome({ state: "evicted", reason: "evicted_enough" }, end);
    return this.#outcome(end);
  }

  /** `beside`: how the rung after the last completed one failed. */
  #outcome(end: RunEnd, beside?: RunEnd): CompactOutcome {
    const told = beside ?? end;
    return {
      runId: this.#runId,
      state: end.state,
      reason: end.reason,
      nextAction: nextActionFor(told.state, told.reason, told.error?.code),
      failures: end.failures ?? [],
      ...(end.error === undefined ? {} : { error: end.error }),
      ...(beside === undefined ? {} : { summaryFailure: failureOf(beside) }),
      messages: this.#messages,
      ...(this.#summary === undefined ? {} : { summary: this.#summary }),
      before: this.#before,
      after: this.#measure(this.#messages),
      retired: this.#retired,
      carriedOutKeys: this.#carriedOutKeys,
      evictedCount: this.#evictedCount,
      floorParts: this.#floorParts,
      receipts: this.#receipts,
    };
  }

  #receipt(entry: Entry): CompactionReceipt {
    const { used, model, trigger, clock } = this.#options;
    const { completed, usage, error, startedAt = this.#startedAt } = entry;
    const called = entry.contentHash !== undefined && model !== undefined;
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
      ...(completed === undefined ? {} : { generation: completed.summary.generation }),
      ...(called ? { modelId: model.id, call: callCost(usage) } : {}),
      startedAt,
      durationMs: Math.max(0, clock.now() - startedAt),
      state: entry.state,
      reason: entry.reason,
      failures: entry.failures ?? [],
      ...(error === undefined ? {} : { errorCode: error.code }),
      retired: (completed?.retired ?? []).map(({ key, byKey }) => ({ key, byKey })),
      carriedOutKeys: (completed?.carriedOut ?? []).map(({ key }) => key),
      droppedQuotes: completed?.droppedQuotes ?? 0,
      ...(entry.droppedItems === undefined ? {} : { droppedItems: entry.droppedItems }),
    };
  }

  #replace(messages: readonly Message[]): void {
    this.#messages = messages;
    this.#index = undefined;
  }

  #indexed(): ContextIndex {
    this.#index ??= indexContext(this.#messages, this.#options.estimate);
    return this.#index;
  }

  #measure(messages: readonly Message[]): number {
    const { estimate = estimateTokens, overheadTokens = 0 } = this.#options;
    return messages.reduce((sum, message) => sum + estimate(message), overheadTokens);
  }

  /** Whether the number that fired would fire again, projected onto the context as it is now. */
  #isOverLine(): boolean {
    const { used, policy, window } = this.#options;
    if (used === undefined) return false;
    const projected = Math.round((used.tokens * this.#measure(this.#messages)) / Math.max(1, this.#before));
    return shouldCompact(policy, window, projected);
  }
}

const CANCELLED: RunEnd = { state: "cancelled", reason: "cancelled_by_person" };
const GAIN_TOO_SMALL: RunEnd = { state: "declined", reason: "gain_too_small" };
const TOO_MANY_COMMITMENTS: RunEnd = { state: "declined", reason: "too_many_commitments" };

function floorEnd(plan: CompactionPlan): RunEnd | undefined {
  return plan.floor.reachesCeiling ? { state: "stopped", reason: "floor_at_ceiling" } : undefined;
}

function failureOf({
  state,
  reason,
  failures = [],
  error,
}: RunEnd): NonNullable<CompactOutcome["summaryFailure"]> {
  return { state, reason, failures, ...(error === undefined ? {} : { error }) };
}

function callCost(usage: Usage | undefined): NonNullable<CompactionReceipt["call"]> {
  if (usage === undefined) return { basis: "unavailable" };
  return { inputTokens: usage.inputTokens, outputTokens: usage.outputTokens, basis: "reported" };
}
