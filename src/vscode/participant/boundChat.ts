import { participant } from "../contributions.ts";
import type { ChatMetadata } from "./chatMetadata.ts";
import { readChatMetadata } from "./chatMetadata.ts";

/** One turn of a chat's history: a request has a prompt, a response has a result. */
export interface HistoryTurn {
  readonly participant: string;
  readonly command?: string | undefined;
  readonly prompt?: string;
  readonly result?: { readonly metadata?: unknown };
}

export interface BoundChat extends ChatMetadata {
  /** Messages that were sent after that turn and whose turns left nothing: the host died, or an older version threw. */
  readonly unfinishedMessages: number;
}

/** The session that a chat goes on in, by the newest turn of ours that says so; undefined for a new chat. */
export function boundChat(history: readonly HistoryTurn[]): BoundChat | undefined {
  const ours = history.filter((turn) => turn.participant === participant.id);
  let unfinishedMessages = 0;
  for (const turn of ours.toReversed()) {
    const metadata = readChatMetadata(turn.result?.metadata);
    if (metadata !== undefined) return { ...metadata, unfinishedMessages };
    // The request of a turn that has metadata is met only after its response.
    if (turn.prompt !== undefined && turn.command === undefined) unfinishedMessages += 1;
  }
  return undefined;
}
