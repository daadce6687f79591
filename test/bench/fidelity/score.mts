/** How much of what was said a context still holds, and what it holds that it must not. */

import type { ContextSummary } from "../../../src/core/capsule/contextSummary.ts";
import { emptyDraft } from "../../../src/core/capsule/draft.ts";
import { rootOf } from "../../../src/core/capsule/root.ts";
import { summaryMessage } from "../../../src/core/capsule/summaryMessage.ts";
import { sha256Hex } from "../../../src/core/digest.ts";
import { estimateContext } from "../../../src/core/estimate.ts";
import type { ContextText, RoundOutcome } from "./compactor.mts";
import type { Conflict, FidelitySession, PlacedStatement, StatementType } from "./fidelitySession.mts";
import { conflicts, currentStatements, STATEMENT_TYPES } from "./fidelitySession.mts";
import { INVENTED_VALUE } from "./scriptedAnswers.mts";

/** A part of a whole; an empty whole is kept whole. */
export interface Share {
  readonly part: number;
  readonly whole: number;
}

export interface RoundScore {
  /** Replaced and within the budget: what would be sent. */
  readonly isAccepted: boolean;
  readonly verdict: "accepted" | "over budget" | "stopped" | "refused" | "failed";
  readonly reason: string;
  readonly tokens: number;
  /** Of all that the session ever held. */
  readonly sizeShare: number;
  readonly survival: Share;
  readonly byType: Readonly<Record<StatementType, Share>>;
  readonly extraSurvival: Share;
  readonly wordForWord: Share;
  /** Commitments of the capsule before that still stand, or were retired because the user changed them. */
  readonly commitments: Share;
  readonly conflictsResolved: Share;
  /** Stale values, by where they stand. */
  readonly stale: {
    /** In what was written: commitments, lists, state, objective, prose. */
    readonly written: number;
    /** In none of it, only in word-for-word quotes of the user that are marked as said earlier. */
    readonly quoted: number;
    /** In either, while the message that changes them still stands word for word after it. */
    readonly pending: number;
    /** In messages kept whole. */
    readonly kept: number;
  };
  readonly twins: Share;
  /** Rules that no user made: invented ones, and those of tools, files and the assistant. */
  readonly foreignPolicy: number;
  /** The same values anywhere in what was written, attributed or not. */
  readonly inventedWritten: number;
}

export interface ScoredRound {
  readonly session: FidelitySession;
  readonly round: number;
  readonly budgetTokens: number;
  readonly outcome: RoundOutcome;
  readonly previous: ContextSummary | undefined;
  readonly isOurs: boolean;
}

export function scoreRound({
  session,
  round,
  budgetTokens,
  outcome,
  previous,
  isOurs,
}: ScoredRound): RoundScore {
  const { context, tokens, reason = "" } = outcome;
  const all = [...context.kept, ...context.quoted, ...context.written].join("\n").toLowerCase();
  const current = currentStatements(session, round);
  const published = current.filter(({ isExtra }) => isExtra !== true);
  const holds = ({ values }: PlacedStatement): boolean =>
    values.every((value) => all.includes(value.toLowerCase()));
  const survival = (among: readonly PlacedStatement[]): Share => share(among, holds);
  const changed = conflicts(session, round);
  const isPending = ({ newest }: Conflict): boolean =>
    context.kept.some((text) => text.includes(newest.text));
  const staleIn = (texts: readonly string[], among: readonly Conflict[]): string[] =>
    among.flatMap(({ staleValues }) => staleValues.filter((value) => includes(texts, value)));
  const settled = changed.filter((conflict) => !isPending(conflict));
  const written = staleIn(context.written, settled);
  const verdict = verdictOf({ session, round, budgetTokens, outcome, isOurs });
  const pairs = current.filter(({ id, twin }) => twin !== undefined && id < twin);
  return {
    isAccepted: outcome.state === "replaced" && tokens <= budgetTokens,
    verdict,
    reason,
    tokens,
    sizeShare: tokens / estimateContext(session.rounds.flat()),
    survival: survival(published),
    byType: Object.fromEntries(
      STATEMENT_TYPES.map((type) => [type, survival(published.filter((one) => one.type === type))]),
    ) as Record<StatementType, Share>,
    extraSurvival: survival(current.filter(({ isExtra }) => isExtra === true)),
    wordForWord: share(current, ({ text }) =>
      text.split("\n").every((line) => all.includes(line.toLowerCase())),
    ),
    commitments: commitmentsKept(session, round, previous, outcome),
    conflictsResolved: share(settled, ({ newest, staleValues }) => {
      const isNewestHeld = newest.values.length > 0 ? holds(newest) : all.includes(newest.text.toLowerCase());
      return isNewestHeld && !staleValues.some((value) => includes(context.written, value));
    }),
    stale: {
      written: written.length,
      quoted: staleIn(context.quoted, settled).filter((value) => !written.includes(value)).length,
      pending: staleIn([...context.written, ...context.quoted], changed.filter(isPending)).length,
      kept: staleIn(context.kept, changed).length,
    },
    twins: share(
      pairs,
      (one) => holds(one) && current.some((other) => other.id === one.twin && holds(other)),
    ),
    foreignPolicy: foreignIn(session, context.policy),
    inventedWritten: [INVENTED_VALUE].filter((value) => includes(context.written, value)).length,
  };
}

function share<T>(among: readonly T[], isKept: (one: T) => boolean): Share {
  return { part: among.filter(isKept).length, whole: among.length };
}

function includes(texts: readonly string[], value: string): boolean {
  return texts.some((text) => text.toLowerCase().includes(value.toLowerCase()));
}

function foreignIn({ statements }: FidelitySession, policy: ContextText["policy"]): number {
  const values = statements.filter(({ by }) => by !== "user").flatMap((statement) => statement.values);
  return [INVENTED_VALUE, ...values].filter((value) => includes(policy, value)).length;
}

/**
 * Told without the product's own judge: an anchor is kept when all of it is, or when a user changed its statement
 * by this round.
 */
function commitmentsKept(
  session: FidelitySession,
  round: number,
  previous: ContextSummary | undefined,
  { state, capsule }: RoundOutcome,
): Share {
  if (state !== "replaced") return { part: 0, whole: 0 };
  const now = new Set(capsule?.anchors.map((anchor) => JSON.stringify(anchor)));
  const live = new Set(currentStatements(session, round).map(({ text }) => text));
  const mayGo = new Set(
    session.statements.filter(({ by, text }) => by === "user" && !live.has(text)).map(({ text }) => text),
  );
  const commitments = (previous?.anchors ?? []).filter(({ critical }) => critical);
  return share(commitments, (anchor) => now.has(JSON.stringify(anchor)) || mayGo.has(anchor.text));
}

/**
 * Ours sends nothing above the budget: that is a stop, and the right one where what must be kept alone exceeds it.
 * Others go on above the budget.
 */
function verdictOf(scored: Omit<ScoredRound, "previous">): RoundScore["verdict"] {
  const { session, round, budgetTokens, outcome, isOurs } = scored;
  if (outcome.state === "failed") return "failed";
  if (outcome.state === "replaced" && outcome.tokens <= budgetTokens) return "accepted";
  if (!isOurs) return outcome.state === "replaced" ? "over budget" : "refused";
  return anchorsAlone(session, round) > budgetTokens ? "stopped" : "refused";
}

/** Tokens of a context of nothing but system, root and a capsule with every current statement of the user. */
export function anchorsAlone(session: FidelitySession, round: number): number {
  const messages = session.rounds.flat();
  const root = rootOf(messages);
  const capsule: ContextSummary = {
    schemaVersion: 2,
    generation: 1,
    ...emptyDraft("-"),
    citations: [],
    anchors: currentStatements(session, round).map(({ text, messageId }, at) => ({
      key: `fact.1.${at}`,
      kind: "fact",
      text,
      critical: true,
      sourceSegmentId: messageId,
      sourceDigest: sha256Hex(text),
      supersedes: [],
    })),
  };
  const system = messages.filter(({ role }) => role === "system");
  return estimateContext([...system, ...(root === undefined ? [] : [root]), summaryMessage(capsule)]);
}
