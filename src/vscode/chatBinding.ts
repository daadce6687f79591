/** Which session the next new chat with @capsule continues: set by Continue in Chat, taken by its first turn. */
export class ChatBinding {
  #sessionId: string | undefined;

  bindNext(sessionId: string): void {
    this.#sessionId = sessionId;
  }

  /** Gives it once. */
  take(): string | undefined {
    const sessionId = this.#sessionId;
    this.#sessionId = undefined;
    return sessionId;
  }
}
