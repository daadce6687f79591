/** The one table, and the goals beside it. */
import type { StatementType } from "./fidelitySession.mts";
import { STATEMENT_TYPES } from "./fidelitySession.mts";
import type { Measured } from "./measure.mts";
import type { RoundScore, Share } from "./score.mts";

const SHORT: Readonly<Record<StatementType, string>> = {
  safety_rule: "safety",
  hard_constraint: "constr",
  fact: "fact",
  goal_state: "goal",
  user_preference: "pref",
};

export const LEGEND = [
  "accepted: context replaced and within the budget, of all rounds. right stop: refused where what must be kept alone exceeds the budget. refused: all other refusals. over: went on above the budget.",
  "survival: canaries whose values all stand in the context, after each of the rounds (of a refusing compactor: of its accepted rounds); by type after the last round. Values are matched without case.",
  "extra: statements that came later (updates, a rule over two parts). words: statements that stand word for word.",
  "kept: commitments of the last capsule that are unchanged in the next, or were changed by the user. Only a capsule has them.",
  "resolved: changed statements whose newest value stands while no older one stands in what the compactor wrote. Changes that are pending are not counted.",
  "stale written: older values in what the compactor wrote: commitments, constraints, decisions, facts, state, next, objective, prose. stale quoted: older values in none of that, which still stand in word-for-word quotes of the user marked as said earlier; ours quotes each message that leaves until room runs out. stale pending: older values in either, while the message with the change still stands after them word for word. stale kept: older values in root, tail and other messages kept whole.",
  "alike: look-alike pairs of which both stand. foreign: rules that no user made (invented, of tools, files, quotations, the assistant) and that stand as rules. invented: made-up values anywhere in the text.",
  "Answers are scripts that see only the text they are sent. perfect: every current statement word for word. drifting: perfect once, then forgetful. forgetful: none. paraphrasing: all in other words, one value in three lost a round. inventing: perfect, with made-up rules and those of tools as rules. stale: the oldest of changed statements. empty: nothing. offline: our summarizer without a model.",
  "Tails of all are a fifth of the budget; otherwise each package keeps its defaults (the middleware of langchain shows its summarizer the newest 4000 tokens of what leaves).",
] as const;

const HEADINGS = [
  "budget",
  "compactor",
  "answers",
  "accepted",
  "right stop",
  "refused",
  "over",
  "survival by round %",
  ...STATEMENT_TYPES.map((type) => SHORT[type]),
  "extra",
  "words",
  "kept",
  "resolved",
  "stale written",
  "stale quoted",
  "stale pending",
  "stale kept",
  "alike",
  "foreign",
  "invented",
  "size %",
] as const;

type Heading = (typeof HEADINGS)[number];

/** The columns of a table for readers. */
export const SHORT_HEADINGS: readonly Heading[] = [
  "compactor",
  "answers",
  "accepted",
  "right stop",
  "survival by round %",
  "kept",
  "resolved",
  "stale written",
  "stale quoted",
  "stale pending",
  "stale kept",
  "alike",
  "foreign",
  "size %",
];

export function tableLines(measured: readonly Measured[], shown: readonly Heading[] = HEADINGS): string[] {
  const columns = shown.map((heading) => HEADINGS.indexOf(heading));
  const rows = [[...HEADINGS], ...measured.map(cells)].map((row) =>
    columns.map((column) => row[column] ?? ""),
  );
  const widths = shown.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const [head = [], ...body] = rows;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...body.map(line)];
}

function cells({ compactor, budgetShare, sessions }: Measured): string[] {
  const { name, script, isOurs } = compactor;
  const all = sessions.flat();
  const counted = isOurs ? all.filter(({ isAccepted }) => isAccepted) : all;
  const rounds = Math.max(0, ...sessions.map((scores) => scores.length));
  const atRound = (at: number): RoundScore[] =>
    sessions
      .flatMap((scores) => (scores[at] === undefined ? [] : [scores[at]]))
      .filter((score) => counted.includes(score));
  const last = atRound(rounds - 1);
  const count = (verdict: RoundScore["verdict"]): number =>
    all.filter((score) => score.verdict === verdict).length;
  const of = (scores: readonly RoundScore[], pick: (score: RoundScore) => Share): string =>
    percent(sum(scores.map(pick)));
  const total = (pick: (score: RoundScore) => number): number =>
    counted.reduce((added, score) => added + pick(score), 0);
  const none = counted.length === 0;
  const stale = (where: keyof RoundScore["stale"]): string =>
    none ? "-" : String(total((score) => score.stale[where]));
  return [
    `${Math.round(budgetShare * 100)} %`,
    name,
    script ?? "",
    `${all.filter(({ isAccepted }) => isAccepted).length}/${all.length}`,
    String(count("stopped")),
    String(count("refused") + count("failed")),
    String(count("over budget")),
    Array.from({ length: rounds }, (_, at) => of(atRound(at), ({ survival }) => survival)).join(" "),
    ...STATEMENT_TYPES.map((type) => of(last, ({ byType }) => byType[type])),
    of(last, ({ extraSurvival }) => extraSurvival),
    of(last, ({ wordForWord }) => wordForWord),
    isOurs ? of(counted, ({ commitments }) => commitments) : "",
    of(counted, ({ conflictsResolved }) => conflictsResolved),
    stale("written"),
    stale("quoted"),
    stale("pending"),
    stale("kept"),
    of(counted, ({ twins }) => twins),
    none ? "-" : String(total(({ foreignPolicy }) => foreignPolicy)),
    none ? "-" : String(total(({ inventedWritten }) => inventedWritten)),
    last.length === 0 ? "-" : meanSize(last),
  ];
}

/** Tokens after the last round, in percent of the whole session. */
function meanSize(last: readonly RoundScore[]): string {
  const mean = last.reduce((added, { sizeShare }) => added + sizeShare, 0) / last.length;
  return String(Math.round(mean * 100));
}

function sum(shares: readonly Share[]): Share {
  return {
    part: shares.reduce((added, { part }) => added + part, 0),
    whole: shares.reduce((added, { whole }) => added + whole, 0),
  };
}

/** Rounded down, so that 100 means all; a dash where there was nothing to keep. */
function percent({ part, whole }: Share): string {
  return whole === 0 ? "-" : String(Math.floor((part * 100) / whole));
}

export interface Goal {
  readonly name: string;
  readonly met: boolean;
  readonly told: string;
}

/** Answers of a summarizer that notices what is said and changed; the inventing one lies beside that. */
const CAREFUL = ["perfect", "inventing"];
/** Our own summarizer notices what changes, not all that is said. */
const NOTICING_CHANGES = [...CAREFUL, "offline"];

/** What our own ladder must reach over all budgets: some with any answers, some with those of a careful summarizer. */
export function goals(measured: readonly Measured[]): Goal[] {
  const ours = measured.filter(({ compactor }) => compactor.isOurs);
  const scoresOf = (rows: readonly Measured[]): RoundScore[] =>
    rows.flatMap(({ sessions }) => sessions.flat());
  const all = scoresOf(ours);
  const accepted = all.filter(({ isAccepted }) => isAccepted);
  const acceptedOf = (answers: readonly string[]): RoundScore[] =>
    scoresOf(ours.filter(({ compactor }) => answers.includes(compactor.script ?? ""))).filter(
      ({ isAccepted }) => isAccepted,
    );
  const whole = (name: string, scores: readonly RoundScore[], pick: (score: RoundScore) => Share): Goal => {
    const { part, whole: of } = sum(scores.map(pick));
    return { name, met: part === of, told: `${part} of ${of}` };
  };
  const none = (name: string, scores: readonly RoundScore[], pick: (score: RoundScore) => number): Goal => {
    const found = scores.reduce((added, score) => added + pick(score), 0);
    return { name, met: found === 0, told: String(found) };
  };
  const stopped = all.filter(({ verdict }) => verdict === "stopped").length;
  return [
    none("rounds that threw", all, ({ verdict }) => (verdict === "failed" ? 1 : 0)),
    whole(
      "commitments survive every accepted transition, any answers",
      accepted,
      ({ commitments }) => commitments,
    ),
    none("rules that no user made, any answers", accepted, ({ foreignPolicy }) => foreignPolicy),
    whole("look-alikes both stay, careful answers", acceptedOf(CAREFUL), ({ twins }) => twins),
    none(
      "stale values in commitments, lists, state and objective, answers that notice changes",
      acceptedOf(NOTICING_CHANGES),
      ({ stale }) => stale.written,
    ),
    {
      name: "in every row some transitions are accepted, or all were stopped as they had to be",
      met: ours.every(({ compactor, sessions }) => compactor.script === "empty" || isUseful(sessions.flat())),
      told: `${accepted.length} of ${all.length} accepted; ${stopped} stopped as they had to be`,
    },
  ];
}

function isUseful(scores: readonly RoundScore[]): boolean {
  return scores.some(({ isAccepted }) => isAccepted) || scores.every(({ verdict }) => verdict === "stopped");
}
