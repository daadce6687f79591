import type { SettledCall } from "../budget/budgetMeter.ts";
import type { MeterRecord } from "../budget/meterRecord.ts";
import type { CompactOutcome } from "../compactionOutcome.ts";
import type { CompactionContext, CompactionJournal } from "../compactOptions.ts";
import type { Basis, Message } from "../messages.ts";
import type { AbortSignalLike } from "../model.ts";

/** What a run writes, in order. */
export type RunItem =
  | {
      readonly type: "message";
      readonly message: Message;
      /** With a reply: the model that wrote it, and where its usage comes from. */
      readonly modelId?: string;
      readonly usageBasis?: Basis;
    }
  | { readonly type: "meter"; readonly record: MeterRecord };

/** What the owner of a session did to make room before a call, and whether the request may be sent. */
export interface RoomMade {
  readonly mayPass: boolean;
  /** Compactions that it ran, for the receipt of the run. */
  readonly outcomes?: readonly CompactOutcome[];
  /** What their summarizers were paid from the meter of the run. */
  readonly summaryCalls?: readonly SettledCall[];
}

/**
 * The session that a run works in. It alone knows the context: the run reads it again before every call, since what
 * is written, and every compaction, changes it.
 */
export interface RunSession {
  /** What is sent now; calls may be open. */
  messages(): readonly Message[];
  /** The context for a compaction, that nobody changes under its hands. */
  snapshot(): CompactionContext;
  /** Durable, all or nothing, before it settles; the context has changed then. A rejection ends the run. */
  append(items: readonly RunItem[]): Promise<void>;
  readonly journal: CompactionJournal;
  isStored?(digest: string): boolean;
  wasAttempted?(contentHash: string): boolean;
  /** `estimateTokens`, where the session keeps its results. */
  estimate?(message: Message): number;
  /** Window pressure and the like, before every call of the run. */
  makeRoom?(signal: AbortSignalLike): Promise<RoomMade>;
}
