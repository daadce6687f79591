import type { ContextSummary } from "../capsule/contextSummary.ts";
import { summarizationInstruction } from "../capsule/instruction.ts";
import type { ReplyFailure } from "../capsule/readReply.ts";
import { CompactionError } from "../errors.ts";
import { estimateContext } from "../estimate.ts";
import type { AbortSignalLike } from "../model.ts";
import type { Completion } from "./capsuleLineage.ts";
import { CapsuleLineage } from "./capsuleLineage.ts";
import type { SummaryEvaluation } from "./evaluateContextSummary.ts";
import { evaluateContextSummary, keptShare, weightOf } from "./evaluateContextSummary.ts";
import type { ContextCompactionFixture, ContextCompactionSummarizer, FixtureRound } from "./fixture.ts";
import { requireFixture } from "./fixture.ts";

export const DEFAULT_REPETITIONS = 5;
const LONGEST_ADAPTER_MESSAGE = 500;

export interface HarnessOptions {
  /** How often the whole fixture is run; a positive integer, default 5. */
  readonly repetitions?: number;
  /** What a reply is; default `none`, a complete capsule. */
  readonly completion?: Completion;
  /** Reply cap that the instruction names, tokens; the harness cuts nothing off. */
  readonly summaryMaxTokens?: number;
  /** After an abort no further call is made; each round that is left is recorded as `adapter:cancelled`. */
  readonly signal?: AbortSignalLike;
  /** Called after each round, in order. */
  readonly onRound?: (result: HarnessRoundResult) => void;
}

export interface HarnessRoundResult {
  /** From 1. */
  readonly repetition: number;
  /** From 1. */
  readonly round: number;
  /** The reply was a capsule, and the transition to it was accepted. */
  readonly valid: boolean;
  /** As in the report. */
  readonly failures: readonly string[];
  readonly reply?: ReplyFailure;
  readonly summary?: ContextSummary;
  /** Of a valid round. */
  readonly evaluation?: SummaryEvaluation;
}

export interface ContextCompactionReport {
  readonly fixtureId: string;
  readonly repetitions: number;
  /** Repetitions x rounds of the fixture. */
  readonly rounds: number;
  readonly validRounds: number;
  /** Over all rounds together; what a round that is not valid should have held is lost. */
  readonly criticalAnchorRecall: number;
  readonly weightedAnchorRecall: number;
  readonly exactRecoveryCoverage: number;
  /** Over the valid rounds; 1 where there is none. */
  readonly meanCompressionRatio: number;
  /** Every round is valid, and there is no failure. */
  readonly stable: boolean;
  /** `repetition_R:round_N:` and `adapter:<message>`, `parse`, `evaluation` or a code of contract section 5. */
  readonly failures: readonly string[];
  readonly results: readonly HarnessRoundResult[];
}

/**
 * Runs a summarizer over a fixture, round after round and several times, and judges each reply by the rules that
 * the product itself accepts a replacement by (contract section 7). A failure is recorded, starts the line of
 * capsules anew and never ends the loop. It measures structure and exact recall; it claims nothing about meaning.
 *
 * Rejects with `invalid_options`, before any call, for repetitions or a fixture that cannot work.
 */
export async function runContextCompactionHarness(
  fixture: ContextCompactionFixture,
  summarize: ContextCompactionSummarizer,
  options: HarnessOptions = {},
): Promise<ContextCompactionReport> {
  const { repetitions = DEFAULT_REPETITIONS, completion = "none" } = options;
  if (!Number.isSafeInteger(repetitions) || repetitions < 1) {
    throw new CompactionError(
      "invalid_options",
      `"repetitions" is ${repetitions}; give a whole number of at least 1.`,
    );
  }
  requireFixture(fixture);
  const results: HarnessRoundResult[] = [];
  for (let repetition = 1; repetition <= repetitions; repetition += 1) {
    const lineage = new CapsuleLineage(completion);
    for (const [at, round] of fixture.rounds.entries()) {
      const place = { fixtureId: fixture.id, repetition, round: at + 1 };
      const result = await runRound({ place, round, lineage, summarize, options });
      if (!result.valid) lineage.reset();
      results.push(result);
      options.onRound?.(result);
    }
  }
  return reportOf(fixture, repetitions, results);
}

interface RoundRun {
  readonly place: { readonly fixtureId: string; readonly repetition: number; readonly round: number };
  readonly round: FixtureRound;
  readonly lineage: CapsuleLineage;
  readonly summarize: ContextCompactionSummarizer;
  readonly options: HarnessOptions;
}

async function runRound(run: RoundRun): Promise<HarnessRoundResult> {
  const { place, round, lineage } = run;
  const { repetition, round: number } = place;
  const named = (failure: string): string => `repetition_${repetition}:round_${number}:${failure}`;
  const originalTokens = estimateContext(lineage.contextOf(round.messages));
  const reply = await replyOf(run);
  if (!reply.ok) {
    return { repetition, round: number, valid: false, failures: [named(`adapter:${reply.message}`)] };
  }
  const judgement = lineage.judge(reply.text, round.messages);
  if (!judgement.ok) {
    const { reply: why, failures } = judgement;
    return {
      repetition,
      round: number,
      valid: false,
      failures: failures.map(named),
      ...(why === undefined ? {} : { reply: why }),
    };
  }
  const { summary } = judgement;
  const evaluation = evaluateContextSummary(summary, { ...round, originalTokens });
  const failures = evaluation.stable ? [] : [named("evaluation")];
  return { repetition, round: number, valid: true, failures, summary, evaluation };
}

type AdapterReply =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly message: string };

async function replyOf({ place, round, lineage, summarize, options }: RoundRun): Promise<AdapterReply> {
  if (options.signal?.aborted === true) return { ok: false, message: "cancelled" };
  const { messages } = round;
  const { previous } = lineage;
  const sources = lineage.sourcesOf(messages);
  const { completion = "none", summaryMaxTokens } = options;
  const instruction = summarizationInstruction(previous, sources, { completion, summaryMaxTokens });
  try {
    const text: unknown = await summarize({ ...place, messages, previous, sources, instruction });
    if (typeof text === "string") return { ok: true, text };
    return { ok: false, message: `the summarizer answered with ${typeof text} and not with a string` };
  } catch (error) {
    return { ok: false, message: messageOf(error) };
  }
}

/** In one line: a report is read line by line. */
function messageOf(error: unknown): string {
  return textOfThrown(error).replace(/\s+/g, " ").trim().slice(0, LONGEST_ADAPTER_MESSAGE);
}

/** Anything can be thrown, also what has no text. */
function textOfThrown(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error);
  } catch {
    return "an error without a message";
  }
}

function reportOf(
  { id, rounds }: ContextCompactionFixture,
  repetitions: number,
  results: readonly HarnessRoundResult[],
): ContextCompactionReport {
  const tally = { critical: 0, criticalLost: 0, weight: 0, weightLost: 0, digests: 0, digestsLost: 0 };
  const ratios: number[] = [];
  for (const { round, evaluation } of results) {
    const { expected = [], expectedRecoveryDigests = [] } = rounds[round - 1] ?? {};
    const lost = evaluation?.lost ?? expected;
    tally.critical += expected.filter(({ critical }) => critical === true).length;
    tally.criticalLost += lost.filter(({ critical }) => critical === true).length;
    tally.weight += weightOf(expected);
    tally.weightLost += weightOf(lost);
    tally.digests += expectedRecoveryDigests.length;
    tally.digestsLost += (evaluation?.unrecoveredDigests ?? expectedRecoveryDigests).length;
    if (evaluation !== undefined) ratios.push(evaluation.compressionRatio);
  }
  const failures = results.flatMap((result) => result.failures);
  const validRounds = results.filter(({ valid }) => valid).length;
  return {
    fixtureId: id,
    repetitions,
    rounds: results.length,
    validRounds,
    criticalAnchorRecall: keptShare(tally.criticalLost, tally.critical),
    weightedAnchorRecall: keptShare(tally.weightLost, tally.weight),
    exactRecoveryCoverage: keptShare(tally.digestsLost, tally.digests),
    meanCompressionRatio:
      ratios.length === 0 ? 1 : ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length,
    stable: validRounds === results.length && failures.length === 0,
    failures,
    results,
  };
}
