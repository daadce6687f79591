/** Sessions as files: a folder with `expected.json`, which says what is said in which file. */
import { createReadStream } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import type { Message } from "../../../src/core/messages.ts";
import { importSession } from "../../../src/sessions/import/importSession.ts";
import type { FidelitySession, Statement } from "./fidelitySession.mts";
import { placeStatements, STATEMENT_TYPES } from "./fidelitySession.mts";

const statementShape = z.strictObject({
  id: z.string().min(1),
  type: z.enum(STATEMENT_TYPES),
  text: z.string().min(1),
  values: z.array(z.string().min(1)),
  by: z.enum(["user", "tool", "assistant", "attachment", "quoted"]).optional(),
  slot: z.string().optional(),
  retracts: z.boolean().optional(),
  twin: z.string().optional(),
  isExtra: z.boolean().optional(),
});

const expectedShape = z.strictObject({
  sessions: z
    .array(
      z.strictObject({
        file: z.string().min(1),
        /** Ids of the messages that end a round; default: the first 60 % of the messages, then four tenths. */
        roundEnds: z.array(z.string()).optional(),
        statements: z.array(statementShape).min(1),
      }),
    )
    .min(1),
});

const ownShape = z.looseObject({
  messages: z.array(z.looseObject({ id: z.string(), role: z.string() })).min(1),
});

const DEFAULT_ROUND_SHARES = [0.6, 0.7, 0.8, 0.9, 1] as const;

/** Throws with a sentence that names the file and what to do. */
export async function readSessionFolder(folder: string): Promise<FidelitySession[]> {
  const path = join(folder, "expected.json");
  const text = await readFile(path, "utf8").catch(() => {
    throw new Error(
      `There is no ${path}. It names each session file and what is said in it; see test/bench/README.md.`,
    );
  });
  const { success, data, error } = expectedShape.safeParse(jsonOf(path, text));
  if (!success) throw new Error(`${path} does not have its shape:\n${z.prettifyError(error)}`);
  const sessions: FidelitySession[] = [];
  for (const { file, roundEnds, statements } of data.sessions) {
    const messages = await readMessages(join(folder, file));
    const rounds = roundEnds === undefined ? splitByShare(messages) : splitByIds(file, messages, roundEnds);
    sessions.push({ id: file, rounds, statements: placeStatements(file, rounds, statements as Statement[]) });
  }
  return sessions;
}

/** Keeps sessions as files that `readSessionFolder` reads. */
export async function writeSessionFolder(
  folder: string,
  sessions: readonly FidelitySession[],
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const listed = sessions.map(({ id, rounds, statements }) => ({
    file: `${id}.json`,
    roundEnds: rounds.map((messages) => messages.at(-1)?.id),
    statements: statements.map(({ messageId: _id, round: _round, order: _order, ...statement }) => statement),
  }));
  await writeFile(join(folder, "expected.json"), `${JSON.stringify({ sessions: listed }, undefined, 2)}\n`);
  for (const { id, rounds } of sessions) {
    await writeFile(
      join(folder, `${id}.json`),
      `${JSON.stringify({ messages: rounds.flat() }, undefined, 1)}\n`,
    );
  }
}

/** `{ "messages": […] }` of our own message model, or any file that the product imports. */
async function readMessages(path: string): Promise<Message[]> {
  const text = await readFile(path, "utf8").catch((cause: Error) => {
    throw new Error(`${path} cannot be read: ${cause.message}`);
  });
  const own = path.endsWith(".json") ? ownShape.safeParse(jsonOf(path, text)) : undefined;
  const isOwn = own?.success === true && own.data.messages.every(({ content }) => Array.isArray(content));
  if (isOwn && own.data.messages.every(({ content }) => (content as unknown[]).every(isPart)))
    return own.data.messages as unknown as Message[];
  const result = await importSession({ fileName: path, chunks: createReadStream(path) });
  if (!result.ok) throw new Error(`${path}: ${result.reason}`);
  return result.imported.records.flatMap((record) => (record.type === "message" ? [record.message] : []));
}

function isPart(value: unknown): boolean {
  return typeof value === "object" && value !== null && "type" in value;
}

function jsonOf(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`${path} is no JSON: ${(cause as Error).message}`);
  }
}

/** A round ends between turns, so that no call is parted from its result. */
function splitByShare(messages: readonly Message[]): Message[][] {
  let start = 0;
  return DEFAULT_ROUND_SHARES.map((part) => {
    let end = Math.max(start, Math.floor(messages.length * part));
    while (end < messages.length && messages[end]?.role !== "user") end += 1;
    const round = messages.slice(start, end);
    start = end;
    return round;
  }).filter((round) => round.length > 0);
}

function splitByIds(file: string, messages: readonly Message[], ends: readonly string[]): Message[][] {
  let start = 0;
  const rounds = ends.map((id) => {
    const at = messages.findIndex((message) => message.id === id);
    if (at < start) throw new Error(`${file}: "${id}" ends no round, or rounds are out of order.`);
    const round = messages.slice(start, at + 1);
    start = at + 1;
    return round;
  });
  if (start < messages.length) rounds.push(messages.slice(start));
  return rounds;
}
