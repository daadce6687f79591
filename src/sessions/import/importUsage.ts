import type { Usage } from "../../core/messages.ts";
import type { JsonObject } from "./jsonValues.ts";
import { isObject, nonEmptyString } from "./jsonValues.ts";

function tokens(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? Math.floor(value) : undefined;
}

interface TokenClasses {
  readonly input: number | undefined;
  readonly output: number | undefined;
  readonly cacheRead: number | undefined;
  readonly cacheWrite: number | undefined;
  readonly model: unknown;
}

/** Nothing when no class is a number above 0: an aborted request reports zeros, which say nothing. */
function usageFrom({ input, output, cacheRead, cacheWrite, model }: TokenClasses): Usage | undefined {
  if (!((input ?? 0) > 0 || (output ?? 0) > 0)) return undefined;
  const modelName = nonEmptyString(model);
  return {
    inputTokens: input ?? 0,
    outputTokens: output ?? 0,
    ...(cacheRead !== undefined && { cacheReadTokens: cacheRead }),
    ...(cacheWrite !== undefined && { cacheWriteTokens: cacheWrite }),
    ...(modelName !== undefined && { model: modelName }),
  };
}

/** The file counts uncached input apart (Claude Code, pi); ours holds everything the model read. */
function usageBesideCache(classes: TokenClasses): Usage | undefined {
  const input = (classes.input ?? 0) + (classes.cacheRead ?? 0) + (classes.cacheWrite ?? 0);
  return usageFrom({ ...classes, input });
}

export function claudeUsage(usage: unknown, model: unknown): Usage | undefined {
  if (!isObject(usage)) return undefined;
  return usageBesideCache({
    input: tokens(usage["input_tokens"]),
    output: tokens(usage["output_tokens"]),
    cacheRead: tokens(usage["cache_read_input_tokens"]),
    cacheWrite: tokens(usage["cache_creation_input_tokens"]),
    model,
  });
}

export function piUsage(usage: unknown, model: unknown): Usage | undefined {
  if (!isObject(usage)) return undefined;
  return usageBesideCache({
    input: tokens(usage["input"]),
    output: tokens(usage["output"]),
    cacheRead: tokens(usage["cacheRead"]),
    cacheWrite: tokens(usage["cacheWrite"]),
    model,
  });
}

/** `usage` as the chat completions API reports it (cached input included), or `metrics` as Cline writes it. */
export function openaiUsage(message: JsonObject, model: unknown): Usage | undefined {
  const usage = message["usage"];
  if (isObject(usage)) {
    if ("cache_read_input_tokens" in usage) return claudeUsage(usage, model);
    const details = usage["prompt_tokens_details"];
    return usageFrom({
      input: tokens(usage["prompt_tokens"] ?? usage["input_tokens"]),
      output: tokens(usage["completion_tokens"] ?? usage["output_tokens"]),
      cacheRead: isObject(details) ? tokens(details["cached_tokens"]) : undefined,
      cacheWrite: undefined,
      model,
    });
  }
  const metrics = message["metrics"];
  if (!isObject(metrics)) return undefined;
  return usageFrom({
    input: tokens(metrics["inputTokens"]),
    output: tokens(metrics["outputTokens"]),
    cacheRead: tokens(metrics["cacheReadTokens"]),
    cacheWrite: tokens(metrics["cacheWriteTokens"]),
    model,
  });
}
