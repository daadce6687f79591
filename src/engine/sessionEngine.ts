import { compactContext, previewCompaction } from "../core/compactContext.ts";
import type { CompactionPreview, CompactOutcome } from "../core/compactionOutcome.ts";
import { sha256Hex } from "../core/digest.ts";
import { messageDigests } from "../core/messageDigests.ts";
import type { Message } from "../core/messages.ts";
import { resultSegmentId, textOf } from "../core/messages.ts";
import type { ChatModel } from "../core/model.ts";
import { nextActionFor } from "../core/nextAction.ts";
import type { ContextState } from "../core/projection.ts";
import { messageHash } from "../core/projection.ts";
import type { EndReason, EndState } from "../core/records.ts";
import type { LogEntry } from "../sessions/entries.ts";
import type { Durability, OpenSession } from "../sessions/session.ts";
import { ContextView } from "./contextView.ts";
import type { ContextMark } from "./exchange.ts";
import { exchange, mayRestOn } from "./exchange.ts";
import { handEntry } from "./handEntry.ts";
import type {
  ChatOutcome,
  ChatRequest,
  CommitmentOutcome,
  CommitmentRequest,
  CompactionPhase,
  CompactRequest,
  EngineSettings,
  LiveSession,
  LiveSessionOptions,
  MeterReading,
  UndoOutcome,
} from "./liveSession.ts";
import { MessageEstimates } from "./messageEstimates.ts";
import { readMeter } from "./meterReading.ts";
import type { ModelFacts } from "./modelFacts.ts";
import { ProviderCount } from "./providerCount.ts";
import { inSlices } from "./sliced.ts";
import { planUndo } from "./undo.ts";

interface RunningCompaction {
  readonly runId: string;
  readonly startedAt: number;
  readonly abort: AbortController;
  readonly done: Promise<unknown>;
  phase: CompactionPhase;
}

/** A provider that has not counted a context in this time does without; what it did count is kept. */
const COUNT_PATIENCE_MS = 5000;
const NEVER = new AbortController().signal;

/** The engine of one session: it alone changes the session's context and writes its file. */
export class SessionEngine implements LiveSession {
  readonly file: OpenSession;
  readonly #options: LiveSessionOptions;
  readonly #listeners = new Set<() => void>();
  readonly #estimates = new MessageEstimates();
  #view!: ContextView;
  #facts: ModelFacts | undefined;
  #count: ProviderCount | undefined;
  #running: RunningCompaction | undefined;
  #writes: Promise<unknown> = Promise.resolve();
  #meter: MeterReading | undefined;
  #seenEntries = 0;
  #automaticPaused = false;
  #fileChanges: { dispose(): void } | undefined;
  #counting: AbortController | undefined;
  #disposed = false;
  /** Another number whenever what came before was changed: by a run, an undo, a branch, the hand, another window. */
  #epoch = 0;
  readonly #exchanges = new Set<Promise<unknown>>();
  readonly #closing = new AbortController();

  constructor(options: LiveSessionOptions) {
    this.#options = options;
    this.file = options.file;
  }

  async load(): Promise<void> {
    for (const entry of this.file.state.entries) {
      if (entry.type !== "model") continue;
      this.#facts = { id: entry.modelId, name: entry.name, maxInputTokens: entry.maxInputTokens };
    }
    await this.#refold();
    this.#fileChanges = this.file.onDidChange(() => this.#onFileChange());
  }

  get id(): string {
    return this.file.id;
  }

  get context(): ContextState {
    return this.#view.state;
  }

  get meter(): MeterReading {
    this.#meter ??= readMeter({
      file: this.file,
      view: this.#view,
      model: this.#facts,
      settings: this.#options.settings(),
      running: this.#running,
      automaticPaused: this.automaticPaused,
    });
    return this.#meter;
  }

  get settings(): EngineSettings {
    return this.#options.settings();
  }

  /** Whether an undo paused automatic runs and nobody turned them on again. */
  get automaticPaused(): boolean {
    return this.#automaticPaused;
  }

  onDidChange(listener: () => void): { dispose(): void } {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  }

  async setModel(model: ChatModel | undefined): Promise<void> {
    if (await this.useModel(model)) await this.countContext();
  }

  async useModel(model: ChatModel | undefined): Promise<boolean> {
    const facts = model && { id: model.id, name: model.name, maxInputTokens: model.limits.maxInputTokens };
    const changed = facts?.id !== this.#facts?.id || facts?.maxInputTokens !== this.#facts?.maxInputTokens;
    if (model === undefined) this.#count = undefined;
    else if (this.#count?.modelId !== model.id) this.#count = new ProviderCount(model);
    else this.#count.offeredAs(model);
    if (!changed) return false;
    const otherModel = facts?.id !== this.#facts?.id;
    this.#facts = facts;
    if (facts !== undefined && this.file.readOnly === undefined) {
      const { id: modelId, name, maxInputTokens } = facts;
      const entry = { type: "model", ...this.#stamp(), modelId, name } as const;
      await this.append([maxInputTokens === undefined ? entry : { ...entry, maxInputTokens }], "turn");
    }
    if (otherModel) await this.#refold();
    this.changed();
    return true;
  }

  settingsChanged(): void {
    this.changed();
  }

  async preview(request: {
    readonly model: ChatModel | undefined;
    readonly focus?: string;
  }): Promise<CompactionPreview> {
    await this.#prepareRun();
    return previewCompaction(this.#snapshot(), {
      ...this.#compactionOptions("manual", request.model),
      clock: this.#options.clock,
      focus: request.focus,
    });
  }

  async compact(request: CompactRequest): Promise<CompactOutcome> {
    if (this.file.readOnly !== undefined) return this.#noRun("declined", "read_only");
    if (this.#running !== undefined) return this.#noRun("declined", "already_running");
    const { clock, newId } = this.#options;
    const abort = new AbortController();
    const forward = () => abort.abort();
    request.signal.addEventListener("abort", forward);
    if (request.signal.aborted) abort.abort();
    const runId = newId();
    const work = this.#climb(request, runId, abort.signal);
    this.#running = { runId, startedAt: clock.now(), abort, done: work, phase: "planning" };
    this.changed();
    try {
      return await work;
    } finally {
      request.signal.removeEventListener("abort", forward);
      this.#running = undefined;
      this.changed();
    }
  }

  async #climb(request: CompactRequest, runId: string, signal: AbortSignal): Promise<CompactOutcome> {
    const onPhase = (phase: CompactionPhase) => {
      request.onPhase?.(phase);
      if (this.#running?.runId !== runId) return;
      this.#running.phase = phase;
      this.changed();
    };
    // A run looks at the context as everything asked for before it leaves it.
    await this.#writes;
    await this.#prepareRun();
    return compactContext(this.#snapshot(), {
      ...this.#compactionOptions(request.trigger, request.model),
      focus: request.focus,
      clock: this.#options.clock,
      newId: () => runId,
      signal,
      wasAttempted: (contentHash) => this.#wasAttempted(contentHash),
      onPhase,
      journal: {
        eviction: (record) => this.append([{ type: "eviction", ...this.#stamp(), record }], "boundary"),
        compaction: (record) => this.append([{ type: "compaction", ...this.#stamp(), record }], "boundary"),
        attempt: (record) => this.append([{ type: "attempt", ...this.#stamp(), record }], "boundary"),
      },
    });
  }

  async undo(): Promise<UndoOutcome> {
    if (this.file.readOnly !== undefined) return { ok: false, reason: "read_only" };
    if (this.#running !== undefined) return { ok: false, reason: "running" };
    return this.#inTurn(async () => {
      await this.#prepareRun();
      const measure = (messages: readonly Message[]): number => this.#measure(messages);
      const plan = planUndo(this.file.state.branch, this.context, measure);
      if (!plan.ok) return plan;
      const { runId, before, after } = plan;
      await this.#write([{ type: "undo", ...this.#stamp(), runId, before, after }], "boundary");
      return {
        ok: true,
        runId,
        kind: plan.kind,
        ...(plan.generation === undefined ? {} : { generation: plan.generation }),
      };
    });
  }

  async changeCommitment(request: CommitmentRequest): Promise<CommitmentOutcome> {
    if (this.file.readOnly !== undefined) return { ok: false, failures: ["read_only"] };
    while (this.#running !== undefined) await this.#running.done.catch(() => {});
    // In turn, so that the capsule it is made from is the one that it follows in the file.
    return this.#inTurn(async () => {
      const made = handEntry(request, this.context, this.#options.newId());
      if (!made.ok) return made;
      await this.#write([{ type: "commitment", ...this.#stamp(), record: made.record }], "boundary");
      const { summary } = made.record;
      return summary === undefined ? { ok: true } : { ok: true, generation: summary.generation };
    });
  }

  async chat(request: ChatRequest): Promise<ChatOutcome> {
    const signal = AbortSignal.any([request.signal, this.#closing.signal]);
    const work = exchange(this, { ...request, signal }, this.#options);
    this.#exchanges.add(work);
    try {
      return await work;
    } finally {
      this.#exchanges.delete(work);
    }
  }

  async branchFrom(messageId: string | null): Promise<void> {
    await this.cancelRun();
    await this.append([{ type: "branch", ...this.#stamp(), from: messageId }], "boundary");
  }

  async allowAutomatic(): Promise<void> {
    await this.append([{ type: "automatic", ...this.#stamp(), allowed: true }], "boundary");
  }

  async original(
    segmentId: string,
  ): Promise<{ readonly text: string; readonly digest: string; readonly message: Message }> {
    const found = findSegment(this.context.transcript, segmentId);
    if (found === undefined) {
      throw new Error(`The session has no segment "${segmentId}" on this branch.`);
    }
    const digest = this.context.evicted.get(segmentId)?.digest ?? sha256Hex(found.text);
    return { text: await this.file.recover(digest), digest, message: found.message };
  }

  /** Ends a compaction that is under way and waits for it; its late answer is dropped. */
  async cancelRun(): Promise<void> {
    while (this.#running !== undefined) {
      this.#running.abort.abort();
      await this.#running.done.catch(() => {});
    }
  }

  async dispose(): Promise<void> {
    if (this.#disposed) return;
    this.#disposed = true;
    this.#counting?.abort();
    // A reply under way is written as far as it came.
    this.#closing.abort();
    await this.cancelRun();
    await Promise.allSettled(this.#exchanges);
    this.#fileChanges?.dispose();
    await this.#writes.catch(() => {});
    await this.file.close();
    this.#listeners.clear();
  }

  /** Writes, then changes what is in memory; in the order of the calls. Throws `SessionError`. */
  append(entries: readonly LogEntry[], durability: Durability): Promise<void> {
    return this.#inTurn(() => this.#write(entries, durability));
  }

  appendFor(
    mark: ContextMark,
    durability: Durability,
    entries: (isSameContext: boolean) => readonly LogEntry[],
  ): Promise<void> {
    return this.#inTurn(() => this.#write(entries(this.#isAt(mark)), durability));
  }

  get mark(): ContextMark {
    return { epoch: this.#epoch, length: this.context.messages.length };
  }

  /** The provider's own count of the context as it is, written as a reading; nothing where it does not count. */
  async countContext(signal: AbortSignal = NEVER): Promise<void> {
    const count = this.#count;
    const through = this.context.messages.at(-1);
    if (count === undefined || through === undefined || this.#view.used.isCurrent || signal.aborted) return;
    this.#counting?.abort();
    const counting = new AbortController();
    this.#counting = counting;
    const mark = this.mark;
    const messages = this.context.messages.slice();
    const giveUp = AbortSignal.any([counting.signal, signal]);
    void this.#options.clock.delay(COUNT_PATIENCE_MS, giveUp).then(() => counting.abort());
    const tokens = await count.count(messages, giveUp);
    const isLate = giveUp.aborted;
    counting.abort();
    if (tokens === undefined || isLate || this.#disposed || this.file.readOnly !== undefined) return;
    const stamp = this.#stamp();
    await this.appendFor(mark, "turn", (isSameContext) => {
      const reading = {
        modelId: count.modelId,
        basis: "counted" as const,
        throughMessageId: through.id,
        tokens,
        ownTokens: this.#view.used.ownTokens,
        at: stamp.at,
      };
      return isSameContext ? [{ type: "usage", ...stamp, reading }] : [];
    });
  }

  stamp(): { readonly id: string; readonly at: number } {
    return this.#stamp();
  }

  changed(): void {
    this.#meter = undefined;
    for (const listener of [...this.#listeners]) listener();
  }

  #stamp(): { readonly id: string; readonly at: number } {
    return { id: this.#options.newId(), at: this.#options.clock.now() };
  }

  #snapshot() {
    const { context } = this;
    return {
      ...context,
      messages: context.messages.slice(),
      transcript: context.transcript.slice(),
      index: this.#view.index,
    };
  }

  #compactionOptions(trigger: CompactRequest["trigger"], model: ChatModel | undefined) {
    const { policy, summaryMaxTokens, estimatedMode } = this.#options.settings();
    const { usedTokens, basis } = this.meter;
    const used =
      usedTokens !== undefined && mayRestOn(basis, estimatedMode) ? { tokens: usedTokens, basis } : undefined;
    return {
      trigger,
      policy,
      summaryMaxTokens,
      window: this.#facts?.maxInputTokens,
      model,
      // What a person says about the window of the chat's model holds where that model summarizes, too.
      summarizerWindow: model?.id === this.#facts?.id ? policy.window : undefined,
      used,
      estimate: (message: Message) => this.#estimates.of(message),
      isStored: (digest: string) => this.file.isStored(digest),
      pause: this.#options.pause,
    };
  }

  /** Does in slices what a run, a preview or an undo would do in one go: estimates by message, hashes, digests. */
  async #prepareRun(): Promise<void> {
    const { pause } = this.#options;
    await this.file.indexDigests();
    await this.#estimates.prepare(pause);
    const hash = (message: Message): void => {
      messageHash(message, sha256Hex);
      messageDigests(message);
    };
    await inSlices(this.context.transcript, hash, pause);
  }

  #measure(messages: readonly Message[]): number {
    let tokens = 0;
    for (const message of messages) tokens += this.#estimates.of(message);
    return tokens;
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#writes.then(work);
    this.#writes = done.catch(() => {});
    return done;
  }

  async #write(entries: readonly LogEntry[], durability: Durability): Promise<void> {
    if (entries.length === 0) return;
    await this.file.append(entries, durability);
    await this.#follow();
  }

  #isAt({ epoch, length }: ContextMark): boolean {
    return this.#epoch === epoch && this.context.messages.length === length;
  }

  #wasAttempted(contentHash: string): boolean {
    return this.file.state.branch.some(
      (entry) => entry.type === "attempt" && entry.record.contentHash === contentHash,
    );
  }

  #noRun(state: EndState, reason: EndReason): CompactOutcome {
    const { messages } = this.context;
    const { index } = this.#view;
    const tokens = index.tokensBefore(index.length);
    return {
      runId: this.#options.newId(),
      state,
      reason,
      nextAction: nextActionFor(state, reason),
      failures: [],
      messages,
      before: tokens,
      after: tokens,
      retired: [],
      carriedOutKeys: [],
      evictedCount: 0,
      floorParts: [],
      receipts: [],
    };
  }

  /** Brings memory up to the file: one step for each message, a new fold where the past changed. */
  async #follow(): Promise<void> {
    const { entries } = this.file.state;
    const fresh = entries.slice(this.#seenEntries);
    for (const entry of fresh) this.#notePause(entry);
    if (fresh.every(isAppendable)) {
      for (const entry of fresh) {
        if (entry.type === "message" || entry.type === "usage" || entry.type === "attempt")
          this.#view.append(entry);
      }
      this.#seenEntries = entries.length;
    } else {
      await this.#refold();
    }
    this.changed();
  }

  async #refold(): Promise<void> {
    const { entries } = this.file.state;
    this.#epoch += 1;
    this.#seenEntries = entries.length;
    this.#automaticPaused = false;
    for (const entry of entries) this.#notePause(entry);
    this.#view = await ContextView.of(
      this.file.state.branch,
      this.#facts?.id,
      this.#estimates,
      this.#options.pause,
    );
    this.#meter = undefined;
    if (this.#view.isSummingEvictables) void this.#sumUpEvictables(this.#view);
  }

  async #sumUpEvictables(view: ContextView): Promise<void> {
    await view.sumUpEvictables(this.#options.pause);
    if (view === this.#view && !this.#disposed) this.changed();
  }

  #notePause(entry: LogEntry): void {
    if (entry.type === "undo") this.#automaticPaused = true;
    else if (entry.type === "automatic") this.#automaticPaused = !entry.allowed;
  }

  /** Another window wrote, or the lock changed hands. */
  #onFileChange(): void {
    if (this.#disposed) return;
    const work = this.#writes.then(async () => {
      if (this.file.state.entries.length === this.#seenEntries) this.changed();
      else await this.#refold().then(() => this.changed());
    });
    this.#writes = work.catch(() => {});
  }
}

/** Entries after which the past is as it was. */
function isAppendable(entry: LogEntry): boolean {
  switch (entry.type) {
    case "eviction":
    case "compaction":
    case "undo":
    case "branch":
    case "boundary":
    case "commitment":
      return false;
    default:
      return true;
  }
}

function findSegment(
  transcript: readonly Message[],
  segmentId: string,
): { readonly message: Message; readonly text: string } | undefined {
  for (const message of transcript) {
    if (message.id === segmentId) return { message, text: textOf(message) };
    if (!segmentId.startsWith(`${message.id}#`)) continue;
    for (const part of message.content) {
      if (part.type === "tool-result" && resultSegmentId(message.id, part.toolCallId) === segmentId) {
        return { message, text: part.output };
      }
    }
  }
  return undefined;
}
