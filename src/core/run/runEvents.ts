import type { SettledCall } from "../budget/budgetMeter.ts";
import type { CompactOutcome } from "../compactionOutcome.ts";
import type { CompactionPhase } from "../compactOptions.ts";
import type { ToolCallPart, ToolResultPart } from "../messages.ts";

/** What happens in a run, as it happens. */
export type RunEvent =
  /** A working call is about to be made; its reply may have so many tokens. */
  | {
      readonly type: "call";
      readonly callId: string;
      readonly maxOutputTokens: number;
      readonly isClamped: boolean;
    }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string }
  /** The model asked for a tool; whether it is carried out shows in its result. */
  | { readonly type: "tool_call"; readonly call: ToolCallPart }
  | { readonly type: "tool_result"; readonly result: ToolResultPart }
  /** A working call or a summarizer's was booked. */
  | { readonly type: "settled"; readonly call: SettledCall }
  | { readonly type: "compaction_phase"; readonly phase: CompactionPhase }
  | { readonly type: "compaction"; readonly outcome: CompactOutcome };

/** Must not throw: a run whose listener does is cancelled, and rejects with what it threw. */
export type RunListener = (event: RunEvent) => void;
