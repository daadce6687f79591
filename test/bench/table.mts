/** What the bench prints: one line a measure, with its goal beside it. */
import type { LongestBlock } from "./blocks.mts";

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
    ratio: ratio.toFixed(ratio < 0.1 ? 4 : 2),
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
export const MOST_BLOCK_MS = 16;

let idleMs = 0;

/** The longest wait of a loop in which nothing runs: above the goal, the clock tells of other programs, not of us. */
export function setIdleBlock(idle: LongestBlock): Row {
  idleMs = idle.wallMs;
  return blockRow("nothing runs", idle, undefined);
}

/** Judged by the clock; on a machine whose idle loop waits longer than the goal, by our thread's processor time. */
export function blockRow(measure: string, block: LongestBlock, mostMs: number | undefined): Row {
  const { wallMs, cpuMs } = block;
  const row = limitRow({
    measure: `longest block: ${measure}`,
    ms: wallMs,
    mostMs,
    reference: cpuMs === undefined ? "" : `at most ${duration(cpuMs)} of our thread`,
  });
  if (mostMs === undefined || cpuMs === undefined || wallMs <= mostMs || idleMs <= mostMs) return row;
  return { ...row, goal: `<= ${mostMs} ms of our thread (idle: ${duration(idleMs)})`, met: cpuMs <= mostMs };
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
