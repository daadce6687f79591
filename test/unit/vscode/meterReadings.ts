import type { CompactionReceipt } from "../../../src/core/records.ts";
import type { MeterReading } from "../../../src/engine/liveSession.ts";

export const NOW = Date.UTC(2026, 10, 30, 12);

export const receipt: CompactionReceipt = {
  index: 1,
  rung: "summarize",
  trigger: "manual",
  basis: "reported",
  before: 120_000,
  after: 31_000,
  evictedDigests: [],
  pinnedIds: [],
  generation: 2,
  modelId: "demo/good",
  startedAt: NOW - 2 * 3_600_000,
  durationMs: 12_400,
  state: "summarized",
  reason: "summary_accepted",
  failures: [],
  retired: [],
  carriedOutKeys: [],
  droppedQuotes: 0,
};

/** A session at 63 % of 128,000, reported two minutes ago. */
export const calm: MeterReading = {
  sessionId: "s1",
  title: "Migration",
  modelId: "demo/good",
  modelName: "Demo Model",
  usedTokens: 81_234,
  basis: "reported",
  measuredAt: NOW - 120_000,
  window: 128_000,
  windowSource: "model",
  ceiling: 128_000,
  triggerLine: 111_616,
  reserveTokens: 16_384,
  fraction: 81_234 / 128_000,
  level: "calm",
  breakdown: { system: 1000, user: 9000, assistant: 20_000, toolResults: 50_000, capsule: 0, images: 0 },
  messageCount: 412,
  evictable: { count: 12, tokens: 34_000 },
  automatic: "ask",
  automaticPaused: false,
  readOnly: false,
};

const { usedTokens: _used, fraction: _fraction, measuredAt: _measured, ...withoutNumber } = calm;
const { ceiling: _ceiling, window: _window, triggerLine: _line, reserveTokens: _reserve, ...known } = calm;

export const numberUnknown: MeterReading = { ...withoutNumber, basis: "unavailable", level: "unknown" };

const { fraction: _fractionToo, ...withoutWindow } = known;
export const windowUnknown: MeterReading = {
  ...withoutWindow,
  windowSource: "unknown",
  basis: "imported",
  level: "unknown",
};
