import type { BudgetMeter } from "../budget/budgetMeter.ts";
import type { RequestBounds } from "../budget/requestBound.ts";
import { DEFAULT_MAX_TOOL_CALLS } from "../budget/runBudget.ts";
import type { Message, ToolCallPart } from "../messages.ts";
import { textOf } from "../messages.ts";
import type { ChatModel } from "../model.ts";
import type { Agent } from "./agent.ts";
import type { CarriedOut, Refusal } from "./carryOutCalls.ts";
import { carryOutCalls, refused } from "./carryOutCalls.ts";
import { LoopDetection } from "./loopDetection.ts";
import type { RunContext } from "./runContext.ts";
import type { RunEvent, RunListener } from "./runEvents.ts";
import type { RunLedger } from "./runLedger.ts";
import type { RunLimits } from "./runLimits.ts";
import type { StopReason } from "./runReceipt.ts";
import type { RunResult } from "./runResult.ts";
import type { RunItem, RunSession } from "./runSession.ts";
import { SpendCompactions } from "./spendCompactions.ts";
import type { WorkingCall } from "./workingCall.ts";
import { workingCall } from "./workingCall.ts";

type MadeCall = Extract<WorkingCall, { made: true }>;

export interface AgentRunOptions {
  readonly agent: Agent;
  readonly session: RunSession;
  readonly meter: BudgetMeter;
  readonly ledger: RunLedger;
  readonly limits: RunLimits;
  readonly boundsOf: (model: ChatModel) => RequestBounds;
  readonly maxToolCalls: number | undefined;
  readonly onEvent: RunListener | undefined;
}

/** How the calls of a reply are dealt with: carried out, or refused and the run stopped. */
interface Verdict {
  readonly allowed: number;
  readonly refusal: Refusal;
  readonly stop: StopReason | undefined;
}

/** One run of the agent loop. */
export class AgentRun {
  readonly #options: AgentRunOptions;
  readonly #context: RunContext;
  readonly #compactions: SpendCompactions;
  readonly #loops = new LoopDetection();
  readonly #added: Message[] = [];
  readonly #maxToolCalls: number;
  #toolCalls = 0;
  #lastCall: MadeCall | undefined;
  #listenerFault: { readonly error: unknown } | undefined;

  constructor(options: AgentRunOptions) {
    const { agent, session, meter, ledger, limits, boundsOf } = options;
    this.#options = options;
    const tell = (event: RunEvent) => this.#tell(event);
    this.#context = { agent, session, meter, ledger, boundsOf, signal: limits.signal, tell };
    this.#compactions = new SpendCompactions(this.#context);
    this.#maxToolCalls = meter.state.declared?.maxToolCalls ?? options.maxToolCalls ?? DEFAULT_MAX_TOOL_CALLS;
  }

  async run(begin: readonly RunItem[]): Promise<RunResult> {
    const { limits } = this.#options;
    try {
      await this.#append(begin);
      const stopReason = await this.#loop();
      if (this.#listenerFault !== undefined) throw this.#listenerFault.error;
      return this.#result(stopReason);
    } finally {
      limits.release();
    }
  }

  async #loop(): Promise<StopReason> {
    const { limits } = this.#options;
    for (;;) {
      const stop = limits.reached ?? (await this.#makeRoom()) ?? limits.reached ?? (await this.#round());
      if (stop !== undefined) return stop;
      // The round called tools and was answered: the only place where spending may compact.
      if (limits.reached === undefined) await this.#compactions.afterToolRound();
    }
  }

  async #makeRoom(): Promise<StopReason | undefined> {
    const { session, signal, ledger, tell } = this.#context;
    const room = await session.makeRoom?.(signal);
    for (const call of room?.summaryCalls ?? []) ledger.addSummaryCall(call);
    for (const outcome of room?.outcomes ?? []) {
      ledger.addCompaction(outcome);
      tell({ type: "compaction", outcome });
    }
    return room?.mayPass === false ? "context_full" : undefined;
  }

  /** One call and what it asked for; undefined: the model is to see the results. */
  async #round(): Promise<StopReason | undefined> {
    const call = await workingCall(this.#context);
    if (!call.made)
      return call.why === "interrupted" ? (this.#options.limits.reached ?? "cancelled") : call.why;
    this.#lastCall = call;
    const verdict = this.#judge(call);
    const allowed = call.calls.slice(0, verdict.allowed);
    const others = call.calls.slice(verdict.allowed);
    const refusals = others.map((one) => this.#refuse(one, verdict.refusal));
    const reply = this.#replyItems(call);
    if (allowed.length === 0) await this.#append([...reply, ...this.#resultItems(refusals)]);
    else {
      await this.#append(reply);
      const outcomes = await this.#carryOut(allowed);
      await this.#append(this.#resultItems([...outcomes, ...refusals]));
    }
    return verdict.stop;
  }

  #judge({ calls, error, finishReason, isClamped }: MadeCall): Verdict {
    const { limits, meter } = this.#options;
    const none = (stop: StopReason, refusal: Refusal): Verdict => ({ allowed: 0, refusal, stop });
    const interrupted = limits.reached;
    if (interrupted !== undefined) return none(interrupted, "interrupted");
    if (error !== undefined) {
      return none(error.code === "cancelled" ? "cancelled" : "provider_error", "reply_broken");
    }
    // A breach is terminal, whatever the reply asks for.
    if (meter.reading.breachedBy > 0) return none("budget_exhausted", "budget");
    if (calls.length === 0) {
      const wasCutByClamp = isClamped && finishReason === "length";
      return none(wasCutByClamp ? "budget_exhausted" : "complete", "budget");
    }
    if (this.#loops.takesRound(calls)) return none("loop_detected", "loop");
    const left = this.#maxToolCalls - this.#toolCalls;
    if (calls.length <= left) return { allowed: calls.length, refusal: "max_tool_calls", stop: undefined };
    return { allowed: left, refusal: "max_tool_calls", stop: "max_tool_calls" };
  }

  async #carryOut(calls: readonly ToolCallPart[]): Promise<readonly CarriedOut[]> {
    const { agent, signal, tell } = this.#context;
    this.#toolCalls += calls.length;
    const onResult = (result: CarriedOut["result"]) => tell({ type: "tool_result", result });
    return carryOutCalls({ calls, tools: agent.tools, signal, onResult });
  }

  #refuse(call: ToolCallPart, refusal: Refusal): CarriedOut {
    const outcome = refused(call, refusal, this.#context.agent.tools);
    this.#tell({ type: "tool_result", result: outcome.result });
    return outcome;
  }

  #replyItems({ parts, usage, settled }: MadeCall): RunItem[] {
    const { model, newId } = this.#boundAgent();
    const booked: RunItem = { type: "meter", record: settled.record };
    if (parts.length === 0) return [booked];
    const reported = usage === undefined ? {} : { usage: { ...usage, model: model.id } };
    const message: Message = { id: newId(), role: "assistant", content: [...parts], ...reported };
    return [booked, { type: "message", message, modelId: model.id, usageBasis: "reported" }];
  }

  #resultItems(outcomes: readonly CarriedOut[]): RunItem[] {
    const { newId } = this.#boundAgent();
    return outcomes.map((outcome) => {
      this.#context.ledger.addToolCall(outcome);
      return { type: "message", message: { id: newId(), role: "tool", content: [outcome.result] } };
    });
  }

  #boundAgent(): { readonly model: ChatModel; readonly newId: () => string } {
    const { agent } = this.#options;
    return { model: agent.model, newId: () => agent.newId() };
  }

  async #append(items: readonly RunItem[]): Promise<void> {
    if (items.length === 0) return;
    await this.#context.session.append(items);
    for (const item of items) if (item.type === "message") this.#added.push(item.message);
  }

  #tell(event: RunEvent): void {
    const { onEvent, limits } = this.#options;
    if (this.#listenerFault !== undefined) return;
    try {
      onEvent?.(event);
    } catch (error) {
      this.#listenerFault = { error };
      limits.abort();
    }
  }

  #result(stopReason: StopReason): RunResult {
    const { agent, ledger } = this.#options;
    const last = this.#lastCall;
    const error = stopReason === "provider_error" ? last?.error : undefined;
    const receipt = ledger.receipt({ stopReason, errorCode: error?.code, endedAt: agent.now() });
    const finishReason = last?.finishReason;
    return {
      runId: ledger.runId,
      stopReason,
      messages: this.#added,
      text: last === undefined ? "" : textOf({ id: "", role: "assistant", content: last.parts }),
      ...(finishReason === undefined ? {} : { finishReason }),
      ...(error === undefined ? {} : { error }),
      receipt,
    };
  }
}
