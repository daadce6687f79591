import { evictableTokens } from "../core/evictableTokens.ts";
import { planCompaction } from "../core/planCompaction.ts";
import { ceiling, effectiveMinRemaining, triggerLine } from "../core/policy.ts";
import type { AppliedRun, ContextState } from "../core/projection.ts";
import type { CompactionReceipt } from "../core/records.ts";
import type { OpenSession } from "../sessions/session.ts";
import type { ContextView } from "./contextView.ts";
import type { EngineSettings, MeterReading } from "./liveSession.ts";
import type { ModelFacts } from "./modelFacts.ts";

interface MeterInput {
  readonly file: OpenSession;
  readonly view: ContextView;
  readonly model: ModelFacts | undefined;
  readonly settings: EngineSettings;
  readonly running: MeterReading["running"];
  readonly automaticPaused: boolean;
}

/** The numbers of the meter. What only the hover shows is worked out when somebody asks for it. */
export function readMeter({
  file,
  view,
  model,
  settings,
  running,
  automaticPaused,
}: MeterInput): MeterReading {
  const { policy } = settings;
  const window = policy.window ?? model?.maxInputTokens;
  const limit = ceiling(policy, model?.maxInputTokens);
  const line = triggerLine(policy, model?.maxInputTokens);
  const { state } = view;
  const used = view.used.reported ?? {
    tokens: view.used.ownTokens,
    basis: "estimated" as const,
    measuredAt: undefined,
  };
  const lastReceipt = state.receipts.at(-1);
  const lastGeneration = state.generations.findLast((generation) => !generation.undone);
  const generationReceipt = lastGeneration?.receipt;
  let evictable: MeterReading["evictable"] | undefined;
  return {
    sessionId: file.id,
    title: file.state.title,
    ...(model === undefined ? {} : { modelId: model.id, modelName: model.name }),
    usedTokens: used.tokens,
    basis: used.basis,
    ...(used.measuredAt === undefined ? {} : { measuredAt: used.measuredAt }),
    ...(window === undefined ? {} : { window }),
    windowSource: policy.window !== undefined ? "setting" : window === undefined ? "unknown" : "model",
    ...(policy.budget === undefined ? {} : { budget: policy.budget }),
    ...(limit === undefined
      ? {}
      : {
          ceiling: limit,
          reserveTokens: effectiveMinRemaining(policy, limit),
          fraction: used.tokens / limit,
        }),
    ...(line === undefined ? {} : { triggerLine: line }),
    level: levelOf(used.tokens, line, lastReceipt?.state === "stopped" && isLast(view)),
    breakdown: view.breakdown.tokens,
    messageCount: state.messages.length,
    get evictable() {
      if (view.isSummingEvictables) return undefined;
      evictable ??= countEvictable(view, settings, model);
      return evictable;
    },
    ...(generationReceipt === undefined || lastGeneration === undefined
      ? {}
      : {
          generation: {
            generation: lastGeneration.generation,
            before: runOf(state, generationReceipt)?.receipts[0]?.before ?? generationReceipt.before,
            receipt: generationReceipt,
          },
        }),
    ...(lastReceipt === undefined ? {} : { lastRun: { state: lastReceipt.state, receipt: lastReceipt } }),
    ...(running === undefined
      ? {}
      : { running: { runId: running.runId, startedAt: running.startedAt, phase: running.phase } }),
    automatic: settings.automatic,
    automaticPaused,
    readOnly: file.readOnly !== undefined,
  };
}

function runOf({ runs }: ContextState, receipt: CompactionReceipt): AppliedRun | undefined {
  return runs.findLast(({ receipts }) => receipts.includes(receipt));
}

function levelOf(used: number, line: number | undefined, stopped: boolean): MeterReading["level"] {
  if (stopped) return "stopped";
  if (line === undefined) return "unknown";
  return used >= line ? "over_line" : "calm";
}

/** Whether nothing was said since the last run: then its end still describes the context. */
function isLast(view: ContextView): boolean {
  return view.lastItemType === "attempt";
}

function countEvictable(
  view: ContextView,
  { policy, summaryMaxTokens }: EngineSettings,
  model: ModelFacts | undefined,
): NonNullable<MeterReading["evictable"]> {
  const { state, index } = view;
  const plan = planCompaction(state.messages, {
    policy,
    trigger: "manual",
    window: model?.maxInputTokens,
    summaryMaxTokens,
    pinnedIds: state.pinnedIds,
    rootId: state.rootId ?? null,
    index,
  });
  return evictableTokens(state.messages, plan, index, view.evictableSums);
}
