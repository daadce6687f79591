/** Medians and interleaved rounds: on a machine that others use as well only ratios inside one run tell anything. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** Milliseconds that the work takes. */
export async function timed(work: () => unknown): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/** One candidate of an interleaved measurement; it returns its own milliseconds, so that set-up is not counted. */
export type Candidate = () => Promise<number> | number;

/** Runs each candidate once a round, in turn, and gives the median of each in milliseconds. */
export async function interleaved<Name extends string>(
  rounds: number,
  candidates: Readonly<Record<Name, Candidate>>,
): Promise<Record<Name, number>> {
  const names = Object.keys(candidates) as Name[];
  const taken = new Map<Name, number[]>(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    // The order turns around each time, so that nobody always meets the garbage of the same other one. No collection
    // is forced: it gives the heap's memory back and throws compiled code away, and whoever comes next pays for that.
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      taken.get(name)?.push(await candidates[name]());
    }
  }
  return Object.fromEntries(names.map((name) => [name, median(taken.get(name) ?? [])])) as Record<
    Name,
    number
  >;
}

/** Milliseconds of one call, from so many calls in a row. */
export function perCall(calls: number, call: (index: number) => unknown): number {
  const startedAt = performance.now();
  for (let index = 0; index < calls; index += 1) call(index);
  return (performance.now() - startedAt) / calls;
}

let collect: (() => void) | undefined;

/** A full collection, so that no measurement pays for the garbage of another. */
export function collectGarbage(): void {
  if (collect === undefined) {
    setFlagsFromString("--expose-gc");
    collect = runInNewContext("gc") as () => void;
  }
  collect();
}

export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}
