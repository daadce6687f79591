/** Our ladder, over a branch as the product keeps it. */

import { estimateContext } from "../../../src/core/estimate.ts";
import type { Message } from "../../../src/core/messages.ts";
import type { ChatModel } from "../../../src/core/model.ts";
import { defaultPolicy } from "../../../src/core/policy.ts";
import { createOfflineModel } from "../../../src/models/offline/offlineModel.ts";
import { LadderWorld, ScriptedModel } from "../../unit/core/ladderWorld.ts";
import type { Compactor, CompactorRun, RoundOutcome } from "./compactor.mts";
import { wordsOf } from "./compactor.mts";
import { contextText } from "./contextText.mts";
import type { FidelitySession } from "./fidelitySession.mts";
import type { Script } from "./scriptedAnswers.mts";
import { scriptedAnswers } from "./scriptedAnswers.mts";

const WINDOW_TOKENS = 1_000_000;

export function ladder(script: Script | "offline"): Compactor {
  return {
    name: "Context Capsule",
    script,
    isOurs: true,
    start: (session, budgetTokens) => new LadderRun(script, session, budgetTokens),
  };
}

class LadderRun implements CompactorRun {
  readonly #world = new LadderWorld([]);
  readonly #originals = new Map<string, Message>();
  readonly #budgetTokens: number;
  readonly #model: ChatModel;
  #round = 0;

  constructor(script: Script | "offline", session: FidelitySession, budgetTokens: number) {
    this.#budgetTokens = budgetTokens;
    this.#model =
      script === "offline"
        ? createOfflineModel({ name: "Offline", chatReply: "" })
        : this.#scripted(script, session);
  }

  async round(messages: readonly Message[], round: number): Promise<RoundOutcome> {
    this.#round = round;
    for (const message of messages) {
      this.#world.branch.push({ type: "message", message });
      this.#originals.set(message.id, message);
    }
    const outcome = await this.#world.run({
      trigger: "manual",
      policy: { ...defaultPolicy, budget: this.#budgetTokens },
      window: WINDOW_TOKENS,
      summaryMaxTokens: 8192,
      model: this.#model,
    });
    const { state } = this.#world;
    const { state: end, reason, failures, summaryFailure, retired } = outcome;
    const why =
      summaryFailure === undefined
        ? [end, reason, ...failures]
        : [end, ...Object.values(summaryFailure).flat()];
    return {
      // Eviction is a transition of its own: what it took out can be fetched back byte for byte.
      state: end === "summarized" || end === "evicted" ? "replaced" : "refused",
      reason: why.map(String).join(" "),
      context: contextText({ messages: state.messages, summary: state.summary, originals: this.#originals }),
      tokens: estimateContext(state.messages),
      ...(state.summary === undefined ? {} : { capsule: state.summary }),
      retiredKeys: retired.map(({ key }) => key),
    };
  }

  #scripted(script: Script, session: FidelitySession): ChatModel {
    const answers = scriptedAnswers(script, session);
    const reply = (text: string): string => answers.draft(text, this.#round);
    return new ScriptedModel(async function* ({ messages }) {
      yield { type: "text", text: reply(messages.map(wordsOf).join("\n")) };
      yield { type: "finish", reason: "stop" };
    }, WINDOW_TOKENS);
  }
}
