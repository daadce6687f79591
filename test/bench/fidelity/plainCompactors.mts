/** What is often built by hand: the newest messages alone, and a summary that is believed beside them. */
import { estimateContext } from "../../../src/core/estimate.ts";
import type { Message } from "../../../src/core/messages.ts";
import type { Compactor } from "./compactor.mts";
import { proseOutcome, TAIL_SHARE, tailStart, wordsOf } from "./compactor.mts";
import type { Script } from "./scriptedAnswers.mts";
import { scriptedAnswers } from "./scriptedAnswers.mts";

/** Keeps system and the newest messages that fit. */
export function lastMessages(): Compactor {
  return {
    name: "last messages that fit",
    script: undefined,
    isOurs: false,
    start: (_session, budgetTokens) => {
      let context: Message[] = [];
      return {
        round: (messages) => {
          const all = [...context, ...messages];
          const system = all.filter(({ role }) => role === "system");
          const said = all.filter(({ role }) => role !== "system");
          const room = budgetTokens - estimateContext(system);
          context = [...system, ...said.slice(tailStart(said, room))];
          return Promise.resolve(proseOutcome("", context));
        },
      };
    },
  };
}

/** One summary of all but the tail, made anew each round from the last one; whatever the model says is taken. */
export function summaryAndTail(script: Script): Compactor {
  return {
    name: "summary + tail",
    script,
    isOurs: false,
    start: (session, budgetTokens) => {
      const answers = scriptedAnswers(script, session);
      let summary = "";
      let context: Message[] = [];
      return {
        round: (messages, round) => {
          const all = [...context, ...messages];
          const start = tailStart(all, budgetTokens * TAIL_SHARE);
          const history = all.slice(0, start).map((message) => `${message.role}: ${wordsOf(message)}`);
          summary = answers.prose([summary, ...history].join("\n"), round);
          context = all.slice(start);
          return Promise.resolve(proseOutcome(summary, context));
        },
      };
    },
  };
}
