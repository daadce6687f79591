/** What is measured: something that makes a context smaller, round after round. */

import type { ContextSummary } from "../../../src/core/capsule/contextSummary.ts";
import { estimateContext } from "../../../src/core/estimate.ts";
import type { Message, Part } from "../../../src/core/messages.ts";
import type { FidelitySession } from "./fidelitySession.mts";
import type { Script } from "./scriptedAnswers.mts";

/** A context, by where its words come from. */
export interface ContextText {
  /** Messages that stand word for word. */
  readonly kept: readonly string[];
  /** What the user said, word for word, marked as said earlier: background, no policy. */
  readonly quoted: readonly string[];
  /** All else: what a summarizer or the compactor wrote. */
  readonly written: readonly string[];
  /** The part of it that reads as a rule of the user's. */
  readonly policy: readonly string[];
}

export interface RoundOutcome {
  /** `refused`: nothing was replaced, by decision; `failed`: it threw. */
  readonly state: "replaced" | "refused" | "failed";
  /** A code, for the reader of the JSON results. */
  readonly reason?: string;
  readonly context: ContextText;
  /** Tokens of the context by our estimate, the same measure for all. */
  readonly tokens: number;
  readonly capsule?: ContextSummary;
  readonly retiredKeys?: readonly string[];
}

export interface CompactorRun {
  /** Adds the messages and compacts. */
  readonly round: (messages: readonly Message[], round: number) => Promise<RoundOutcome>;
}

export interface Compactor {
  readonly name: string;
  /** What its summarizer answers; undefined: it has none. */
  readonly script: Script | "offline" | undefined;
  readonly isOurs: boolean;
  readonly start: (session: FidelitySession, budgetTokens: number) => CompactorRun;
}

/** Share of the budget that goes to the newest messages word for word, ours and the peers' alike. */
export const TAIL_SHARE = 0.2;

export function wordsOf({ content }: Message): string {
  return content.map(wordsOfPart).join("\n");
}

function wordsOfPart(part: Part): string {
  switch (part.type) {
    case "text":
    case "reasoning":
      return part.text;
    case "tool-call":
      return JSON.stringify(part.input) ?? "";
    case "tool-result":
      return part.output;
    case "image":
      return "";
  }
}

export function plainMessage(id: string, text: string, role: Message["role"] = "user"): Message {
  return { id, role, content: [{ type: "text", text }] };
}

/** A context of kept messages and one summary in prose; lines that are listed as rules count as policy. */
export function proseOutcome(summary: string, kept: readonly Message[]): RoundOutcome {
  const messages = summary === "" ? kept : [plainMessage("summary", summary), ...kept];
  return {
    state: "replaced",
    context: {
      kept: kept.map(wordsOf),
      quoted: [],
      written: [summary],
      policy: summary.split("\n").filter((line) => line.startsWith("- ")),
    },
    tokens: estimateContext(messages),
  };
}

/** Index of the first of the newest messages that fit into so many tokens; a tool result never parted from its call. */
export function tailStart(messages: readonly Message[], tokens: number): number {
  let start = messages.length;
  let sum = 0;
  for (let at = messages.length - 1; at >= 0; at -= 1) {
    sum += estimateContext([messages[at] as Message]);
    if (sum > tokens) break;
    start = at;
  }
  while (messages[start]?.role === "tool") start += 1;
  return start;
}
