import * as z from "zod/mini";
import type { RunBudget } from "./runBudget.ts";
import { declareBudget } from "./runBudget.ts";
import type { TokenClasses } from "./tokenClasses.ts";
import { MOST_TOKENS_OF_A_CALL } from "./tokenClasses.ts";

/** A working call of a run, or a call to a summarizer. */
export type CallPurpose = "work" | "summary";

/** What a call may take at most. */
export interface MeteredCall {
  /** Unique in the session. */
  readonly callId: string;
  readonly modelId: string;
  readonly purpose: CallPurpose;
  /** Upper count of the request. */
  readonly inputTokens: number;
  /** Cap of the reply. */
  readonly outputTokens: number;
  /** Where `inputTokens` comes from: the model's own count, or its bytes. */
  readonly basis: "counted" | "estimated";
}

/** How a call was booked: by the provider's report, by its whole hold, or not at all. */
export type Settlement = "measured" | "held" | "unbilled";

/**
 * What a meter writes down, in order; a session's log holds them, and a meter is made again from them. Numbers and
 * ids, never text.
 */
export type MeterRecord =
  /** From here on this budget holds; null = none. */
  | {
      readonly type: "declared";
      readonly budget: RunBudget | null;
      /** Price of earlier calls that had none when they were made. */
      readonly earlierNanoUsd?: number;
    }
  | { readonly type: "reserved"; readonly call: MeteredCall; readonly nanoUsd?: number }
  | {
      readonly type: "settled";
      readonly callId: string;
      readonly modelId: string;
      readonly purpose: CallPurpose;
      readonly settlement: Exclude<Settlement, "unbilled">;
      readonly usage: TokenClasses;
      /** Absent where the model had no price. */
      readonly nanoUsd?: number;
    }
  | { readonly type: "released"; readonly callId: string };

const tokens = z.int().check(z.minimum(0), z.maximum(MOST_TOKENS_OF_A_CALL));
const nanoUsd = z.number().check(z.minimum(0));
const id = z.string().check(z.minLength(1));
const purpose = z.enum(["work", "summary"]);

const schema = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("declared"),
    budget: z.nullable(z.custom<RunBudget>(canBeDeclared)),
    earlierNanoUsd: z.optional(nanoUsd),
  }),
  z.object({
    type: z.literal("reserved"),
    call: z.object({
      callId: id,
      modelId: id,
      purpose,
      inputTokens: tokens,
      outputTokens: tokens,
      basis: z.enum(["counted", "estimated"]),
    }),
    nanoUsd: z.optional(nanoUsd),
  }),
  z.object({
    type: z.literal("settled"),
    callId: id,
    modelId: id,
    purpose,
    settlement: z.enum(["measured", "held"]),
    usage: z.object({
      inputTokens: tokens,
      outputTokens: tokens,
      cacheReadTokens: tokens,
      cacheWriteTokens: tokens,
    }),
    nanoUsd: z.optional(nanoUsd),
  }),
  z.object({ type: z.literal("released"), callId: id }),
]);

/** The record of an untrusted value; undefined where it is none. */
export function parseMeterRecord(value: unknown): MeterRecord | undefined {
  const parsed = z.safeParse(schema, value);
  return parsed.success ? (parsed.data as MeterRecord) : undefined;
}

function canBeDeclared(value: unknown): boolean {
  try {
    declareBudget(value as RunBudget);
    return true;
  } catch {
    return false;
  }
}
