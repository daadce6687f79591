import type { AppendHandle } from "./sessionFiles.ts";

/** Appends of one turn come in bursts; one sync serves them all. */
const SYNC_DELAY_MS = 200;

/** When a log's bytes are sent to the disk: now and waited for, or soon and once for all that came meanwhile. */
export class SyncSchedule {
  readonly #file: AppendHandle;
  readonly #failed: (error: unknown) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #running: Promise<void> | undefined;

  /** `failed` is told when a sync fails that nobody waits for. */
  constructor(file: AppendHandle, failed: (error: unknown) => void) {
    this.#file = file;
    this.#failed = failed;
  }

  /** Covers everything written before the call. */
  async now(): Promise<void> {
    this.#cancel();
    await this.#file.datasync();
  }

  soon(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#running = this.#file.datasync().catch(this.#failed);
    }, SYNC_DELAY_MS);
    this.#timer.unref();
  }

  /** Syncs what is still to be synced and waits for it; failures are told, not thrown. */
  async finish(): Promise<void> {
    if (this.#timer !== undefined) {
      this.#cancel();
      await this.#file.datasync().catch(this.#failed);
    }
    await this.#running;
  }

  #cancel(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
