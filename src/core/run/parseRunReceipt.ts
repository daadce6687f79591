import * as z from "zod/mini";
import { deepFreeze } from "../capsule/deepFreeze.ts";
import { jsonValue } from "../capsule/jsonReply.ts";
import { MODEL_ERROR_CODES } from "../model.ts";
import { isSound } from "./receiptSums.ts";
import { RECEIPT_FAILURE, RECEIPT_ID, RECEIPT_NAME } from "./receiptText.ts";
import type { RunReceipt } from "./runReceipt.ts";
import { RUN_RECEIPT_SCHEMA } from "./runReceipt.ts";

const MOST_ENTRIES = 100_000;

const count = z.int().check(z.minimum(0));
const money = z.number().check(z.minimum(0));
const id = z.string().check(z.regex(RECEIPT_ID));
const name = z.string().check(z.regex(RECEIPT_NAME));
const digest = z.string().check(z.regex(/^[0-9a-f]{64}$/));
const code = z.string().check(z.regex(/^[a-z_]{1,64}$/));
const basis = z.enum([
  "reported",
  "counted",
  "tokenized",
  "projected",
  "estimated",
  "imported",
  "unavailable",
]);
const list = <T extends z.core.SomeType>(item: T) => z.array(item).check(z.maxLength(MOST_ENTRIES));

const tokens = { inputTokens: count, outputTokens: count, cacheReadTokens: count, cacheWriteTokens: count };
const booked = {
  ...tokens,
  settlement: z.enum(["measured", "held", "unbilled", "free", "unmetered"]),
  basis,
  costNanoUsd: z.nullable(money),
};
const times = { startedAt: z.number(), durationMs: money };
const errorCode = z.nullable(z.enum(MODEL_ERROR_CODES));
const totals = z.strictObject({ ...tokens, calls: count, costNanoUsd: z.nullable(money) });

const schema = z.strictObject({
  schema: z.literal(RUN_RECEIPT_SCHEMA),
  runId: id,
  ...times,
  stopReason: z.nullable(
    z.enum([
      "complete",
      "budget_exhausted",
      "deadline",
      "cancelled",
      "loop_detected",
      "max_tool_calls",
      "provider_error",
      "context_full",
    ]),
  ),
  errorCode,
  budget: z.nullable(
    z.strictObject({
      unit: z.enum(["tokens", "nanoUsd"]),
      maximum: count,
      onExhausted: z.enum(["compact", "stop"]),
      outputFloorTokens: count,
      spentBefore: money,
      spent: money,
      spentAfter: money,
      breachedBy: money,
    }),
  ),
  calls: list(
    z.strictObject({
      index: count,
      callId: id,
      provider: name,
      model: name,
      ...booked,
      outputCapTokens: count,
      clampedToTokens: z.nullable(count),
      ...times,
    }),
  ),
  tools: list(z.strictObject({ name, calls: count, errors: count, refused: count })),
  unknownToolCalls: count,
  compactions: list(
    z.strictObject({
      index: count,
      runId: id,
      rung: z.enum(["evict", "summarize", "stop", "none"]),
      trigger: z.enum(["manual", "window", "spend", "hand"]),
      basis,
      before: count,
      after: count,
      evictedDigests: list(digest),
      pinnedIds: list(id),
      generation: z.nullable(count),
      model: z.nullable(name),
      call: z.nullable(z.strictObject(booked)),
      ...times,
      state: code,
      reason: code,
      failures: list(z.string().check(z.regex(RECEIPT_FAILURE))),
      errorCode,
      retired: list(z.strictObject({ key: id, byKey: id })),
      carriedOutKeys: list(id),
      workingCallsBefore: count,
      workingCallsAfter: count,
      modeledNetTokens: z.int(),
    }),
  ),
  totals: z.strictObject({ working: totals, summarizing: totals, toolCalls: count }),
});

/**
 * The deep-frozen receipt of a JSON text. Undefined for everything else: a key too many or too few, a value out of its
 * bounds, sums that do not reconcile. Never throws.
 */
export function parseRunReceipt(json: string): RunReceipt | undefined {
  const parsed = z.safeParse(schema, jsonValue(json));
  if (!parsed.success) return undefined;
  const receipt = parsed.data as RunReceipt;
  return isSound(receipt) ? deepFreeze(receipt) : undefined;
}
