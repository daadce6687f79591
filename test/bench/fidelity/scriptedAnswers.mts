/**
 * Summarizers whose behaviour is known: each sees nothing but the text it is sent, and knows which of a session's
 * statements stand in it. The same answer goes out in two forms: as the draft that our ladder asks for, and as the prose
 * that others accept.
 */

import type { AnchorKind } from "../../../src/core/capsule/contextSummary.ts";
import type { DraftAnchor } from "../../../src/core/capsule/draft.ts";
import { emptyDraft, renderDraft } from "../../../src/core/capsule/draft.ts";
import type { Prior, SummaryRequest } from "../../demo/model/readRequest.js";
import { readRequest } from "../../demo/model/readRequest.js";
import type { FidelitySession, PlacedStatement, StatementType } from "./fidelitySession.mts";

/** `drifting`: perfect in the first round and forgetful in all others, as summaries of summaries become. */
export const SCRIPTS = [
  "perfect",
  "drifting",
  "forgetful",
  "paraphrasing",
  "inventing",
  "stale",
  "empty",
] as const;
export type Script = (typeof SCRIPTS)[number];

/** Values that only the inventing script writes. */
export const INVENTED_VALUE = "qzx-invented-7741";
const INVENTED_RULE = `Always deploy straight to production with ${INVENTED_VALUE}.`;
const PARAPHRASE_LOSES_ONE_OF = 3;

const KINDS: Readonly<Record<StatementType, AnchorKind>> = {
  safety_rule: "constraint",
  hard_constraint: "constraint",
  fact: "fact",
  goal_state: "next",
  user_preference: "constraint",
};

export interface ScriptedAnswers {
  readonly draft: (request: string, round: number) => string;
  readonly prose: (request: string, round: number) => string;
}

export function scriptedAnswers(script: Script, session: FidelitySession): ScriptedAnswers {
  const at = (round: number): Script =>
    script !== "drifting" ? script : round === 1 ? "perfect" : "forgetful";
  return {
    draft: (request, round) => (script === "empty" ? "" : draftOf(at(round), session, request)),
    prose: (request, round) => (script === "empty" ? "" : proseOf(at(round), session, { request, round })),
  };
}

/** Statements whose values all stand in the text; a retraction has none and is known by its words. */
function seenIn(session: FidelitySession, text: string): PlacedStatement[] {
  const lower = text.toLowerCase();
  return session.statements.filter((statement) =>
    (statement.values.length > 0 ? statement.values : [statement.text]).every((value) =>
      lower.includes(value.toLowerCase()),
    ),
  );
}

interface Choice {
  /** What the summarizer takes to hold. */
  readonly held: readonly PlacedStatement[];
  /** What it says that tools, files and the assistant said. */
  readonly reported: readonly PlacedStatement[];
}

function choose(script: Script, session: FidelitySession, text: string): Choice {
  const seen = seenIn(session, text);
  const bySlot = Map.groupBy(
    seen.filter(({ by }) => by === "user"),
    ({ slot }) => slot,
  );
  const held = [...bySlot.values()].flatMap((said) => {
    const chosen = script === "stale" ? said[0] : said.at(-1);
    return chosen === undefined ? [] : [chosen];
  });
  const reported = seen.filter(({ by }) => by !== "user");
  return script === "forgetful" ? { held: [], reported: [] } : { held, reported };
}

function draftOf(script: Script, session: FidelitySession, text: string): string {
  const request = readRequest(text);
  const { held, reported } = choose(script, session, text);
  const draft = {
    ...emptyDraft("Go on with the ingestion service."),
    facts: ["Work on the ingestion service."],
  };
  const attributed = reported.map(({ by, text: words }) => `The ${by} said: ${words}`);
  if (script === "forgetful") return renderDraft(draft);
  const anchors = held.flatMap((statement) => anchorFor(script, session, { statement, request }));
  if (script !== "inventing")
    return renderDraft({ ...draft, facts: [...draft.facts, ...attributed], anchors });
  const lastUser = request.userSources.at(-1)?.id ?? "";
  return renderDraft({
    ...draft,
    constraintsRestated: [INVENTED_RULE],
    anchors: [
      ...anchors,
      promoted(INVENTED_RULE, lastUser),
      ...reported
        .filter(({ by }) => by !== "quoted")
        .flatMap(({ text: words, messageId }) => [
          promoted(words, messageId),
          promoted(words, sourceOfTool(request, words) ?? messageId),
          promoted(words, lastUser),
        ]),
    ],
  });
}

const promoted = (text: string, sourceSegmentId: string): DraftAnchor => ({
  kind: "constraint",
  text,
  critical: true,
  sourceSegmentId,
  supersedes: [],
});

function sourceOfTool({ said }: SummaryRequest, words: string): string | undefined {
  return said.find(({ role, text }) => role === "tool" && text.includes(words))?.id;
}

function anchorFor(
  script: Script,
  session: FidelitySession,
  { statement, request }: { statement: PlacedStatement; request: SummaryRequest },
): DraftAnchor[] {
  const sameSlot = session.statements.filter(({ by, slot }) => by === "user" && slot === statement.slot);
  const others = new Set(sameSlot.filter(({ id }) => id !== statement.id).map(({ text }) => text));
  const prior: Prior["anchors"] = request.previous?.anchors ?? [];
  const supersedes = prior.filter(({ text }) => others.has(text)).map(({ key }) => key);
  const isHeld = prior.some(({ critical, text }) => critical && text === statement.text);
  if (isHeld && supersedes.length === 0) return [];
  const text = script === "paraphrasing" ? paraphrase(statement.text) : statement.text;
  const kind = KINDS[statement.type];
  return [{ kind, text, critical: true, sourceSegmentId: statement.messageId, supersedes }];
}

function proseOf(
  script: Script,
  session: FidelitySession,
  { request, round }: { request: string; round: number },
): string {
  const { held, reported } = choose(script, session, request);
  const words = held.map((statement) =>
    script === "paraphrasing" ? vague(statement, round) : statement.text.replaceAll("\n", " "),
  );
  const rules = script === "inventing" ? [INVENTED_RULE, ...reported.map(({ text }) => text)] : [];
  const told = script === "inventing" ? [] : reported.map(({ by, text }) => `${by} said: ${text}`);
  return [
    "## Goal",
    "Go on with the ingestion service.",
    "## Constraints & Preferences",
    ...[...words, ...rules].map((line) => `- ${line}`),
    "## Critical Context",
    ...told.map((line) => `* ${line}`),
  ].join("\n");
}

function paraphrase(text: string): string {
  return `The user wishes that ${text
    .replace(/\bmust\b/gi, "has to")
    .replace(/\bnever\b/gi, "not ever")
    .replace(/\bis\b/g, "would be")
    .replaceAll("\n", " ")}`;
}

/** A paraphrase that each round loses the values of one statement in three, as free summaries do. */
function vague({ id, text, values }: PlacedStatement, round: number): string {
  const sum = [...id].reduce((total, unit) => total + unit.charCodeAt(0), round);
  const reworded = paraphrase(text);
  if (sum % PARAPHRASE_LOSES_ONE_OF !== 0) return reworded;
  return values.reduce((line, value) => line.replaceAll(value, "a certain value"), reworded);
}
