/** Who wants to be told of changes. */
export class Listeners {
  readonly #listeners = new Set<() => void>();

  add(listener: () => void): { dispose(): void } {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  }

  /** A listener's fault is not that of the one who tells: it comes out by itself, after all were told. */
  tell(): void {
    for (const listener of this.#listeners) {
      try {
        listener();
      } catch (error) {
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }

  clear(): void {
    this.#listeners.clear();
  }
}
