import type { AnchorKind, ContextSummary, ContextSummarySource } from "../capsule/contextSummary.ts";
import { CompactionError } from "../errors.ts";
import type { Message } from "../messages.ts";

/** An anchor that the capsule must hold: same kind, same text to the character. A paraphrase is no match. */
export interface ExpectedAnchor {
  /** Where given, the anchor must also have this key. */
  readonly key?: string;
  readonly kind: AnchorKind;
  readonly text: string;
  /** A commitment: only a critical anchor matches. Default false: any anchor of that kind and text does. */
  readonly critical?: boolean;
  /** Share in the weighted recall; finite and not negative, default 1. */
  readonly weight?: number;
}

export interface FixtureRound {
  /** New in this round; all of it leaves the context, the session's first request too. */
  readonly messages: readonly Message[];
  /** All that the capsule must hold after this round, what earlier rounds said among it. */
  readonly expected: readonly ExpectedAnchor[];
  /** Digests that the capsule must cite, so that their originals can be fetched back. */
  readonly expectedRecoveryDigests?: readonly string[];
  /** Tokens of this round's messages that would stay beside the capsule word for word; default 0. */
  readonly retainedTokens?: number;
}

/** A session in rounds: each ends with one compaction of what it added. */
export interface ContextCompactionFixture {
  readonly id: string;
  readonly rounds: readonly FixtureRound[];
}

/** What a summarizer is given in one round of one repetition. */
export interface ContextCompactionRequest {
  readonly fixtureId: string;
  /** From 1. */
  readonly repetition: number;
  /** From 1. */
  readonly round: number;
  /** What leaves, without the previous capsule, which is in the instruction. */
  readonly messages: readonly Message[];
  readonly previous: ContextSummary | undefined;
  readonly sources: readonly ContextSummarySource[];
  readonly instruction: string;
}

/** The adapter: owns model, transport and credentials; the harness knows none of them. */
export type ContextCompactionSummarizer = (request: ContextCompactionRequest) => Promise<string> | string;

/** Throws `invalid_options` for a fixture that measures nothing or cannot be told apart in a report. */
export function requireFixture({ id, rounds }: ContextCompactionFixture): void {
  if (rounds.length === 0) invalid(`The fixture "${id}" has no rounds; give it at least one.`);
  const ids = new Set<string>();
  for (const [at, round] of rounds.entries()) {
    const where = `Round ${at + 1} of the fixture "${id}"`;
    if (round.messages.length === 0) invalid(`${where} has no messages; give it at least one.`);
    for (const message of round.messages) {
      if (ids.has(message.id)) invalid(`${where} uses the message id "${message.id}" again; ids are unique.`);
      ids.add(message.id);
    }
    const { retainedTokens = 0 } = round;
    if (!(Number.isFinite(retainedTokens) && retainedTokens >= 0)) {
      invalid(`${where} has retainedTokens ${retainedTokens}; give a number that is not negative.`);
    }
    for (const { text, weight = 1 } of round.expected) {
      if (Number.isFinite(weight) && weight >= 0) continue;
      invalid(`${where} expects "${text}" with weight ${weight}; give a number that is not negative.`);
    }
  }
}

function invalid(message: string): never {
  throw new CompactionError("invalid_options", message);
}
