import type { BudgetMeter } from "../../../../src/core/budget/budgetMeter.ts";
import { createBudgetMeter } from "../../../../src/core/budget/budgetMeter.ts";
import type { PriceTable } from "../../../../src/core/budget/prices.ts";
import type { RunBudget } from "../../../../src/core/budget/runBudget.ts";
import { CallPairs } from "../../../../src/core/callPairs.ts";
import type { Message, Usage } from "../../../../src/core/messages.ts";
import type {
  AbortSignalLike,
  ChatModel,
  FinishReason,
  ModelChunk,
  ModelRequest,
} from "../../../../src/core/model.ts";
import type { Agent, AgentTool } from "../../../../src/core/run/agent.ts";
import { MemorySession } from "../../../../src/core/run/memorySession.ts";
import type { RunOptions } from "../../../../src/core/run/run.ts";
import { run } from "../../../../src/core/run/run.ts";
import type { RunEvent } from "../../../../src/core/run/runEvents.ts";
import type { RunResult } from "../../../../src/core/run/runResult.ts";
import { draftText, TestClock } from "../ladderWorld.ts";

/** One reply of a scripted model. */
export interface Reply {
  readonly text?: string;
  /** Tool name and input. */
  readonly calls?: readonly (readonly [toolName: string, input: unknown])[];
  /** Default: 100 read, 10 written. `null`: none is reported. */
  readonly usage?: Usage | null;
  readonly finish?: FinishReason;
  /** Thrown instead of the first chunk, or after all of them. */
  readonly failsAtOnce?: Error;
  readonly breaks?: Error;
  /** Never comes to its end after its last chunk. */
  readonly hangs?: boolean;
}

export const DEFAULT_USAGE: Usage = { inputTokens: 100, outputTokens: 10 };

/** A model that replies from a script, the last reply again and again; it keeps the requests it got. */
export class ReplyingModel implements ChatModel {
  readonly id: string = "test/worker";
  readonly vendor = "test";
  readonly name = "Worker";
  readonly requests: ModelRequest[] = [];
  readonly limits: ChatModel["limits"];
  readonly #replies: readonly Reply[];
  #calls = 0;
  countTokens?: (text: string) => Promise<number | undefined>;

  constructor(replies: readonly Reply[], limits: ChatModel["limits"] = {}) {
    this.#replies = replies;
    this.limits = limits;
  }

  stream(request: ModelRequest, signal: AbortSignalLike): AsyncIterable<ModelChunk> {
    const at = this.requests.push(request) - 1;
    return this.#chunks(this.#replies[Math.min(at, this.#replies.length - 1)] ?? {}, signal);
  }

  async *#chunks(reply: Reply, signal: AbortSignalLike): AsyncGenerator<ModelChunk> {
    if (reply.failsAtOnce !== undefined) throw reply.failsAtOnce;
    if (reply.text !== undefined) yield { type: "text", text: reply.text };
    for (const [toolName, input] of reply.calls ?? []) {
      this.#calls += 1;
      yield { type: "tool-call", toolCallId: `${this.name}-call-${this.#calls}`, toolName, input };
    }
    if (reply.usage !== null) yield { type: "usage", usage: reply.usage ?? DEFAULT_USAGE };
    if (reply.breaks !== undefined) throw reply.breaks;
    if (reply.hangs === true) {
      await new Promise<void>((resolve) => signal.addEventListener("abort", resolve));
      return;
    }
    const reason = reply.finish ?? (reply.calls === undefined ? "stop" : "tool-calls");
    yield { type: "finish", reason };
  }
}

/** Writes the same draft every time. */
export class Summarizer extends ReplyingModel {
  override readonly id = "test/summarizer";
  constructor(reply: Reply = {}) {
    super([{ text: draftText(), usage: { inputTokens: 1000, outputTokens: 100 }, ...reply }]);
  }
}

/** `read` gives back so many bytes that start with its path. */
export function readTool(bytes = 20): AgentTool {
  return {
    name: "read",
    description: "Reads a file.",
    execute: (input) => {
      const path = String((input as { path?: unknown }).path);
      return path + ".".repeat(Math.max(0, bytes - path.length));
    },
  };
}

export function callOf(path: string): Reply {
  return { calls: [["read", { path }]] };
}

/** Replies that read `count` files one after the other, and then say so. */
export function readsFiles(count: number, usage?: Usage | null): Reply[] {
  const reported = usage === undefined ? {} : { usage };
  const reads = Array.from({ length: count }, (_, at) => ({ ...callOf(`file-${at}.ts`), ...reported }));
  return [...reads, { text: "All read.", ...reported }];
}

/** A run in memory that the test can look at from all sides. */
export class RunWorld {
  readonly clock = new TestClock();
  readonly session: MemorySession;
  readonly events: RunEvent[] = [];
  readonly agent: Agent;
  #ids = 0;

  constructor(
    agent: Pick<Agent, "model"> & Partial<Agent>,
    { messages = [] }: { readonly messages?: readonly Message[] } = {},
  ) {
    this.session = new MemorySession(messages);
    this.agent = {
      tools: [readTool()],
      maxOutputTokens: 1000,
      now: () => this.clock.now(),
      newId: () => `id-${++this.#ids}`,
      delay: (ms, signal) => this.clock.delay(ms, signal),
      ...agent,
    };
  }

  run(options: RunOptions = {}, prompt: string | readonly Message[] = "Read the files."): Promise<RunResult> {
    return run(this.agent, prompt, {
      session: this.session,
      onEvent: (event) => void this.events.push(event),
      ...options,
    });
  }

  eventsOf<Type extends RunEvent["type"]>(type: Type): Extract<RunEvent, { type: Type }>[] {
    return this.events.filter((event): event is Extract<RunEvent, { type: Type }> => event.type === type);
  }
}

export function meterWith(budget: RunBudget | undefined, prices?: PriceTable): BudgetMeter {
  return createBudgetMeter(budget, { prices });
}

/** Ids of calls that no result answers. */
export function openCalls(messages: readonly Message[]): readonly string[] {
  const pairs = new CallPairs();
  for (const message of messages) pairs.append(message);
  return pairs.openCalls().map(({ toolCallId }) => toolCallId);
}

/** The results of a session, in order. */
export function resultsOf(messages: readonly Message[]) {
  return messages.flatMap(({ content }) => content.filter((part) => part.type === "tool-result"));
}
