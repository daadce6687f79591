/** Runs every compactor over every session at every budget. */

import type { ContextSummary } from "../../../src/core/capsule/contextSummary.ts";
import { estimateContext } from "../../../src/core/estimate.ts";
import type { Compactor, RoundOutcome } from "./compactor.mts";
import type { FidelitySession } from "./fidelitySession.mts";
import { ladder } from "./ladder.mts";
import { pi, prune, summarization, trim } from "./peerCompactors.mts";
import type { PeerPackages } from "./peerPackages.mts";
import { lastMessages, summaryAndTail } from "./plainCompactors.mts";
import type { RoundScore } from "./score.mts";
import { scoreRound } from "./score.mts";
import { SCRIPTS } from "./scriptedAnswers.mts";

export const BUDGET_SHARES = [0.1, 0.2, 0.3] as const;

export interface Measured {
  readonly compactor: Compactor;
  readonly budgetShare: number;
  /** One list a session, one score a round. */
  readonly sessions: readonly (readonly RoundScore[])[];
}

export function compactors(peers: PeerPackages | undefined): Compactor[] {
  const own = [ladder("offline"), ...SCRIPTS.map(ladder)];
  const plain = [...SCRIPTS.map(summaryAndTail), lastMessages()];
  if (peers === undefined) return [...own, ...plain];
  const ofPi = SCRIPTS.map((script) => pi(peers, script));
  const ofLangchain = SCRIPTS.map((script) => summarization(peers, script));
  return [...own, ...plain, ...ofPi, ...ofLangchain, trim(peers), prune(peers)];
}

export async function measure(
  compactor: Compactor,
  sessions: readonly FidelitySession[],
  budgetShare: number,
): Promise<Measured> {
  const scores: RoundScore[][] = [];
  for (const session of sessions) scores.push(await measureSession(compactor, session, budgetShare));
  return { compactor, budgetShare, sessions: scores };
}

async function measureSession(
  compactor: Compactor,
  session: FidelitySession,
  budgetShare: number,
): Promise<RoundScore[]> {
  const budgetTokens = Math.floor(estimateContext(session.rounds.flat()) * budgetShare);
  const run = compactor.start(session, budgetTokens);
  let previous: ContextSummary | undefined;
  const scores: RoundScore[] = [];
  for (const [at, messages] of session.rounds.entries()) {
    const outcome = await run.round(messages, at + 1).catch(failed);
    const { isOurs } = compactor;
    scores.push(scoreRound({ session, round: at + 1, budgetTokens, outcome, previous, isOurs }));
    previous = outcome.capsule ?? previous;
  }
  return scores;
}

/** A compactor that throws has failed this round; the others are still measured. */
function failed(error: unknown): RoundOutcome {
  const context = { kept: [], quoted: [], written: [], policy: [] };
  return { state: "failed", reason: String(error), context, tokens: 0 };
}
