import { compactContext, previewCompaction } from "../core/compactContext.ts";
import type { CompactionPreview, CompactOutcome } from "../core/compactionOutcome.ts";
import { sha256Hex } from "../core/digest.ts";
import { estimateContext } from "../core/estimate.ts";
import type { Message } from "../core/messages.ts";
import { resultSegmentId, textOf } from "../core/messages.ts";
import type { ChatModel } from "../core/model.ts";
import { nextActionFor } from "../core/nextAction.ts";
import type { ContextState } from "../core/projection.ts";
import type { EndReason, EndState } from "../core/records.ts";
import type { LogEntry } from "../sessions/entries.ts";
import type { Durability, OpenSession } from "../sessions/session.ts";
import { ContextView, estimateOnce } from "./contextView.ts";
import { exchange } from "./exchange.ts";
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
import { readMeter } from "./meterReading.ts";
import type { ModelFacts } from "./modelFacts.ts";
import { ProviderCount } from "./providerCount.ts";
import { planUndo } from "./undo.ts";

interface RunningCompaction {
  readonly runId: string;
  readonly startedAt: number;
  readonly abort: AbortController;
  readonly done: Promise<unknown>;
  phase: CompactionPhase;
}

/** The engine of one session: it alone changes the session's context and writes its file. */
export class SessionEngine implements LiveSession {
  readonly file: OpenSession;
  readonly #options: LiveSessionOptions;
  readonly #listeners = new Set<() => void>();
  readonly #estimates = new Map<Message, number>();
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

  constructor(options: LiveSessionOptions) {
    this.#options = options;
    this.file = options.file;
  }

  async load(): Promise<void> {
    this.#facts = lastModel(this.file.state.entries);
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
    const facts = model && { id: model.id, name: model.name, maxInputTokens: model.limits.maxInputTokens };
    const changed = facts?.id !== this.#facts?.id || facts?.maxInputTokens !== this.#facts?.maxInputTokens;
    if (model === undefined) this.#count = undefined;
    else if (this.#count?.modelId !== model.id) this.#count = new ProviderCount(model);
    if (!changed) return;
    const otherModel = facts?.id !== this.#facts?.id;
    this.#facts = facts;
    if (facts !== undefined && this.file.readOnly === undefined) {
      const { id: modelId, name, maxInputTokens } = facts;
      const entry = { type: "model", ...this.#stamp(), modelId, name } as const;
      await this.append([maxInputTokens === undefined ? entry : { ...entry, maxInputTokens }], "turn");
    }
    if (otherModel) await this.#refold();
    this.changed();
    await this.countContext();
  }

  settingsChanged(): void {
    this.changed();
  }

  preview(request: {
    readonly model: ChatModel | undefined;
    readonly focus?: string;
  }): Promise<CompactionPreview> {
    return previewCompaction(this.#snapshot(), {
      ...this.#compactionOptions("manual"),
      model: request.model,
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
    const onPhase = (phase: CompactionPhase) => {
      request.onPhase?.(phase);
      if (this.#running?.runId !== runId) return;
      this.#running.phase = phase;
      this.changed();
    };
    await this.file.indexDigests();
    const work = compactContext(this.#snapshot(), {
      ...this.#compactionOptions(request.trigger),
      model: request.model,
      focus: request.focus,
      clock,
      newId: () => runId,
      signal: abort.signal,
      wasAttempted: (contentHash) => this.#wasAttempted(contentHash),
      onPhase,
      journal: {
        eviction: (record) => this.append([{ type: "eviction", ...this.#stamp(), record }], "boundary"),
        compaction: (record) => this.append([{ type: "compaction", ...this.#stamp(), record }], "boundary"),
        attempt: (record) => this.append([{ type: "attempt", ...this.#stamp(), record }], "boundary"),
      },
    });
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

  async undo(): Promise<UndoOutcome> {
    if (this.file.readOnly !== undefined) return { ok: false, reason: "read_only" };
    if (this.#running !== undefined) return { ok: false, reason: "running" };
    const plan = planUndo(this.file.state.branch, this.context, (messages) => estimateContext(messages));
    if (!plan.ok) return plan;
    const { runId, before, after } = plan;
    await this.append([{ type: "undo", ...this.#stamp(), runId, before, after }], "boundary");
    return {
      ok: true,
      runId,
      kind: plan.kind,
      ...(plan.generation === undefined ? {} : { generation: plan.generation }),
    };
  }

  async changeCommitment(request: CommitmentRequest): Promise<CommitmentOutcome> {
    if (this.file.readOnly !== undefined) return { ok: false, failures: ["read_only"] };
    await this.#running?.done.catch(() => {});
    const made = handEntry(request, this.context, this.#options.newId());
    if (!made.ok) return made;
    await this.append([{ type: "commitment", ...this.#stamp(), record: made.record }], "boundary");
    const { summary } = made.record;
    return summary === undefined ? { ok: true } : { ok: true, generation: summary.generation };
  }

  chat(request: ChatRequest): Promise<ChatOutcome> {
    return exchange(this, request, this.#options);
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
    this.#running?.abort.abort();
    await this.#running?.done.catch(() => {});
  }

  async dispose(): Promise<void> {
    if (this.#disposed) return;
    this.#disposed = true;
    this.#counting?.abort();
    await this.cancelRun();
    this.#fileChanges?.dispose();
    await this.#writes.catch(() => {});
    await this.file.close();
    this.#listeners.clear();
  }

  /** Writes, then changes what is in memory; in the order of the calls. Throws `SessionError`. */
  append(entries: readonly LogEntry[], durability: Durability): Promise<void> {
    const work = this.#writes.then(async () => {
      await this.file.append(entries, durability);
      await this.#follow();
    });
    this.#writes = work.catch(() => {});
    return work;
  }

  /** The provider's own count of the context as it is, written as a reading; nothing where it does not count. */
  async countContext(): Promise<void> {
    const count = this.#count;
    if (count === undefined || this.#view.used.isCurrent) return;
    this.#counting?.abort();
    const counting = new AbortController();
    this.#counting = counting;
    const { messages } = this.context;
    const through = messages.at(-1);
    const length = messages.length;
    if (through === undefined) return;
    const tokens = await count.count(messages.slice(), counting.signal);
    const isStale = counting.signal.aborted || this.#disposed || this.context.messages.length !== length;
    if (tokens === undefined || isStale || this.file.readOnly !== undefined) return;
    if (this.context.messages.at(-1)?.id !== through.id) return;
    const stamp = this.#stamp();
    const reading = {
      modelId: count.modelId,
      basis: "counted" as const,
      throughMessageId: through.id,
      tokens,
      ownTokens: this.#view.used.ownTokens,
      at: stamp.at,
    };
    await this.append([{ type: "usage", ...stamp, reading }], "turn");
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

  #compactionOptions(trigger: CompactRequest["trigger"]) {
    const { policy, summaryMaxTokens, estimatedMode } = this.#options.settings();
    const reported = this.#view.used.reported;
    const believed = reported !== undefined && reported.basis !== "imported" ? reported : undefined;
    const used = believed ?? (estimatedMode ? this.#estimated() : undefined);
    return {
      trigger,
      policy,
      summaryMaxTokens,
      window: this.#facts?.maxInputTokens,
      used,
      estimate: (message: Message) => estimateOnce(message, this.#estimates),
      isStored: (digest: string) => this.file.isStored(digest),
    };
  }

  #estimated() {
    return { tokens: this.#view.used.ownTokens, basis: "estimated" as const };
  }

  #wasAttempted(contentHash: string): boolean {
    return this.file.state.branch.some(
      (entry) => entry.type === "attempt" && entry.record.contentHash === contentHash,
    );
  }

  #noRun(state: EndState, reason: EndReason): CompactOutcome {
    const { messages } = this.context;
    const tokens = estimateContext(messages);
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

function lastModel(entries: readonly LogEntry[]): ModelFacts | undefined {
  const last = entries.findLast((entry) => entry.type === "model");
  return last && { id: last.modelId, name: last.name, maxInputTokens: last.maxInputTokens };
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
