/** How long the event loop was held: by the histogram, and by the processor time that our thread used meanwhile. */
import { monitorEventLoopDelay, PerformanceObserver } from "node:perf_hooks";
import { median, pause } from "./timing.mts";

/** The longest time an event could have waited. */
export interface LongestBlock {
  /** By the event-loop-delay histogram. Includes the time that the system gave to other programs. */
  readonly wallMs: number;
  /** Processor time of this thread between two turns; undefined where this Node cannot tell. */
  readonly cpuMs: number | undefined;
  /** The longest garbage collection: part of the block that it fell into. */
  readonly collectionMs: number;
}

const RESOLUTION_MS = 1;
const NANOSECONDS_PER_MS = 1e6;
const MICROSECONDS_PER_MS = 1e3;

/** Measures while `work` runs. */
export async function longestBlock(work: () => unknown): Promise<LongestBlock> {
  // The histogram measures from one turn to the next: it has to see one before the work and one after it.
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  const turns = new TurnMeter();
  let collectionMs = 0;
  const collections = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) collectionMs = Math.max(collectionMs, duration);
  });
  await pause(5);
  histogram.reset();
  await pause(5);
  turns.reset();
  collections.observe({ entryTypes: ["gc"] });
  await work();
  await pause(5);
  histogram.disable();
  turns.stop();
  collections.disconnect();
  return { wallMs: histogram.max / NANOSECONDS_PER_MS - RESOLUTION_MS, cpuMs: turns.mostCpuMs, collectionMs };
}

/** What the loop shows where nothing runs: the machine's and the host's own share. */
export async function idleBlock(milliseconds: number): Promise<LongestBlock> {
  return longestBlock(() => pause(milliseconds));
}

/** Of several rounds: the usual longest block, and the least: what other programs do can only make it longer. */
export interface UsualBlock extends LongestBlock {
  readonly leastWallMs: number;
}

export function usualBlock(blocks: readonly LongestBlock[]): UsualBlock {
  const walls = blocks.map(({ wallMs }) => wallMs);
  const cpu = blocks.flatMap(({ cpuMs }) => (cpuMs === undefined ? [] : [cpuMs]));
  return {
    wallMs: median(walls),
    leastWallMs: Math.min(...walls),
    collectionMs: median(blocks.map(({ collectionMs }) => collectionMs)),
    cpuMs: cpu.length === blocks.length && cpu.length > 0 ? median(cpu) : undefined,
  };
}

/** Ticks as often as the loop turns and asks how much processor time the thread took since. */
class TurnMeter {
  readonly #timer: NodeJS.Timeout;
  #last: number | undefined;
  mostCpuMs: number | undefined;

  constructor() {
    this.#timer = setInterval(() => this.#tick(), RESOLUTION_MS);
    this.reset();
  }

  reset(): void {
    this.#last = threadCpuMs();
    this.mostCpuMs = undefined;
  }

  stop(): void {
    this.#tick();
    clearInterval(this.#timer);
  }

  #tick(): void {
    const now = threadCpuMs();
    if (now === undefined || this.#last === undefined) return;
    this.mostCpuMs = Math.max(this.mostCpuMs ?? 0, now - this.#last);
    this.#last = now;
  }
}

/** Processor time of this thread so far; undefined where this Node cannot tell. */
export function threadCpuMs(): number | undefined {
  if (typeof process.threadCpuUsage !== "function") return undefined;
  const { user, system } = process.threadCpuUsage();
  return (user + system) / MICROSECONDS_PER_MS;
}
