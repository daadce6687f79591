import { shouldCompact } from "../policy.ts";
import type { LadderRun } from "./ladderRun.ts";

/** Whether the trigger that began the run would no longer fire; one by hand goes on in any case. */
export async function isEnough(run: LadderRun): Promise<boolean> {
  const { trigger, spend } = run.options;
  if (trigger === "window") return !isOverLine(run);
  return trigger === "spend" && (await spend?.isEnough?.(run.standing.messages)) === true;
}

/** Whether the number that fired would fire again, projected onto the context as it is now. */
export function isOverLine({ options, standing, before }: LadderRun): boolean {
  const { used, policy, window } = options;
  if (used === undefined) return false;
  const projected = Math.round((used.tokens * standing.tokens) / Math.max(1, before));
  return shouldCompact(policy, window, projected);
}
