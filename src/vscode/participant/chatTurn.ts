import type * as vscode from "vscode";
import type { LiveSession } from "../../engine/liveSession.ts";
import type { BoundChat } from "./boundChat.ts";
import type { ChatMetadata, ChatOffer } from "./chatMetadata.ts";
import type { ChatReply } from "./chatReply.ts";

/** One request of a chat on its way to a reply. */
export interface ChatTurn {
  readonly request: vscode.ChatRequest;
  /** Undefined for a chat without a session yet. */
  readonly bound: BoundChat | undefined;
  readonly reply: ChatReply;
  readonly signal: AbortSignal;
}

/** Binds the chat to the session as it is now; a statement made by the person's hand is no message of the chat. */
export function chatMetadata(live: LiveSession, offer?: ChatOffer): ChatMetadata {
  const { transcript, statementIds } = live.context;
  const last = transcript.findLast(({ id }) => !statementIds.has(id));
  return {
    sessionId: live.id,
    lastMessageId: last?.id ?? null,
    ...(offer === undefined ? {} : { offer }),
  };
}
