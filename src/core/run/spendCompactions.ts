import type { DeclaredBudget } from "../budget/runBudget.ts";
import { spendPins } from "../budget/spendPins.ts";
import { spendTriggerFires } from "../budget/spendTrigger.ts";
import type { SummarySpend } from "../budget/summarySpend.ts";
import { summaryOpener } from "../budget/summarySpend.ts";
import { compactContext } from "../compactContext.ts";
import type { CompactOutcome } from "../compactionOutcome.ts";
import type { CompactionContext, CompactionJournal, CompactOptions } from "../compactOptions.ts";
import { BYTES_PER_TOKEN, estimateTokens } from "../estimate.ts";
import type { Message } from "../messages.ts";
import { answerOpenCalls } from "../openCalls.ts";
import { defaultPolicy } from "../policy.ts";
import type { CompactionReceipt } from "../records.ts";
import { utf8Length } from "../utf8.ts";
import { clockOf, outputCapOf } from "./agent.ts";
import type { RunContext } from "./runContext.ts";
import { definitionsOf } from "./workingCall.ts";

type Compaction = DeclaredBudget["compaction"];

/** Compactions that a declared budget makes in one run: the second trigger and its rules (contract section 3). */
export class SpendCompactions {
  readonly #run: RunContext;
  #callsMade = 0;
  /** What ended without a change or a call is said once a run, not after every round. */
  readonly #said = new Set<string>();

  constructor(run: RunContext) {
    this.#run = run;
  }

  /** After a round that called tools: climbs the ladder if the trigger fires. */
  async afterToolRound(): Promise<void> {
    const { meter, session, signal, ledger, tell } = this.#run;
    const { declared } = meter.state;
    if (declared?.onExhausted !== "compact") return;
    if (!(await this.#fires(session.messages())) || signal.aborted) return;
    const outcome = await compactContext(
      this.#snapshot(declared.compaction),
      this.#options(declared.compaction),
    );
    this.#countFreeDraft(outcome);
    const news = outcome.receipts.filter((receipt) => this.#isNews(receipt, "told"));
    if (news.length === 0) return;
    ledger.addCompaction({ runId: outcome.runId, receipts: news });
    tell({ type: "compaction", outcome });
  }

  async #fires(context: readonly Message[]): Promise<boolean> {
    const { agent, meter, boundsOf, signal } = this.#run;
    const request = { messages: answerOpenCalls(context), tools: definitionsOf(agent) };
    const bound = await boundsOf(agent.model).of(request, signal);
    const next = { modelId: agent.model.id, inputTokens: bound.tokens, outputTokens: outputCapOf(agent) };
    return spendTriggerFires(meter.reading.remaining, meter.coldCost(next));
  }

  #snapshot({ pinnedUserTokens }: Compaction): CompactionContext {
    const snapshot = this.#run.session.snapshot();
    const { messages, rootId, pinnedIds } = snapshot;
    const pins = spendPins(messages, { rootId, pinnedUserTokens, estimate: this.#estimate });
    return { ...snapshot, pinnedIds: new Set([...pinnedIds, ...pins]) };
  }

  #options({ keepRecentTokens, summaryMaxTokens, ...compaction }: Compaction): CompactOptions {
    const { agent, session, signal, tell } = this.#run;
    return {
      trigger: "spend",
      policy: { ...(agent.policy ?? defaultPolicy), keepRecentTokens, keepRecentTurns: 0 },
      window: agent.model.limits.maxInputTokens,
      model: agent.summarizer ?? agent.model,
      summaryMaxTokens,
      overheadTokens: Math.ceil(utf8Length(JSON.stringify(definitionsOf(agent))) / BYTES_PER_TOKEN),
      estimate: this.#estimate,
      isStored: (digest) => session.isStored?.(digest) === true,
      wasAttempted: (contentHash) => session.wasAttempted?.(contentHash) === true,
      clock: clockOf(agent),
      newId: () => agent.newId(),
      signal,
      journal: this.#journal(),
      spend: this.#spend(compaction),
      onPhase: (phase) => tell({ type: "compaction_phase", phase }),
    };
  }

  #spend({
    maxCompactions,
    minYieldTokens,
  }: Pick<Compaction, "maxCompactions" | "minYieldTokens">): SummarySpend {
    const { agent, meter, boundsOf, session, ledger, tell } = this.#run;
    const open = summaryOpener({
      meter,
      chatModel: agent.model,
      tools: definitionsOf(agent),
      outputCapTokens: outputCapOf(agent),
      boundsOf,
      newId: () => agent.newId(),
      write: (record) => session.append([{ type: "meter", record }]),
      onSettled: (call) => {
        ledger.addSummaryCall(call);
        tell({ type: "settled", call });
      },
    });
    return {
      callsLeft: Math.max(0, maxCompactions - this.#callsMade),
      minYieldTokens,
      isEnough: async (messages) => !(await this.#fires(messages)),
      open: async (asked) => {
        const call = await open(asked);
        // Paid and rejected counts as well; declined for want of headroom does not.
        if (call !== undefined) this.#callsMade += 1;
        return call;
      },
    };
  }

  #journal(): CompactionJournal {
    const { journal } = this.#run.session;
    return {
      eviction: (record) => journal.eviction(record),
      compaction: (record) => journal.compaction(record),
      attempt: async (record) => {
        if (this.#isNews(record.receipt, "written")) await journal.attempt(record);
      },
    };
  }

  /** A summarizer that costs nothing opens no call. */
  #countFreeDraft({ receipts }: CompactOutcome): void {
    const wasFree = receipts.some(({ call }) => call !== undefined && call.callId === undefined);
    if (wasFree) this.#callsMade += 1;
  }

  #isNews({ state, reason, before, after, call }: CompactionReceipt, where: "told" | "written"): boolean {
    if (after < before || call !== undefined) return true;
    const end = `${where}:${state}:${reason}`;
    if (this.#said.has(end)) return false;
    this.#said.add(end);
    return true;
  }

  readonly #estimate = (message: Message): number =>
    this.#run.session.estimate?.(message) ?? estimateTokens(message);
}
