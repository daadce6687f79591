import type { CompactionContext, CompactOptions } from "../compactOptions.ts";
import { TranscriptLookup } from "../transcriptLookup.ts";
import { RungsDone } from "./rungsDone.ts";
import { StandingContext } from "./standingContext.ts";

/** One run of the ladder: what it was asked for, and how far it has come. */
export interface LadderRun {
  readonly options: CompactOptions;
  /** The context that it began with. */
  readonly origin: CompactionContext;
  readonly lookup: TranscriptLookup;
  readonly runId: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** Tokens of the request that it began with, by our own measure. */
  readonly before: number;
  readonly standing: StandingContext;
  readonly done: RungsDone;
}

export function beginRun(context: CompactionContext, options: CompactOptions): LadderRun {
  const standing = new StandingContext(context, options);
  return {
    options,
    origin: context,
    lookup: new TranscriptLookup(context.transcript, context.statementIds),
    runId: options.newId(),
    startedAt: options.clock.now(),
    before: standing.tokens,
    standing,
    done: new RungsDone(),
  };
}
