import * as vscode from "vscode";
import { whenAborted } from "../../core/abortLink.ts";
import type { AbortSignalLike, ChatModel, ModelChunk, ModelLimits, ModelRequest } from "../../core/model.ts";
import { nextTurn } from "../systemClock.ts";
import { toModelError } from "./lmErrors.ts";
import { toLmMessages } from "./lmMessages.ts";
import { reasoningOf, usageOf } from "./lmUsage.ts";
import { withinTime } from "./withinTime.ts";

/** A provider that does not count in this time does not count at all. */
const COUNT_TIMEOUT_MS = 2000;
/** Counting goes through the provider's own code: let the host breathe now and then. */
const COUNTS_BETWEEN_PAUSES = 200;
const ABORTED = Symbol("aborted");

export interface LmModelOptions {
  /** Why the person is asked for consent, in words for the dialog. */
  readonly justification: string;
  /** Called when a reply came: this vendor may be used without asking. */
  readonly onWorked: (vendor: string) => void;
  /** How long a count may take; default 2 s. */
  readonly countTimeoutMs?: number;
}

export function lmModelId(model: vscode.LanguageModelChat): string {
  return `${model.vendor}/${model.id}`;
}

/** A model of `vscode.lm`. Its replies carry no finish reason, and maxInputTokens already excludes the reply. */
export class LmModel implements ChatModel {
  readonly id: string;
  readonly vendor: string;
  readonly name: string;
  readonly limits: ModelLimits;
  readonly #model: vscode.LanguageModelChat;
  readonly #options: LmModelOptions;
  #counted = 0;
  #counts = true;

  constructor(model: vscode.LanguageModelChat, options: LmModelOptions) {
    this.#model = model;
    this.#options = options;
    this.id = lmModelId(model);
    this.vendor = model.vendor;
    this.name = model.name;
    this.limits = model.maxInputTokens > 0 ? { maxInputTokens: model.maxInputTokens } : {};
  }

  async *stream(request: ModelRequest, signal: AbortSignalLike): AsyncGenerator<ModelChunk> {
    const source = new vscode.CancellationTokenSource();
    const cancel = () => source.cancel();
    signal.addEventListener("abort", cancel);
    if (signal.aborted) cancel();
    try {
      const response = await this.#send(request, source.token);
      for await (const part of response.stream) {
        if (signal.aborted) return;
        const chunk = chunkOf(part);
        if (chunk !== undefined) yield chunk;
      }
      // A cancelled stream ends like one that is complete.
      if (!signal.aborted) this.#options.onWorked(this.vendor);
    } catch (error) {
      throw toModelError(error);
    } finally {
      signal.removeEventListener("abort", cancel);
      // Leaving the loop early cancels nothing by itself.
      source.cancel();
      source.dispose();
    }
  }

  /**
   * On strings only: counts of message objects are not to be believed. A direct call into the provider where it runs
   * in the same host; cancelling does not stop it, and a silent one is asked once and never again.
   */
  async countTokens(text: string, signal: AbortSignalLike): Promise<number | undefined> {
    if (signal.aborted || !this.#counts) return undefined;
    this.#counted += 1;
    if (this.#counted % COUNTS_BETWEEN_PAUSES === 0) await nextTurn();
    const source = new vscode.CancellationTokenSource();
    const aborted = whenAborted(signal);
    try {
      const counting = this.#model.countTokens(text, source.token);
      const answer = await withinTime(
        Promise.race([counting, aborted.promise.then(() => ABORTED)]),
        this.#options.countTimeoutMs ?? COUNT_TIMEOUT_MS,
      );
      if (answer === ABORTED) return undefined;
      if (answer === undefined) this.#counts = false;
      return typeof answer === "number" && Number.isFinite(answer) && answer > 0 ? answer : undefined;
    } catch {
      return undefined;
    } finally {
      aborted.release();
      source.cancel();
      source.dispose();
    }
  }

  #send(request: ModelRequest, token: vscode.CancellationToken): Thenable<vscode.LanguageModelChatResponse> {
    const withTools = request.tools.length > 0;
    const messages = toLmMessages(request.messages, { withTools });
    const tools = request.tools.map(({ name, description, inputSchema }) => ({
      name,
      description,
      ...(inputSchema === undefined ? {} : { inputSchema: inputSchema as object }),
    }));
    const { justification } = this.#options;
    return this.#model.sendRequest(messages, { justification, ...(withTools ? { tools } : {}) }, token);
  }
}

function chunkOf(part: unknown): ModelChunk | undefined {
  if (part instanceof vscode.LanguageModelTextPart) return { type: "text", text: part.value };
  if (part instanceof vscode.LanguageModelToolCallPart) {
    return { type: "tool-call", toolCallId: part.callId, toolName: part.name, input: part.input };
  }
  if (part instanceof vscode.LanguageModelDataPart) {
    const usage = usageOf(part);
    if (usage !== undefined) return { type: "usage", usage };
    const reasoning = reasoningOf(part);
    return reasoning === undefined ? undefined : { type: "reasoning", text: reasoning };
  }
  return undefined;
}
