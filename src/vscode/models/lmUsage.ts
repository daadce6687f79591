import type * as vscode from "vscode";
import type { Usage } from "../../core/messages.ts";

const USAGE_MIME = "usage";
const THINKING_MIME = "thinking";

/** The usage that a provider sends in-band, in the shape of Copilot's models; undefined for any other data part. */
export function usageOf(part: vscode.LanguageModelDataPart): Usage | undefined {
  if (part.mimeType !== USAGE_MIME) return undefined;
  const value = parsed(new TextDecoder().decode(part.data));
  const inputTokens = tokensIn(value, "prompt_tokens");
  const outputTokens = tokensIn(value, "completion_tokens");
  if (inputTokens === undefined || outputTokens === undefined) return undefined;
  const details = value["prompt_tokens_details"];
  const cached = isRecord(details) ? tokensIn(details, "cached_tokens") : undefined;
  return { inputTokens, outputTokens, ...(cached === undefined ? {} : { cacheReadTokens: cached }) };
}

/** What a provider's model thought before it answered, sent in-band; undefined for any other data part. */
export function reasoningOf(part: vscode.LanguageModelDataPart): string | undefined {
  if (part.mimeType !== THINKING_MIME) return undefined;
  const { text } = parsed(new TextDecoder().decode(part.data));
  if (Array.isArray(text)) return text.filter((piece) => typeof piece === "string").join("");
  return typeof text === "string" ? text : "";
}

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function tokensIn(record: Record<string, unknown>, field: string): number | undefined {
  const value = record[field];
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}
