/** What the bench prints: one line a measure, with its goal beside it. */
import type { LongestBlock, UsualBlock } from "./blocks.mts";

export interface Row {
  readonly measure: string;
  readonly value: string;
  /** What it is compared with. */
  readonly reference: string;
  readonly ratio: string;
  readonly goal: string;
  /** Undefined: told for information, without a goal. */
  readonly met: boolean | undefined;
}

const HEADINGS = ["measure", "value", "reference", "ratio", "goal", ""] as const;

/** A value against a reference in the same unit, with the most that their ratio may be. */
export function ratioRow(row: {
  readonly measure: string;
  readonly ms: number;
  readonly reference: string;
  readonly referenceMs: number;
  /** Undefined: no goal. */
  readonly most: number | undefined;
}): Row {
  const ratio = row.ms / row.referenceMs;
  return {
    measure: row.measure,
    value: duration(row.ms),
    reference: `${duration(row.referenceMs)} ${row.reference}`,
    // A processor clock may be too coarse for a short reference.
    ratio: Number.isFinite(ratio) ? ratio.toFixed(ratio < 0.1 ? 4 : 2) : "–",
    goal: row.most === undefined ? "" : `<= ${row.most} x`,
    met: row.most === undefined ? undefined : ratio <= row.most,
  };
}

/** A value with the most that it may be, in the same unit. */
export function limitRow(row: {
  readonly measure: string;
  readonly ms: number;
  readonly mostMs: number | undefined;
  readonly reference?: string;
}): Row {
  return {
    measure: row.measure,
    value: duration(row.ms),
    reference: row.reference ?? "",
    ratio: "",
    goal: row.mostMs === undefined ? "" : `<= ${row.mostMs} ms`,
    met: row.mostMs === undefined ? undefined : row.ms <= row.mostMs,
  };
}

/** Twice the work may take this many times as long. */
export const MOST_GROWTH_RATIO = 2.4;

/** Longest block that a piece of our work may cause. */
const MOST_BLOCK_MS = 16;
const LEAST_COLLECTION_TOLD_MS = 4;

/** Without a goal: what the loop shows where nothing of ours runs, or where VS Code itself works. */
export function foreignBlockRow(measure: string, { wallMs, cpuMs }: LongestBlock): Row {
  const reference = cpuMs === undefined ? "" : `${duration(cpuMs)} of our thread`;
  return limitRow({ measure: `longest block: ${measure}`, ms: wallMs, mostMs: undefined, reference });
}

/**
 * Met where the usual block is short enough. On a busy machine also where the least one is, and the processor time of
 * our thread in the usual one: the rest of it is other programs.
 */
export function blockRow(measure: string, block: UsualBlock): Row {
  const { wallMs, leastWallMs, cpuMs, collectionMs } = block;
  const parts = [
    `least ${duration(leastWallMs)}`,
    ...(cpuMs === undefined ? [] : [`our thread ${duration(cpuMs)}`]),
    ...(collectionMs < LEAST_COLLECTION_TOLD_MS ? [] : [`one collection ${duration(collectionMs)}`]),
  ];
  const row = limitRow({
    measure: `longest block: ${measure}`,
    ms: wallMs,
    mostMs: MOST_BLOCK_MS,
    reference: parts.join(", "),
  });
  if (cpuMs === undefined || leastWallMs > MOST_BLOCK_MS || cpuMs > MOST_BLOCK_MS) return row;
  return { ...row, met: true };
}

export function printTable(title: string, rows: readonly Row[]): void {
  const lines = [[...HEADINGS], ...rows.map(cells)];
  const widths = HEADINGS.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  console.log(`\n${title}`);
  for (const line of lines)
    console.log(
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    );
}

/** The last line of a run. */
export function verdict(rows: readonly Row[]): string {
  const judged = rows.filter(({ met }) => met !== undefined);
  const missed = judged.filter(({ met }) => met === false);
  if (missed.length === 0) return `All ${judged.length} goals met.`;
  return `${missed.length} of ${judged.length} goals NOT MET: ${missed.map(({ measure }) => measure).join("; ")}.`;
}

export function duration(ms: number): string {
  if (!Number.isFinite(ms)) return String(ms);
  if (Math.abs(ms) < 0.1) return `${(ms * 1000).toFixed(2)} us`;
  return `${ms.toFixed(ms < 10 ? 2 : ms < 100 ? 1 : 0)} ms`;
}

function cells(row: Row): string[] {
  const { measure, value, reference, ratio, goal, met } = row;
  return [measure, value, reference, ratio, goal, met === undefined ? "" : met ? "met" : "NOT MET"];
}
