import { whenAborted } from "../core/abortLink.ts";
import type { CompactOutcome } from "../core/compactionOutcome.ts";
import type { Message, Part, Usage } from "../core/messages.ts";
import type { ChatModel, ModelChunk } from "../core/model.ts";
import { ModelError } from "../core/model.ts";
import { answerOpenCalls } from "../core/openCalls.ts";
import { shouldCompact } from "../core/policy.ts";
import { chunksUntilAborted } from "../core/untilAborted.ts";
import type { LogEntry } from "../sessions/entries.ts";
import type { Durability } from "../sessions/session.ts";
import type {
  ChatOutcome,
  ChatRequest,
  EngineSettings,
  LiveSession,
  LiveSessionOptions,
  MeterReading,
} from "./liveSession.ts";

/** What stands for the result of a call that nobody can carry out. */
const NO_TOOLS_OUTPUT = "No tool was offered in this chat, so the call was not carried out.";

/** What an exchange needs of the engine beside what everybody sees of a session. */
export interface ExchangeEngine extends LiveSession {
  readonly settings: EngineSettings;
  readonly automaticPaused: boolean;
  /** The context as it stands. */
  readonly mark: ContextMark;
  /** `setModel` without its count; whether anything changed. */
  useModel(model: ChatModel): Promise<boolean>;
  append(entries: readonly LogEntry[], durability: Durability): Promise<void>;
  /** Appends what is made when its turn comes, told whether the context still stands as it did at the mark. */
  appendFor(
    mark: ContextMark,
    durability: Durability,
    entries: (isSameContext: boolean) => readonly LogEntry[],
  ): Promise<void>;
  countContext(signal?: AbortSignal): Promise<void>;
}

/** A context at one moment. */
export interface ContextMark {
  /** Grows whenever what came before is changed. */
  readonly epoch: number;
  /** Messages. */
  readonly length: number;
}

/**
 * One exchange of a chat: the new messages are written, window pressure acts if it may, the session's context is
 * sent, the reply is written as far as it came. Never leaves a call without its result.
 */
export async function exchange(
  engine: ExchangeEngine,
  request: ChatRequest,
  options: Pick<LiveSessionOptions, "newId" | "clock">,
): Promise<ChatOutcome> {
  await engine.useModel(request.model);
  await engine.append(questionEntries(request, options), "turn");
  await engine.countContext(request.signal);
  if (request.signal.aborted) return ended(engine, "cancelled");
  const compaction = await makeRoom(engine, request);
  if (compaction !== undefined) request.onCompaction?.(compaction);
  if (request.signal.aborted) return ended(engine, "cancelled");
  if (isTooBig(engine)) {
    return { ...ended(engine, "stopped"), ...(compaction === undefined ? {} : { compaction }) };
  }
  const { mark } = engine;
  const messages = answerOpenCalls(engine.context.messages.filter(saysAnything));
  const reply = await collect(
    chunksUntilAborted(request.model, { messages, tools: [] }, request.signal),
    request,
  );
  const entries = (isSameContext: boolean) =>
    replyEntries(reply, { model: request.model, isSameContext }, options);
  if (reply.parts.length > 0) await engine.appendFor(mark, "turn", entries);
  await engine.countContext(request.signal);
  const usage = reply.usage === undefined ? {} : { usage: reply.usage };
  if (request.signal.aborted) return { ...ended(engine, "cancelled"), ...usage };
  if (reply.error !== undefined) return { ...ended(engine, "provider_error"), error: reply.error, ...usage };
  return { ...ended(engine, "complete"), ...usage };
}

function ended(engine: ExchangeEngine, state: ChatOutcome["state"]): ChatOutcome {
  return { state, lastMessageId: engine.context.transcript.at(-1)?.id };
}

function questionEntries(
  request: ChatRequest,
  { newId, clock }: Pick<LiveSessionOptions, "newId" | "clock">,
): LogEntry[] {
  const attachments = request.attachments.map(
    (attachment): Message => ({ id: newId(), role: "user", kind: "attachment", content: attachment.content }),
  );
  const question: Message = { id: newId(), role: "user", content: [{ type: "text", text: request.text }] };
  const at = clock.now();
  return [...attachments, question].map((message) => ({
    type: "message",
    id: message.id,
    at,
    message,
    ...(message === question && request.command !== undefined ? { command: request.command } : {}),
  }));
}

/** Window pressure (contract section 3.1), for the request about to be sent. Undefined = it did not act. */
async function makeRoom(engine: ExchangeEngine, request: ChatRequest): Promise<CompactOutcome | undefined> {
  const { settings, meter } = engine;
  if (
    settings.automatic === "off" ||
    engine.automaticPaused ||
    !mayRestOn(meter.basis, settings.estimatedMode)
  ) {
    return undefined;
  }
  if (!shouldCompact(settings.policy, request.model.limits.maxInputTokens, meter.usedTokens))
    return undefined;
  if (settings.automatic === "ask" && !(await isAllowed(request, meter))) return undefined;
  return engine.compact({
    trigger: "window",
    model: request.summarizer ?? request.model,
    signal: request.signal,
    ...(request.onPhase === undefined ? {} : { onPhase: request.onPhase }),
  });
}

/** A question that nobody answers holds no cancel up. */
async function isAllowed({ mayCompact, signal }: ChatRequest, meter: MeterReading): Promise<boolean> {
  if (mayCompact === undefined) return false;
  const aborted = whenAborted(signal);
  try {
    return (await Promise.race([mayCompact(meter), aborted.promise])) === true;
  } finally {
    aborted.release();
  }
}

/** Providers refuse a message of the assistant that says nothing; in the record it stays. */
function saysAnything({ role, content }: Message): boolean {
  return role !== "assistant" || content.some((part) => part.type !== "text" || part.text.trim() !== "");
}

/** Without a provider's number for this model nothing is automatic, unless the person turned estimates on. */
export function mayRestOn(basis: MeterReading["basis"], estimatedMode: boolean): boolean {
  return basis === "reported" || basis === "counted" || basis === "projected" || estimatedMode;
}

/** A request above the ceiling is not sent: it would only be refused, after the wait. */
function isTooBig(engine: ExchangeEngine): boolean {
  const { usedTokens, ceiling } = engine.meter;
  return usedTokens !== undefined && ceiling !== undefined && usedTokens > ceiling;
}

interface Reply {
  readonly parts: readonly Part[];
  readonly usage: Usage | undefined;
  readonly error: { readonly code: string; readonly message: string } | undefined;
}

async function collect(stream: AsyncIterable<ModelChunk>, request: ChatRequest): Promise<Reply> {
  const parts: Part[] = [];
  let usage: Usage | undefined;
  let error: Reply["error"];
  try {
    for await (const chunk of stream) {
      if (request.signal.aborted) break;
      if (chunk.type === "usage") usage = chunk.usage;
      else addChunk(parts, chunk, request);
    }
  } catch (thrown) {
    error = errorOf(thrown);
  }
  return { parts, usage, error };
}

function addChunk(parts: Part[], chunk: ModelChunk, request: ChatRequest): void {
  const last = parts.at(-1);
  switch (chunk.type) {
    case "text":
      if (chunk.text === "") break;
      request.onText(chunk.text);
      if (last?.type === "text") parts[parts.length - 1] = { type: "text", text: last.text + chunk.text };
      else parts.push({ type: "text", text: chunk.text });
      break;
    case "reasoning": {
      request.onReasoning?.(chunk.text);
      const signature = chunk.signature === undefined ? {} : { signature: chunk.signature };
      if (last?.type === "reasoning" && last.signature === undefined) {
        parts[parts.length - 1] = { type: "reasoning", text: last.text + chunk.text, ...signature };
      } else parts.push({ type: "reasoning", text: chunk.text, ...signature });
      break;
    }
    case "tool-call": {
      const { toolCallId, toolName } = chunk;
      parts.push({ type: "tool-call", toolCallId, toolName, input: asJson(chunk.input) });
      break;
    }
    default:
      break;
  }
}

/** As it will be read back from the record; what has no JSON stands as its text. */
function asJson(input: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(input) ?? "null");
  } catch {
    return String(input);
  }
}

function errorOf(thrown: unknown): NonNullable<Reply["error"]> {
  if (thrown instanceof ModelError) return { code: thrown.code, message: thrown.message };
  return { code: "unknown", message: thrown instanceof Error ? thrown.message : String(thrown) };
}

function replyEntries(
  { parts, usage }: Reply,
  { model, isSameContext }: { readonly model: ChatModel; readonly isSameContext: boolean },
  { newId, clock }: Pick<LiveSessionOptions, "newId" | "clock">,
): LogEntry[] {
  // What the provider read is no measure of a context that changed while it answered.
  const usageBasis = isSameContext ? "reported" : "unavailable";
  const at = clock.now();
  const reply: Message = {
    id: newId(),
    role: "assistant",
    content: parts,
    ...(usage === undefined ? {} : { usage: { ...usage, model: model.id } }),
  };
  const messages = [reply];
  for (const part of parts) {
    if (part.type !== "tool-call") continue;
    const { toolCallId, toolName } = part;
    const result = {
      type: "tool-result",
      toolCallId,
      toolName,
      output: NO_TOOLS_OUTPUT,
      isError: true,
    } as const;
    messages.push({ id: newId(), role: "tool", content: [result] });
  }
  return messages.map((message) => ({
    type: "message",
    id: message.id,
    at,
    message,
    ...(message === reply ? { modelId: model.id, usageBasis } : {}),
  }));
}
