import { l10n } from "vscode";
import { excerpt } from "../words.ts";
import type { ChatParts } from "./chatParts.ts";
import type { ChatTurn } from "./chatTurn.ts";
import { deletedSessionMarkdown } from "./chatWords.ts";

const TITLE_CHARACTERS = 60;

export interface ChosenSession {
  readonly id: string;
  /** Made for this message. */
  readonly isNew: boolean;
  /** What the person should know about the choice. */
  readonly notes: readonly string[];
}

/** Which session a turn works on; it becomes the active one, so that the meter follows the chat. */
export class ChatSessions {
  readonly #parts: Pick<ChatParts, "sessions" | "chats">;

  constructor(parts: Pick<ChatParts, "sessions" | "chats">) {
    this.#parts = parts;
  }

  /** For a message: the chat's own session, the one that Continue in Chat named, or a new one. */
  async forMessage({ bound, request }: ChatTurn): Promise<ChosenSession> {
    const wanted = bound?.sessionId ?? this.#parts.chats.take();
    if (wanted !== undefined && (await this.#activate(wanted)))
      return { id: wanted, isNew: false, notes: [] };
    const live = await this.create(request.prompt);
    return { id: live, isNew: true, notes: wanted === undefined ? [] : [deletedSessionMarkdown()] };
  }

  /** For a command: the chat's own session, the one that Continue in Chat named, or the active one. */
  async forCommand({ bound }: ChatTurn): Promise<string | undefined> {
    const wanted = bound?.sessionId ?? this.#parts.chats.take();
    if (wanted !== undefined && (await this.#activate(wanted))) return wanted;
    const { sessions } = this.#parts;
    return (sessions.current ?? (await sessions.restore()))?.id;
  }

  /** A new session, titled from the text, and active. */
  async create(text: string): Promise<string> {
    const title = excerpt(text, TITLE_CHARACTERS);
    return (await this.#parts.sessions.create({ title: title === "" ? l10n.t("New session") : title })).id;
  }

  /** False where the session is gone. */
  async #activate(id: string): Promise<boolean> {
    try {
      await this.#parts.sessions.activate(id);
      return true;
    } catch (error) {
      // Told apart by its code, so that no room's code is loaded for it.
      if (error instanceof Error && "code" in error && error.code === "not_found") return false;
      throw error;
    }
  }
}
