import type { Message } from "../messages.ts";
import type { FinishReason } from "../model.ts";
import type { RunReceipt, StopReason } from "./runReceipt.ts";
import type { RunError } from "./workingCall.ts";

/** How a run ended: a stop is an ordinary result, with the work done so far. */
export interface RunResult {
  readonly runId: string;
  readonly stopReason: StopReason;
  /** What the run added to the session, the prompt first. */
  readonly messages: readonly Message[];
  /** Text of the last reply, as far as it came. */
  readonly text: string;
  /** Why the model ended its last reply. */
  readonly finishReason?: FinishReason;
  /** With `provider_error`. */
  readonly error?: RunError;
  readonly receipt: RunReceipt;
}
