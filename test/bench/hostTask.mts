/** What the bench and its part inside the extension host tell each other, as JSON files. */
import type { BenchSession } from "./benchSessions.mts";
import type { Ages } from "./growing.mts";
import type { Row } from "./table.mts";

/** Names the file that holds the task. */
export const TASK_VARIABLE = "CONTEXT_CAPSULE_BENCH_TASK";
/** Global names under which the two wrapped entries leave their times. */
export const ACTIVATION_TIMES = ["contextCapsuleBenchProduct", "contextCapsuleBenchEmpty"] as const;

export interface HostTask {
  readonly productFolder: string;
  readonly reportFile: string;
  /** Undefined: activation alone. */
  readonly placePath: string | undefined;
  readonly sessions: readonly BenchSession[];
  readonly ages: Ages;
  readonly compacted: Ages;
  readonly rounds: number;
}

export interface ActivationTimes {
  /** Reading and running the entry's modules. */
  readonly loadMs: number;
  /** `activate()`. */
  readonly activateMs: number;
}

export interface HostReport {
  readonly activation: {
    readonly product: ActivationTimes | undefined;
    readonly empty: ActivationTimes | undefined;
    /** Of all files of the product that were loaded before anybody used it. */
    readonly bytes: number;
    readonly files: number;
  };
  readonly rows: readonly Row[];
}
