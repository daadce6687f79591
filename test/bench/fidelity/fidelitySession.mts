/** A session to compact and what is known to be said in it. */
import type { Message } from "../../../src/core/messages.ts";
import { isUserSource, textOf } from "../../../src/core/messages.ts";

export const STATEMENT_TYPES = [
  "safety_rule",
  "hard_constraint",
  "fact",
  "goal_state",
  "user_preference",
] as const;
export type StatementType = (typeof STATEMENT_TYPES)[number];

/** Who said it. `quoted`: a user message only shows it, in a quotation or a code fence. */
export type StatementSource = "user" | "tool" | "assistant" | "attachment" | "quoted";

export interface Statement {
  readonly id: string;
  readonly type: StatementType;
  /** The exact words, as they stand in one message (lines of several text parts joined by \n). */
  readonly text: string;
  /** What must survive of it: values that nobody can guess. */
  readonly values: readonly string[];
  /** Default `user`. Whatever else says it must never become policy. */
  readonly by?: StatementSource;
  /** A later user statement of the same slot replaces the earlier ones; default: a slot of its own. */
  readonly slot?: string;
  /** It takes the slot's statement back and puts nothing in its place. */
  readonly retracts?: boolean;
  /** A statement that only looks like this one: both must stay. */
  readonly twin?: string;
  /** Not of the published method: counted apart. */
  readonly isExtra?: boolean;
}

/** A statement with the place where it is said. */
export interface PlacedStatement extends Statement {
  readonly by: StatementSource;
  readonly slot: string;
  readonly messageId: string;
  /** From 1. */
  readonly round: number;
  /** Order in the whole session. */
  readonly order: number;
}

export interface FidelitySession {
  readonly id: string;
  /** New messages before each compaction. */
  readonly rounds: readonly (readonly Message[])[];
  readonly statements: readonly PlacedStatement[];
}

/** Finds where each statement is said; throws with the statement's id where it is not. */
export function placeStatements(
  sessionId: string,
  rounds: readonly (readonly Message[])[],
  statements: readonly Statement[],
): PlacedStatement[] {
  const places = rounds.flatMap((messages, at) => messages.map((message) => ({ message, round: at + 1 })));
  const placed = statements.map((statement) => {
    const { id, text, values, by = "user", slot = id } = statement;
    const order = places.findLastIndex(({ message }) => mayBe(message, by) && textOf(message).includes(text));
    const place = places[order];
    if (place === undefined) {
      throw new Error(`${sessionId}: no ${by} message says the statement "${id}": ${JSON.stringify(text)}`);
    }
    const missing = values.find((value) => !text.toLowerCase().includes(value.toLowerCase()));
    if (missing !== undefined || (values.length === 0 && statement.retracts !== true)) {
      throw new Error(`${sessionId}: the statement "${id}" needs values that stand in its text.`);
    }
    return { ...statement, by, slot, messageId: place.message.id, round: place.round, order };
  });
  const ids = new Set(placed.map(({ id }) => id));
  for (const { id, twin } of placed) {
    if (twin !== undefined && !ids.has(twin)) throw new Error(`${sessionId}: "${id}" has no twin "${twin}".`);
  }
  return placed.sort((a, b) => a.order - b.order);
}

function mayBe(message: Message, by: StatementSource): boolean {
  if (by === "user" || by === "quoted") return isUserSource(message);
  if (by === "attachment") return message.kind === "attachment";
  return message.role === by;
}

/** What the user wants to hold after a round: the newest of each slot, unless it was taken back. */
export function currentStatements(session: FidelitySession, round: number): PlacedStatement[] {
  const newest = new Map<string, PlacedStatement>();
  for (const statement of saidByUser(session, round)) newest.set(statement.slot, statement);
  return [...newest.values()].filter(({ retracts }) => retracts !== true);
}

/** A slot whose statement was changed or taken back by now. */
export interface Conflict {
  readonly newest: PlacedStatement;
  /** Values of earlier statements that no current one has. */
  readonly staleValues: readonly string[];
}

export function conflicts(session: FidelitySession, round: number): Conflict[] {
  const bySlot = Map.groupBy(saidByUser(session, round), ({ slot }) => slot);
  const live = new Set(currentStatements(session, round).flatMap(({ values }) => values));
  return [...bySlot.values()].flatMap((said) => {
    const newest = said.at(-1);
    if (newest === undefined || said.length < 2) return [];
    const staleValues = said.slice(0, -1).flatMap(({ values }) => values.filter((value) => !live.has(value)));
    return [{ newest, staleValues: [...new Set(staleValues)] }];
  });
}

function saidByUser({ statements }: FidelitySession, round: number): PlacedStatement[] {
  return statements.filter((statement) => statement.by === "user" && statement.round <= round);
}
