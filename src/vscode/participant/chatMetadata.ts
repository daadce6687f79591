/** What a turn of a chat leaves in its result: VS Code keeps it with the chat, over reloads too. */
export interface ChatMetadata {
  readonly sessionId: string;
  /** The last message of the session that the person saw in this chat; null = none yet. */
  readonly lastMessageId: string | null;
  /** What is worth offering after this turn. */
  readonly offer?: ChatOffer;
}

export type ChatOffer = "compact" | "context" | "undo";

/** Metadata of another version, or of nobody, is no metadata. */
export function readChatMetadata(value: unknown): ChatMetadata | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { sessionId, lastMessageId, offer } = value as Record<string, unknown>;
  if (typeof sessionId !== "string" || sessionId === "") return undefined;
  if (lastMessageId !== null && typeof lastMessageId !== "string") return undefined;
  return { sessionId, lastMessageId, ...(isOffer(offer) ? { offer } : {}) };
}

function isOffer(value: unknown): value is ChatOffer {
  return value === "compact" || value === "context" || value === "undo";
}
