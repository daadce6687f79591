import { compactContext, previewCompaction } from "../../../src/core/compactContext.ts";
import type { CompactionPreview, CompactOutcome } from "../../../src/core/compactionOutcome.ts";
import type { CompactOptions } from "../../../src/core/compactOptions.ts";
import type { Message } from "../../../src/core/messages.ts";
import type { AbortSignalLike, ChatModel, Clock, ModelChunk, ModelRequest } from "../../../src/core/model.ts";
import { defaultPolicy } from "../../../src/core/policy.ts";
import type { ContextState } from "../../../src/core/projection.ts";
import { projectContext } from "../../../src/core/projection.ts";
import type { BranchItem } from "../../../src/core/records.ts";

/** What a good summarizer adds nothing to: the code carries the rest. */
export const PLAIN_DRAFT = {
  objective: "Go on with the work.",
  constraints_restated: [],
  decisions: [],
  artifacts: [],
  facts: [],
  state: { completed: [], active: [], blocked: [] },
  next: [],
  citations: [],
  lookup_hints: [],
  anchors: [],
};

export function draftText(changes: object = {}): string {
  return JSON.stringify({ ...PLAIN_DRAFT, ...changes });
}

/** A model whose replies are written by the test; it keeps the requests it got. */
export class ScriptedModel implements ChatModel {
  readonly id: string = "test/scripted";
  readonly vendor = "test";
  readonly name = "Scripted";
  readonly requests: ModelRequest[] = [];
  readonly limits: ChatModel["limits"];
  readonly #reply: (request: ModelRequest, signal: AbortSignalLike) => AsyncIterable<ModelChunk>;
  countTokens?: (text: string) => Promise<number | undefined>;

  constructor(
    reply: string | ((request: ModelRequest, signal: AbortSignalLike) => AsyncIterable<ModelChunk>),
    maxInputTokens = 1_000_000,
  ) {
    this.limits = { maxInputTokens };
    this.#reply =
      typeof reply === "string"
        ? async function* () {
            yield { type: "text", text: reply };
            yield { type: "usage", usage: { inputTokens: 1000, outputTokens: 100 } };
            yield { type: "finish", reason: "stop" };
          }
        : reply;
  }

  stream(request: ModelRequest, signal: AbortSignalLike): AsyncIterable<ModelChunk> {
    this.requests.push(request);
    return this.#reply(request, signal);
  }

  /** The text of a request, as it was sent. */
  sent(at: number): string {
    const [part] = this.requests[at]?.messages[0]?.content ?? [];
    return part?.type === "text" ? part.text : "";
  }
}

/** A clock that the test moves: `pass` lets time go by and wakes what waited for it. */
export class TestClock implements Clock {
  #now = 0;
  readonly #sleepers = new Set<{ readonly until: number; readonly wake: () => void }>();

  now(): number {
    return this.#now;
  }

  delay(ms: number, signal: AbortSignalLike): Promise<void> {
    return new Promise((resolve) => {
      const sleeper = { until: this.#now + ms, wake: resolve };
      this.#sleepers.add(sleeper);
      signal.addEventListener("abort", () => {
        this.#sleepers.delete(sleeper);
        resolve();
      });
    });
  }

  get isAwaited(): boolean {
    return this.#sleepers.size > 0;
  }

  pass(ms: number): void {
    this.#now += ms;
    for (const sleeper of [...this.#sleepers]) {
      if (sleeper.until > this.#now) continue;
      this.#sleepers.delete(sleeper);
      sleeper.wake();
    }
  }
}

/** A session in memory: a branch, and runs over it that write to it. */
export class LadderWorld {
  readonly branch: BranchItem[];
  readonly clock = new TestClock();
  #ids = 0;

  constructor(messages: readonly Message[]) {
    this.branch = messages.map((message) => ({ type: "message", message }));
  }

  get state(): ContextState {
    return projectContext(this.branch);
  }

  /** Items that runs wrote. */
  get written(): readonly BranchItem[] {
    return this.branch.filter((item) => item.type !== "message");
  }

  run(options: Partial<CompactOptions> = {}): Promise<CompactOutcome> {
    return compactContext(this.#snapshot(), this.#options(options));
  }

  preview(options: Partial<CompactOptions> = {}): Promise<CompactionPreview> {
    return previewCompaction(this.#snapshot(), this.#options(options));
  }

  #snapshot(): ContextState {
    const { state } = this;
    return { ...state, messages: [...state.messages], transcript: [...state.transcript] };
  }

  #options(changes: Partial<CompactOptions>): CompactOptions {
    return {
      trigger: "manual",
      policy: { ...defaultPolicy, keepRecentTokens: 200, keepRecentTurns: 1 },
      window: 128_000,
      isStored: () => true,
      clock: this.clock,
      newId: () => `run-${++this.#ids}`,
      signal: new AbortController().signal,
      journal: {
        eviction: async (record) => void this.branch.push({ type: "eviction", record }),
        compaction: async (record) => void this.branch.push({ type: "compaction", record }),
        attempt: async (record) => void this.branch.push({ type: "attempt", record }),
      },
      ...changes,
    };
  }
}
