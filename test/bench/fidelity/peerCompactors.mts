/** Real packages as compactors. Each keeps its own defaults but for sizes, which follow the budget as ours do. */
import { estimateContext } from "../../../src/core/estimate.ts";
import type { Message, Part } from "../../../src/core/messages.ts";
import type { Compactor, CompactorRun, RoundOutcome } from "./compactor.mts";
import { proseOutcome, TAIL_SHARE, wordsOf } from "./compactor.mts";
import type { FidelitySession } from "./fidelitySession.mts";
import type { PeerModule, PeerPackages } from "./peerPackages.mts";
import type { Script, ScriptedAnswers } from "./scriptedAnswers.mts";
import { scriptedAnswers } from "./scriptedAnswers.mts";

/** `pruneMessages` of `ai`: takes tool calls and reasoning out of older messages; no summarizer. */
export function prune({ ai }: PeerPackages): Compactor {
  return {
    name: "ai: pruneMessages",
    script: undefined,
    isOurs: false,
    start: () => {
      let context: Message[] = [];
      return {
        round: (messages) => {
          context = [...context, ...messages];
          const given = context.map(asModelMessage);
          const options = { reasoning: "all", toolCalls: "before-last-2-messages", emptyMessages: "remove" };
          const kept: PeerModule[] = ai.pruneMessages({ messages: given, ...options });
          const ids = new Set(kept.map(({ id }) => id));
          const bare = new Set(kept.filter((message) => !hasTools(message)).map(({ id }) => id));
          context = context
            .filter(({ id }) => ids.has(id))
            .map((message) => (bare.has(message.id) ? withoutTools(message) : message));
          return Promise.resolve(proseOutcome("", context));
        },
      };
    },
  };
}

const hasTools = ({ content }: PeerModule): boolean =>
  Array.isArray(content) && content.some(({ type }: PeerModule) => String(type).startsWith("tool-"));

const withoutTools = (message: Message): Message => ({
  ...message,
  content: message.content.filter(({ type }) => type !== "tool-call" && type !== "tool-result"),
});

/** The id rides along; `pruneMessages` copies messages and leaves unknown fields alone. */
function asModelMessage({ id, role, content }: Message): PeerModule {
  if (role === "system" || role === "user") return { id, role, content: wordsOf({ id, role, content }) };
  return { id, role, content: content.map(asModelPart) };
}

function asModelPart(part: Part): PeerModule {
  if (part.type !== "tool-result") return part;
  const { output, isError: _isError, ...rest } = part;
  return { ...rest, output: { type: "text", value: output } };
}

/** Compaction of pi: `prepareCompaction`, `compact` with its own prompts, `buildSessionContext`. */
export function pi(packages: PeerPackages, script: Script): Compactor {
  return {
    name: "pi: compact",
    script,
    isOurs: false,
    start: (session, budgetTokens) => new PiRun(packages, scriptedAnswers(script, session), budgetTokens),
  };
}

class PiRun implements CompactorRun {
  readonly #packages: PeerPackages;
  readonly #answers: ScriptedAnswers;
  readonly #budgetTokens: number;
  readonly #entries: PeerModule[] = [];

  constructor(packages: PeerPackages, answers: ScriptedAnswers, budgetTokens: number) {
    this.#packages = packages;
    this.#answers = answers;
    this.#budgetTokens = budgetTokens;
  }

  async round(messages: readonly Message[], round: number): Promise<RoundOutcome> {
    const { piCompaction, piSessions } = this.#packages;
    for (const message of messages) if (message.role !== "system") this.#append(asPiEntry(message));
    const settings = {
      ...piCompaction.DEFAULT_COMPACTION_SETTINGS,
      keepRecentTokens: Math.floor(this.#budgetTokens * TAIL_SHARE),
    };
    const preparation = piCompaction.prepareCompaction(this.#entries, settings);
    let state: RoundOutcome["state"] = "refused";
    let reason = "nothing to compact";
    if (preparation !== undefined) {
      try {
        const { summary, firstKeptEntryId, tokensBefore } = await this.#compact(preparation, round);
        this.#append({
          type: "compaction",
          id: `compaction-${round}`,
          summary,
          firstKeptEntryId,
          tokensBefore,
        });
        state = "replaced";
        reason = "";
      } catch (error) {
        state = "failed";
        reason = String(error);
      }
    }
    const context: PeerModule[] = piSessions.buildSessionContext(this.#entries).messages;
    const summary = context.find(({ role }) => role === "compactionSummary")?.summary ?? "";
    const kept = context.filter(({ role }) => role !== "compactionSummary").map(fromPiMessage);
    return { ...proseOutcome(summary, kept), state, reason };
  }

  async #compact(preparation: PeerModule, round: number): Promise<PeerModule> {
    const { piAi, piCompaction } = this.#packages;
    const faux = piAi.registerFauxProvider();
    const answer = ({ messages }: PeerModule): PeerModule =>
      piAi.fauxAssistantMessage(this.#answers.prose(JSON.stringify(messages), round));
    faux.setResponses([answer, answer]);
    try {
      return await piCompaction.compact(preparation, faux.getModel(), "no key");
    } finally {
      faux.unregister();
    }
  }

  #append(entry: PeerModule): void {
    const parentId = this.#entries.at(-1)?.id ?? null;
    this.#entries.push({ parentId, timestamp: "2026-01-01T00:00:00.000Z", ...entry });
  }
}

function asPiEntry(message: Message): PeerModule {
  return { type: "message", id: message.id, message: asPiMessage(message) };
}

function asPiMessage(message: Message): PeerModule {
  const { role, content } = message;
  if (role === "user") return { role, content: wordsOf(message), timestamp: 0 };
  if (role === "assistant") return { role, content: content.map(asPiPart), stopReason: "stop", timestamp: 0 };
  const [result] = content;
  if (result?.type !== "tool-result") throw new Error("A tool message of the bench holds one result.");
  const { toolCallId, toolName, output } = result;
  return {
    role: "toolResult",
    toolCallId,
    toolName,
    content: [{ type: "text", text: output }],
    timestamp: 0,
  };
}

function asPiPart(part: Part): PeerModule {
  if (part.type !== "tool-call") return part;
  return { type: "toolCall", id: part.toolCallId, name: part.toolName, arguments: part.input };
}

function fromPiMessage({ role, content, toolCallId, toolName }: PeerModule, at: number): Message {
  const id = `kept-${at}`;
  if (role === "toolResult") {
    const output = content.map(({ text }: PeerModule) => text).join("");
    return { id, role: "tool", content: [{ type: "tool-result", toolCallId, toolName, output }] };
  }
  if (typeof content === "string") return { id, role, content: [{ type: "text", text: content }] };
  const parts = content.map(
    (part: PeerModule): Part =>
      part.type === "toolCall"
        ? { type: "tool-call", toolCallId: part.id, toolName: part.name, input: part.arguments }
        : part,
  );
  return { id, role, content: parts };
}

/** `trimMessages` of `@langchain/core`: the newest messages within a limit, from a user message on. */
export function trim({ messages: langchain }: PeerPackages): Compactor {
  return {
    name: "langchain: trimMessages",
    script: undefined,
    isOurs: false,
    start: (_session, budgetTokens) => {
      let context: Message[] = [];
      return {
        round: async (messages) => {
          context = [...context, ...messages];
          const byId = new Map(context.map((message) => [message.id, message]));
          const tokenCounter = (given: PeerModule[]): number =>
            estimateContext(given.map(fromLangchain(byId)));
          const kept: PeerModule[] = await langchain.trimMessages(
            context.map((message) => asLangchain(langchain, message)),
            {
              maxTokens: budgetTokens,
              strategy: "last",
              includeSystem: true,
              startOn: "human",
              tokenCounter,
            },
          );
          // Where nothing fits it gives a list that holds `undefined`.
          context = kept.filter((message) => message !== undefined).map(fromLangchain(byId));
          return proseOutcome("", context);
        },
      };
    },
  };
}

/** `summarizationMiddleware` of `langchain`, asked before a model call as an agent asks it. */
export function summarization(packages: PeerPackages, script: Script): Compactor {
  return {
    name: "langchain: summarization",
    script,
    isOurs: false,
    start: (session, budgetTokens) => new SummarizationRun({ packages, script, session, budgetTokens }),
  };
}

interface SummarizationInput {
  readonly packages: PeerPackages;
  readonly script: Script;
  readonly session: FidelitySession;
  readonly budgetTokens: number;
}

class SummarizationRun implements CompactorRun {
  readonly #input: SummarizationInput;
  readonly #answers: ScriptedAnswers;
  readonly #said = new Map<string, Message>();
  #context: PeerModule[] = [];

  constructor(input: SummarizationInput) {
    this.#input = input;
    this.#answers = scriptedAnswers(input.script, input.session);
  }

  async round(messages: readonly Message[], round: number): Promise<RoundOutcome> {
    const { packages, budgetTokens } = this.#input;
    for (const message of messages) {
      if (message.role === "system") continue;
      this.#said.set(message.id, message);
      this.#context.push(asLangchain(packages.messages, message));
    }
    const answers = this.#answers;
    const model = {
      profile: {},
      invoke: (prompt: unknown) => Promise.resolve({ content: answers.prose(String(prompt), round) }),
      getNumTokens: (text: string) => Promise.resolve(Math.ceil(text.length / 4)),
      withConfig: () => model,
    };
    const middleware = packages.langchain.summarizationMiddleware({
      model,
      trigger: { tokens: 1 },
      keep: { tokens: Math.floor(budgetTokens * TAIL_SHARE) },
    });
    const hook = middleware.beforeModel.hook ?? middleware.beforeModel;
    const update = await hook({ messages: this.#context }, { context: {} });
    if (update === undefined) return { ...this.#outcome(), state: "refused", reason: "nothing to compact" };
    this.#context = update.messages.slice(1);
    return this.#outcome();
  }

  #outcome(): RoundOutcome {
    const [first, ...rest] = this.#context;
    const isSummary = first?.additional_kwargs?.lc_source === "summarization";
    const kept = (isSummary ? rest : this.#context).map(fromLangchain(this.#said));
    return proseOutcome(isSummary ? String(first.content) : "", kept);
  }
}

function asLangchain(
  { HumanMessage, AIMessage, ToolMessage, SystemMessage }: PeerModule,
  message: Message,
): PeerModule {
  const { id, role, content } = message;
  const text = content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  if (role === "system") return new SystemMessage({ id, content: text });
  if (role === "user") return new HumanMessage({ id, content: text });
  if (role === "tool") {
    const [result] = content;
    if (result?.type !== "tool-result") throw new Error("A tool message of the bench holds one result.");
    return new ToolMessage({
      id,
      content: result.output,
      tool_call_id: result.toolCallId,
      name: result.toolName,
    });
  }
  const calls = content.flatMap((part) =>
    part.type === "tool-call" ? [{ id: part.toolCallId, name: part.toolName, args: part.input }] : [],
  );
  return new AIMessage({ id, content: text, tool_calls: calls });
}

const fromLangchain =
  (byId: ReadonlyMap<string, Message>) =>
  ({ id }: PeerModule): Message => {
    const message = byId.get(id);
    if (message === undefined) throw new Error(`langchain made a message of its own: ${id}`);
    return message;
  };
