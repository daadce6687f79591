import type { BudgetMeter } from "../budget/budgetMeter.ts";
import { createBudgetMeter } from "../budget/budgetMeter.ts";
import type { PriceTable } from "../budget/prices.ts";
import { RequestBounds } from "../budget/requestBound.ts";
import type { RunBudget } from "../budget/runBudget.ts";
import { CompactionError } from "../errors.ts";
import type { Message } from "../messages.ts";
import type { AbortSignalLike, ChatModel } from "../model.ts";
import type { Agent } from "./agent.ts";
import { clockOf, outputCapOf } from "./agent.ts";
import { AgentRun } from "./agentRun.ts";
import { MemorySession } from "./memorySession.ts";
import type { RunListener } from "./runEvents.ts";
import { RunLedger } from "./runLedger.ts";
import { RunLimits } from "./runLimits.ts";
import type { RunResult } from "./runResult.ts";
import type { RunItem, RunSession } from "./runSession.ts";

export interface RunOptions {
  /** Begins a session's budget. A session that has one gives its meter. */
  readonly budget?: RunBudget;
  /** The meter of the session, made again from its log. */
  readonly meter?: BudgetMeter;
  /** For `budget`. */
  readonly prices?: PriceTable;
  /** Where the run works; default: a session in memory. */
  readonly session?: RunSession;
  readonly signal?: AbortSignalLike;
  /** Milliseconds since the epoch. */
  readonly deadline?: number;
  readonly onEvent?: RunListener;
  /** Tool calls that the run may carry out where no budget says so; default 100. */
  readonly maxToolCalls?: number;
  /** Upper counts, where the caller keeps them longer than a run. */
  readonly boundsOf?: (model: ChatModel) => RequestBounds;
}

/**
 * The agent loop (contract section 6): calls the model, carries out what it asks for, and stops for a reason. A stop is
 * an ordinary result with the work done so far. With a budget every call is paid from it, and the ladder makes room in
 * it. No call is ever left without its result. Throws `invalid_options` before any call, and what the session throws.
 */
export async function run(
  agent: Agent,
  prompt: string | readonly Message[],
  options: RunOptions = {},
): Promise<RunResult> {
  checkAgent(agent);
  const { session = memorySession(agent), signal, deadline, onEvent } = options;
  const meter = meterOf(options);
  checkPrices(agent, meter);
  const messages = promptOf(prompt, agent);
  if (messages.length === 0 && session.messages().length === 0) {
    throw invalid("There is nothing to send; give a prompt, or a session with messages.");
  }
  const limits = new RunLimits(agent, signal, deadline);
  const ledger = new RunLedger({
    runId: agent.newId(),
    meter,
    startedAt: agent.now(),
    toolNames: agent.tools.map(({ name }) => name),
  });
  const begin: RunItem[] = [
    ...(options.budget === undefined ? [] : [{ type: "meter" as const, record: meter.declaration }]),
    ...messages.map((message) => ({ type: "message" as const, message })),
  ];
  const agentRun = new AgentRun({
    agent,
    session,
    meter,
    ledger,
    limits,
    boundsOf: options.boundsOf ?? rememberedBounds(agent),
    maxToolCalls: options.maxToolCalls,
    onEvent,
  });
  return agentRun.run(begin);
}

function meterOf({ budget, meter, prices }: RunOptions): BudgetMeter {
  if (meter === undefined) return createBudgetMeter(budget, { prices });
  if (budget === undefined) return meter;
  throw invalid(
    'Both "budget" and "meter" are given; a meter has its budget already, so leave "budget" out.',
  );
}

function checkAgent(agent: Agent): void {
  const cap = outputCapOf(agent);
  if (!Number.isSafeInteger(cap) || cap < 1) {
    throw invalid(`The reply cap of the agent is ${String(cap)}; give a whole number of tokens above 0.`);
  }
  const names = agent.tools.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw invalid(`Two tools are named "${twice}"; give each tool a name of its own.`);
}

/** A budget in USD is refused before any call where somebody who may be called has no price. */
function checkPrices({ model, summarizer = model }: Agent, meter: BudgetMeter): void {
  meter.requirePriced(model.id);
  const { declared } = meter.state;
  const mayPay = declared?.onExhausted === "compact" && declared.compaction.maxCompactions > 0;
  if (mayPay && summarizer.writeDraft === undefined) meter.requirePriced(summarizer.id);
}

function promptOf(prompt: string | readonly Message[], agent: Agent): readonly Message[] {
  if (typeof prompt !== "string") return prompt;
  return [{ id: agent.newId(), role: "user", content: [{ type: "text", text: prompt }] }];
}

function memorySession(agent: Agent): MemorySession {
  const { instructions: text } = agent;
  if (text === undefined) return new MemorySession();
  return new MemorySession([{ id: agent.newId(), role: "system", content: [{ type: "text", text }] }]);
}

function rememberedBounds(agent: Agent): (model: ChatModel) => RequestBounds {
  const known = new Map<ChatModel, RequestBounds>();
  return (model) => {
    const bounds = known.get(model) ?? new RequestBounds(model, agent.delay && clockOf(agent));
    known.set(model, bounds);
    return bounds;
  };
}

function invalid(sentence: string): CompactionError {
  return new CompactionError("invalid_options", sentence);
}
