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
import type { Message } from "./messages.ts";
import type { ChatModel, ModelRequest } from "./model.ts";
import { nextActionFor } from "./nextAction.ts";
import { partitionContext } from "./partition.ts";
import type { CompactionPlan, EvictionCandidate, FloorPart } from "./plan.ts";
import { planCompaction } from "./planCompaction.ts";
import { ceiling, shouldCompact } from "./policy.ts";
import { contextHash, messageHash } from "./projection.ts";
import type { CompactionReceipt } from "./records.ts";
import type { Completed, ReplacementCandidate } from "./replacement.ts";
import { replacementCandidate } from "./replacement.ts";
import type { RunEnd } from "./runEnd.ts";
import { endOfCall, endOfStep, endOfWrite, replyOf } from "./runEnd.ts";
import type { SummarizeResult } from "./summarize.ts";
import { summarize, summarizeRequest } from "./summarize.ts";
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

interface PaidCall {
  readonly result: SummarizeResult | undefined;
  readonly startedAt: number;
  readonly callId?: string;
}

/** `end`: how the run would end with no step taken. */
interface Foreseen {
  readonly steps: readonly SummaryStep[];
  readonly end?: RunEnd;
}

type LeastResult =
  | { readonly ok: true; readonly candidate: ReplacementCandidate }
  | { readonly ok: false; readonly end: RunEnd };

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
    await this.#pause();
    try {
      return await this.#climb(plan);
    } catch (error) {
      return this.#standing(endOfWrite(error));
    }
  }

  /** The ladder with what code carries by itself in the place of every draft; nothing of it is sent or written. */
  async preview(): Promise<CompactionPreview> {
    const plan = this.#plan();
    const { held, tail } = partitionContext(this.#messages, plan);
    const idle = this.#notYet() ?? this.#nothingToDo(plan) ?? floorEnd(plan);
    await this.#pause();
    const evictions = idle === undefined ? this.#chooseEvictions(plan) : [];
    this.#standEvicted(evictions, evict(this.#messages, evictions));
    const afterEviction = this.#measure(this.#messages);
    const foreseen = idle === undefined ? await this.#foreseeSummaries(plan) : { steps: [], end: idle };
    const end = foreseen.end ?? this.#modelEnd();
    const steps = end === undefined ? foreseen.steps : [];
    const { model } = this.#options;
    const isPaid = model !== undefined && model.writeDraft === undefined && steps.length > 0;
    const atMost = !isPaid ? 0 : steps.length === 1 ? 1 : this.#mostCalls;
    const { summaryMaxTokens } = plan.effective;
    const afterAtLeast = steps.length === 0 ? afterEviction : this.#measure(this.#messages);
    return {
      plan,
      before: this.#before,
      afterEviction,
      evictions,
      afterAtLeast,
      afterAtMost: Math.min(afterAtLeast + summaryMaxTokens * steps.length, afterEviction),
      summarizedIds: steps.flatMap(({ partition }) => partition.leaving.map(({ id }) => id)),
      keptIds: held.map(({ id }) => id),
      tailIds: tail.map(({ id }) => id),
      calls: {
        atMost,
        inputTokens: atMost * Math.max(0, ...steps.map(({ requestTokens }) => requestTokens)),
        outputTokens: atMost * summaryMaxTokens,
        basis: steps.some(({ requestBasis }) => requestBasis === "estimated") ? "estimated" : "counted",
      },
      ...(end === undefined
        ? {}
        : {
            wouldEnd: {
              state: evictions.length > 0 ? "evicted" : end.state,
              reason: end.reason,
              nextAction: nextActionFor(end.state, end.reason),
            },
          }),
    };
  }

  /** What happens after eviction: the steps that `#summarizeAll` would take, or why it would take none. */
  async #foreseeSummaries(plan: CompactionPlan): Promise<Foreseen> {
    if (this.#evictedCount > 0 && (await this.#isEnough())) return { steps: [], end: EVICTED_ENOUGH };
    const steps: SummaryStep[] = [];
    const ended = (end: RunEnd): Foreseen => (steps.length === 0 ? { steps, end } : { steps });
    for (;;) {
      const targetCut = this.#cutOf(plan);
      const found = await this.#nextStep(plan, targetCut);
      if (!found.ok) return ended(endOfStep(found.reason));
      const { step } = found;
      const least = await this.#leastOf(step, plan, steps.length === 0);
      if (!least.ok) return ended(least.end);
      steps.push(step);
      this.#stand(step, least.candidate);
      if (step.cut === targetCut || steps.length === this.#mostCalls) return { steps };
    }
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
    if (this.#evictedCount > 0 && (await this.#isEnough())) {
      return this.#outcome(EVICTED_ENOUGH);
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
    const { model, spend } = this.#options;
    if (model === undefined) return { state: "declined", reason: "no_model" };
    return spend?.callsLeft === 0 ? { state: "declined", reason: "compactions_used_up" } : undefined;
  }

  /** `gain`: what the run would win at most, in tokens. */
  #gainEnd(gain: number, plan: CompactionPlan): RunEnd | undefined {
    const { trigger, spend } = this.#options;
    const automatic = Math.min(MIN_AUTOMATIC_GAIN_TOKENS, plan.effective.ceiling * MIN_AUTOMATIC_GAIN_SHARE);
    const least = trigger === "manual" ? MIN_GAIN_TOKENS : (spend?.minYieldTokens ?? automatic);
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
    const { model, spend } = this.#options;
    return model?.writeDraft === undefined ? (spend?.callsLeft ?? MAX_PAID_CALLS) : MAX_FREE_CALLS;
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
    await this.#pause();
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
    this.#standEvicted(chosen, after);
  }

  #standEvicted(chosen: readonly EvictionCandidate[], after: readonly Message[]): void {
    this.#evictedCount = chosen.length;
    if (chosen.length > 0) this.#replace(after);
    for (const { digest, segmentId } of chosen) this.#left.set(digest, segmentId);
  }

  /** Oldest first, one generation after the other, until the tail that the plan aims at stands alone. */
  async #summarizeAll(plan: CompactionPlan): Promise<CompactOutcome> {
    for (let call = 1; ; call += 1) {
      const targetCut = this.#cutOf(plan);
      const found = await this.#nextStep(plan, targetCut);
      if (!found.ok) return this.#fail(endOfStep(found.reason));
      const least = await this.#leastOf(found.step, plan, call === 1);
      if (!least.ok) return this.#fail(least.end);
      const end = await this.#summarizeStep(found.step, plan, least.candidate.after);
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
  async #nextStep(
    plan: CompactionPlan,
    targetCut: number,
    size: "sized" | "whole" = "sized",
  ): Promise<StepResult> {
    await this.#pause();
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

  /** What a step wins at the most, which code carries by itself; else why no call is made for it. */
  async #leastOf(step: SummaryStep, plan: CompactionPlan, isFirst: boolean): Promise<LeastResult> {
    await this.#pause();
    const candidate = this.#candidate(step, plan, CARRIED_ALONE);
    if (candidate === undefined) return { ok: false, end: TOO_MANY_COMMITMENTS };
    const tokensNow = this.#measure(this.#messages);
    const tooSmall = isFirst
      ? this.#gainEnd(await this.#projectedGain(step, plan, tokensNow), plan)
      : undefined;
    if (tooSmall !== undefined) return { ok: false, end: tooSmall };
    if (tokensNow - this.#measure(candidate.after) < MIN_GAIN_TOKENS)
      return { ok: false, end: GAIN_TOO_SMALL };
    return { ok: true, candidate };
  }

  /** One generation: decline, or call, read, complete, accept and write. Undefined = accepted. */
  async #summarizeStep(
    step: SummaryStep,
    plan: CompactionPlan,
    afterAtLeast: readonly Message[],
  ): Promise<RunEnd | undefined> {
    const { trigger, wasAttempted, signal, onPhase } = this.#options;
    const contentHash = contentHashOf(step);
    if (trigger !== "manual" && wasAttempted?.(contentHash) === true) {
      return { state: "declined", reason: "already_attempted" };
    }
    // Nothing was paid for a call that was never made.
    if (signal.aborted) return CANCELLED;
    const { result, startedAt, callId } = await this.#paidCall(step, plan, afterAtLeast);
    if (result === undefined) return { state: "declined", reason: "budget_too_short" };
    const called = { contentHash, ...(callId === undefined ? {} : { callId }) };
    if (!result.ok) return { ...endOfCall(result), ...called };
    onPhase?.("checking");
    const { usage } = result.summary;
    const spent = usage === undefined ? called : { ...called, usage };
    const reply = readReply(replyOf(result.summary));
    if (!reply.ok) return { state: "rejected", reason: "reply_rejected", failures: [reply.code], ...spent };
    await this.#pause();
    const candidate = this.#boundedCandidate(step, plan, reply.draft);
    if (candidate === undefined) return { ...TOO_MANY_COMMITMENTS, ...spent };
    await this.#pause();
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
    await this.#pause();
    if (signal.aborted) return { ...CANCELLED, ...spent };
    await this.#accept(step, candidate, { startedAt, ...spent });
    return undefined;
  }

  /** The call, paid from the spend budget where there is one; no result: the budget does not cover it. */
  async #paidCall(
    step: SummaryStep,
    plan: CompactionPlan,
    afterAtLeast: readonly Message[],
  ): Promise<PaidCall> {
    const { model, spend, signal, clock, onPhase } = this.#options;
    const isFree = model === undefined || model.writeDraft !== undefined;
    const maxOutputTokens = plan.effective.summaryMaxTokens;
    const paid =
      spend === undefined || isFree
        ? undefined
        : await spend.open({
            model,
            request: requestOf(step, maxOutputTokens),
            countedTokens: step.requestBasis === "counted" ? step.requestTokens : undefined,
            maxOutputTokens,
            afterAtLeast,
            signal,
          });
    const startedAt = clock.now();
    if (spend !== undefined && !isFree && paid === undefined) {
      return { result: signal.aborted ? { ok: false, state: "cancelled" } : undefined, startedAt };
    }
    onPhase?.("summarizing");
    const result = await this.#call(step, plan, paid?.model ?? model);
    await paid?.settle();
    return { result, startedAt, ...(paid === undefined ? {} : { callId: paid.callId }) };
  }

  async #call(
    step: SummaryStep,
    plan: CompactionPlan,
    model: ChatModel | undefined,
  ): Promise<SummarizeResult> {
    const { signal, clock } = this.#options;
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
      recordOrder: (segmentId) => this.#lookup.numberOf(segmentId),
      measure: (messages) => this.#measure(messages),
    }).failures;
  }

  async #accept(
    step: SummaryStep,
    candidate: ReplacementCandidate,
    call: Pick<Entry, "startedAt" | "contentHash" | "usage" | "callId">,
  ): Promise<void> {
    this.#options.onPhase?.("saving");
    const { completed, after, capsuleText, droppedItems } = candidate;
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
    this.#stand(step, candidate);
    this.#summaries += 1;
    this.#retired.push(...completed.retired);
    this.#carriedOutKeys.push(...completed.carriedOut.map(({ key }) => key));
  }

  #stand(step: SummaryStep, { completed, after }: ReplacementCandidate): void {
    for (const [segmentId, digest] of leavingSegments(step.sources, this.#left)) {
      this.#left.set(digest, segmentId);
    }
    this.#replace(after);
    this.#summary = completed.summary;
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
    if (this.#evictedCount > 0) return this.#outcome(EVICTED_ENOUGH, end);
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
    const { completed, error, startedAt = this.#startedAt } = entry;
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
      ...(called ? { modelId: model.id, call: callCost(entry) } : {}),
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

  async #pause(): Promise<void> {
    await this.#options.pause?.();
  }

  #measure(messages: readonly Message[]): number {
    const { estimate = estimateTokens, overheadTokens = 0 } = this.#options;
    const index = messages === this.#messages ? this.#index : undefined;
    if (index?.length === messages.length) return index.tokensBefore(index.length) + overheadTokens;
    return messages.reduce((sum, message) => sum + estimate(message), overheadTokens);
  }

  /** Whether the trigger that began the run would no longer fire; one by hand goes on in any case. */
  async #isEnough(): Promise<boolean> {
    const { trigger, spend } = this.#options;
    if (trigger === "window") return !this.#isOverLine();
    return trigger === "spend" && (await spend?.isEnough?.(this.#messages)) === true;
  }

  /** Whether the number that fired would fire again, projected onto the context as it is now. */
  #isOverLine(): boolean {
    const { used, policy, window } = this.#options;
    if (used === undefined) return false;
    const projected = Math.round((used.tokens * this.#measure(this.#messages)) / Math.max(1, this.#before));
    return shouldCompact(policy, window, projected);
  }
}

const EVICTED_ENOUGH: RunEnd = { state: "evicted", reason: "evicted_enough" };
const CANCELLED: RunEnd = { state: "cancelled", reason: "cancelled_by_person" };
const GAIN_TOO_SMALL: RunEnd = { state: "declined", reason: "gain_too_small" };
/** What a call is about: the same for the same instruction over the same messages. */
function contentHashOf({ instruction, conversation }: SummaryStep): string {
  const said = conversation.map((message) => messageHash(message, sha256Hex));
  return sha256Hex([sha256Hex(instruction), ...said].join("\n"));
}

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

function callCost({ usage, callId }: RunEnd): NonNullable<CompactionReceipt["call"]> {
  const metered = callId === undefined ? {} : { callId };
  if (usage === undefined) return { basis: "unavailable", ...metered };
  const { inputTokens, outputTokens } = usage;
  return { inputTokens, outputTokens, basis: "reported", ...metered };
}

/** The request that `summarize` sends for a step. */
function requestOf(
  { conversation, instruction, maxTextBytes }: SummaryStep,
  maxOutputTokens: number,
): ModelRequest {
  const limit = maxTextBytes === undefined ? {} : { maxTextBytes };
  return summarizeRequest(conversation, instruction, { maxOutputTokens, ...limit });
}
