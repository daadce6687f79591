import type * as vscode from "vscode";
import type { LiveSession } from "../../engine/liveSession.ts";
import type { ParticipantCommand } from "../contributions.ts";
import { escapeMarkdown } from "../markdown.ts";
import { errorSentence, excerpt } from "../words.ts";
import { answerMessage } from "./answerMessage.ts";
import type { HistoryTurn } from "./boundChat.ts";
import { boundChat } from "./boundChat.ts";
import type { ChatMetadata } from "./chatMetadata.ts";
import type { ChatParts } from "./chatParts.ts";
import { ChatReply } from "./chatReply.ts";
import { ChatSessions } from "./chatSessions.ts";
import type { ChatTurn } from "./chatTurn.ts";
import { chatMetadata } from "./chatTurn.ts";
import { busyMarkdown, helpMarkdown, newSessionMarkdown, noSessionMarkdown } from "./chatWords.ts";
import type { SessionCommand } from "./sessionCommands.ts";
import { compactCommand, contextCommand, undoCommand } from "./sessionCommands.ts";

const sessionCommands: Readonly<Record<Exclude<ParticipantCommand, "new">, SessionCommand>> = {
  compact: compactCommand,
  context: contextCommand,
  undo: undoCommand,
};

/**
 * The chat participant. Whatever happens it ends with a reply and the metadata that binds the chat to its session: a
 * turn that throws leaves nothing that the next one could go on from.
 */
export class CapsuleChat {
  readonly #parts: ChatParts;
  readonly #sessions: ChatSessions;
  /** Sessions that answer a message now. Two chats may be bound to one. */
  readonly #answering = new Set<string>();

  constructor(parts: ChatParts) {
    this.#parts = parts;
    this.#sessions = new ChatSessions(parts);
  }

  async handle(
    request: vscode.ChatRequest,
    context: vscode.ChatContext,
    stream: vscode.ChatResponseStream,
    token: vscode.CancellationToken,
  ): Promise<vscode.ChatResult> {
    const abort = new AbortController();
    const cancelled = token.onCancellationRequested(() => abort.abort());
    if (token.isCancellationRequested) abort.abort();
    const bound = boundChat(context.history as readonly HistoryTurn[]);
    const reply = new ChatReply(stream);
    const binding = new Binding(bound && { sessionId: bound.sessionId, lastMessageId: bound.lastMessageId });
    try {
      await this.#answer({ request, bound, reply, signal: abort.signal }, binding);
    } catch (error) {
      const sentence = errorSentence(error);
      if (sentence !== undefined) {
        this.#parts.onError(error);
        reply.paragraph(escapeMarkdown(sentence));
      }
    } finally {
      cancelled.dispose();
    }
    return binding.metadata === undefined ? {} : { metadata: binding.metadata };
  }

  async #answer(turn: ChatTurn, binding: Binding): Promise<void> {
    const { reply, request } = turn;
    const { command, prompt } = request;
    if (command === "new") {
      await this.#inSession(await this.#sessions.create(prompt), binding, async (live) => {
        reply.paragraph(newSessionMarkdown(excerpt(live.meter.title)));
        return chatMetadata(live);
      });
    } else if (command !== undefined && Object.hasOwn(sessionCommands, command)) {
      const run = sessionCommands[command as keyof typeof sessionCommands];
      const id = await this.#sessions.forCommand(turn);
      if (id === undefined) reply.paragraph(noSessionMarkdown());
      else await this.#inSession(id, binding, (live) => run(live, turn, this.#parts));
    } else if (prompt.trim() === "" && request.references.length === 0) {
      reply.paragraph(helpMarkdown());
    } else {
      await this.#message(turn, binding);
    }
  }

  async #message(turn: ChatTurn, binding: Binding): Promise<void> {
    const chosen = await this.#sessions.forMessage(turn);
    await this.#inSession(chosen.id, binding, async (live) => {
      if (this.#answering.has(chosen.id)) {
        turn.reply.paragraph(busyMarkdown());
        return binding.metadata ?? chatMetadata(live);
      }
      this.#answering.add(chosen.id);
      try {
        return await answerMessage(live, turn, this.#parts, chosen);
      } finally {
        this.#answering.delete(chosen.id);
      }
    });
  }

  /** Binds the chat to where the session stands afterwards, however `use` ends. */
  async #inSession(
    sessionId: string,
    binding: Binding,
    use: (live: LiveSession) => Promise<ChatMetadata>,
  ): Promise<void> {
    await this.#parts.sessions.borrow(sessionId, async (live) => {
      try {
        binding.metadata = await use(live);
      } catch (error) {
        binding.metadata = chatMetadata(live);
        throw error;
      }
    });
  }
}

/** What the turn's result will say. Begins with what the chat's newest turn said. */
class Binding {
  metadata: ChatMetadata | undefined;

  constructor(metadata: ChatMetadata | undefined) {
    this.metadata = metadata;
  }
}
