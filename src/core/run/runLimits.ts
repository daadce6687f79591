import type { AbortLink } from "../abortLink.ts";
import { linkAbort } from "../abortLink.ts";
import type { AbortSignalLike } from "../model.ts";
import type { Agent } from "./agent.ts";

const NEVER: AbortSignalLike = { aborted: false, addEventListener: () => {}, removeEventListener: () => {} };

/** What can end a run from outside: a cancel, and the deadline. */
export class RunLimits {
  readonly #agent: Agent;
  readonly #deadline: number | undefined;
  readonly #outer: AbortSignalLike;
  readonly #link: AbortLink;
  readonly #timer = linkAbort(NEVER);

  /** `deadline`: milliseconds since the epoch. */
  constructor(agent: Agent, outer: AbortSignalLike = NEVER, deadline?: number) {
    this.#agent = agent;
    this.#outer = outer;
    this.#deadline = deadline;
    this.#link = linkAbort(outer);
    if (deadline !== undefined) void this.#waitFor(deadline);
  }

  /** Aborted by either. */
  get signal(): AbortSignalLike {
    return this.#link.signal;
  }

  /** Why the run is to end now; undefined = it may go on. */
  get reached(): "cancelled" | "deadline" | undefined {
    if (this.#outer.aborted) return "cancelled";
    if (this.#deadline !== undefined && this.#agent.now() >= this.#deadline) return "deadline";
    return this.#link.signal.aborted ? "cancelled" : undefined;
  }

  abort(): void {
    this.#link.abort();
  }

  /** Lets go of the outer signal and of the timer. */
  release(): void {
    this.#timer.abort();
    this.#link.release();
  }

  async #waitFor(deadline: number): Promise<void> {
    while (!this.#timer.signal.aborted && !this.#link.signal.aborted) {
      const left = deadline - this.#agent.now();
      if (left <= 0) return this.#link.abort();
      if (this.#agent.delay === undefined) return;
      await this.#agent.delay(left, this.#timer.signal);
    }
  }
}
