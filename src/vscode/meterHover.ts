import { l10n } from "vscode";
import type { LiveSession, MeterReading } from "../engine/liveSession.ts";
import type { CommandId } from "./contributions.ts";
import { commands, settingKey } from "./contributions.ts";
import { commandLink, escapeMarkdown } from "./markdown.ts";
import {
  age,
  basisSentence,
  basisWord,
  didCompact,
  durationWords,
  endStateName,
  fullNumber,
  reasonSentence,
  shortTokens,
  wholePercent,
} from "./words.ts";

/** Every command that the hover links to: a link to one that is not listed does nothing. */
export const hoverCommands: readonly CommandId[] = [
  commands.compactNow,
  commands.preview,
  commands.undo,
  commands.openTranscript,
  commands.openReceipt,
  commands.chooseSessionModel,
  commands.turnAutomaticOn,
  commands.takeOverSession,
  commands.openSettings,
];

/** What the hover says beside the reading. */
export interface HoverFacts {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly canUndo: boolean;
}

export function hoverFacts({ context }: LiveSession, now: number): HoverFacts {
  return { now, canUndo: context.runs.length > 0 };
}

/** The meter's hover as Markdown with theme icons and command links. */
export function meterHover(reading: MeterReading, facts: HoverFacts): string {
  const { now, canUndo } = facts;
  return [
    heading(reading),
    numbersTable(reading, now),
    notices(reading),
    breakdownTable(reading),
    [
      evictableLine(reading),
      generationLine(reading, facts),
      lastRunLine(reading, now),
      automaticLine(reading),
    ]
      .filter((line) => line !== "")
      .join("  \n"),
    "---",
    links(reading, canUndo),
  ]
    .filter((block) => block !== "")
    .join("\n\n");
}

function heading({ title, modelName }: MeterReading): string {
  const model = modelName === undefined ? l10n.t("no model yet") : modelName;
  return `**${escapeMarkdown(title)}** — ${escapeMarkdown(model)}`;
}

/** Tables of a hover have no room between their columns. */
const GAP = "&nbsp;&nbsp;";

type Row = readonly [what: string, tokens: string, remark: string];

function table(rows: readonly Row[]): string {
  const lines = rows.map(([what, tokens, remark]) => `| ${what} | ${GAP}${tokens} | ${GAP}${remark} |`);
  return ["| | | |", "| :-- | --: | :-- |", ...lines].join("\n");
}

function numbersTable(reading: MeterReading, now: number): string {
  const { usedTokens, ceiling, triggerLine, reserveTokens } = reading;
  return table([
    [
      l10n.t("Used"),
      usedTokens === undefined ? l10n.t("unknown") : `**${fullNumber(usedTokens)}**`,
      usedTokens === undefined ? "" : usedRemark(reading, now),
    ],
    [
      l10n.t("Ceiling"),
      ceiling === undefined ? l10n.t("unknown") : fullNumber(ceiling),
      ceilingRemark(reading),
    ],
    ...(triggerLine === undefined
      ? []
      : [[l10n.t("Trigger line"), fullNumber(triggerLine), shareOf(triggerLine, ceiling)] as const]),
    ...(reserveTokens === undefined
      ? []
      : [[l10n.t("Reserve"), fullNumber(reserveTokens), shareOf(reserveTokens, ceiling)] as const]),
  ]);
}

function shareOf(tokens: number, whole: number | undefined): string {
  if (whole === undefined || whole <= 0) return "";
  const percent = wholePercent(tokens / whole);
  return percent === 0 && tokens > 0 ? "&lt;1%" : `${percent}%`;
}

function usedRemark({ fraction, basis, measuredAt }: MeterReading, now: number): string {
  const pieces = [
    ...(fraction === undefined ? [] : [`${wholePercent(fraction)}%`]),
    basisWord(basis),
    ...(measuredAt === undefined ? [] : [age(measuredAt, now)]),
  ];
  return pieces.join(" · ");
}

function ceilingRemark({ window, windowSource, budget, ceiling }: MeterReading): string {
  if (ceiling === undefined) return "";
  if (budget !== undefined && budget === ceiling && budget !== window) return l10n.t("context budget");
  return windowSource === "setting" ? l10n.t("window from the setting") : l10n.t("window of the model");
}

/** What makes a number less than it seems, or the session stuck. */
function notices(reading: MeterReading): string {
  const lines: string[] = [];
  if (reading.level === "stopped") {
    lines.push(
      `$(error) ${l10n.t("No room could be made.")} ${reading.lastRun === undefined ? "" : reasonSentence(reading.lastRun.receipt.reason)}`,
    );
  } else if (reading.level === "over_line") {
    lines.push(`$(warning) ${l10n.t("The trigger line is reached.")}`);
  }
  if (reading.basis !== "reported" && reading.basis !== "counted" && reading.usedTokens !== undefined) {
    lines.push(`$(info) ${basisSentence(reading.basis)}`);
  }
  if (reading.ceiling === undefined) {
    const setting = settingKey("window");
    lines.push(
      `$(info) ${l10n.t("The context window is unknown, so there is no percent and no automatic run.")} ${commandLink(l10n.t("Choose a model"), commands.chooseSessionModel, reading.sessionId)} · ${commandLink(l10n.t("Set it"), commands.openSettings, setting)}`,
    );
  }
  if (reading.readOnly) {
    lines.push(
      `$(lock) ${l10n.t("Another window is writing this session.")} ${commandLink(l10n.t("Take over"), commands.takeOverSession)}`,
    );
  }
  return lines.join("  \n");
}

function breakdownTable({ breakdown }: MeterReading): string {
  const kinds: readonly (readonly [string, number])[] = [
    [l10n.t("System"), breakdown.system],
    [l10n.t("User"), breakdown.user],
    [l10n.t("Assistant"), breakdown.assistant],
    [l10n.t("Tool results"), breakdown.toolResults],
    [l10n.t("Capsule"), breakdown.capsule],
    [l10n.t("Images"), breakdown.images],
  ];
  const total = kinds.reduce((sum, [, tokens]) => sum + tokens, 0);
  if (total === 0) return l10n.t("The context is empty.");
  return [
    `${l10n.t("Made of (our estimate)")}:`,
    table(
      kinds
        .filter(([, tokens]) => tokens > 0)
        .map(([name, tokens]) => [
          name,
          fullNumber(tokens),
          `${bar(tokens / total)} ${shareOf(tokens, total)}`,
        ]),
    ),
  ].join("\n\n");
}

const BAR_CELLS = 10;

/** Ten cells; what is there at all shows at least one. */
function bar(fraction: number): string {
  const filled = Math.max(1, Math.round(fraction * BAR_CELLS));
  return "■".repeat(filled) + "□".repeat(BAR_CELLS - filled);
}

function evictableLine({ evictable }: MeterReading): string {
  if (evictable === undefined) return l10n.t("What could be evicted is being counted.");
  if (evictable.count === 0) return l10n.t("Nothing could be evicted now.");
  const tokens = shortTokens(evictable.tokens);
  return evictable.count === 1
    ? l10n.t("Evictable: 1 part, about {0} tokens; it can be opened again.", tokens)
    : l10n.t("Evictable: {0} parts, about {1} tokens; they can be opened again.", evictable.count, tokens);
}

function generationLine({ generation }: MeterReading, { now }: HoverFacts): string {
  if (generation === undefined) return "";
  const { after, modelId, startedAt, durationMs } = generation.receipt;
  const pieces = [
    l10n.t(
      "Generation {0}: {1} → {2} tokens",
      generation.generation,
      shortTokens(generation.before),
      shortTokens(after),
    ),
    ...(modelId === undefined ? [] : [escapeMarkdown(modelId)]),
    durationWords(durationMs),
    age(startedAt + durationMs, now),
    commandLink(l10n.t("Receipt"), commands.openReceipt),
  ];
  return pieces.join(" · ");
}

/** Of a run that made nothing smaller; one that did is told of by its capsule or by what was evicted. */
function lastRunLine({ lastRun, running }: MeterReading, now: number): string {
  if (running !== undefined) return `$(sync~spin) ${l10n.t("A compaction is running.")}`;
  if (lastRun === undefined) return "";
  const { startedAt, durationMs, reason, before, after, evictedDigests } = lastRun.receipt;
  const when = age(startedAt + durationMs, now);
  const receipt = commandLink(l10n.t("Receipt"), commands.openReceipt);
  // Told of by its generation.
  if (lastRun.state === "summarized") return "";
  if (didCompact(lastRun.state)) {
    const tokens = l10n.t("{0} → {1} tokens", shortTokens(before), shortTokens(after));
    return `${l10n.t("Evicted: {0} parts", evictedDigests.length)} · ${tokens} · ${when} · ${receipt}`;
  }
  return `${l10n.t("Last run: {0}", endStateName(lastRun.state))} · ${when} · ${reasonSentence(reason)} ${receipt}`;
}

function automaticLine({ automatic, automaticPaused }: MeterReading): string {
  const turnOn = commandLink(l10n.t("Turn on"), commands.turnAutomaticOn);
  if (automaticPaused && automatic === "on") {
    return `${l10n.t("Automatic compaction is paused, because you took one back.")} ${turnOn}`;
  }
  switch (automatic) {
    case "on":
      return l10n.t("Automatic compaction is on.");
    case "off":
      return `${l10n.t("Automatic compaction is off.")} ${turnOn}`;
    case "ask":
      return `${l10n.t("Automatic compaction asks first, once in this workspace.")} ${turnOn}`;
  }
}

function links({ readOnly, running }: MeterReading, canUndo: boolean): string {
  const mayWrite = !readOnly && running === undefined;
  return [
    ...(mayWrite ? [`$(archive) ${commandLink(l10n.t("Compact Now"), commands.compactNow)}`] : []),
    `$(eye) ${commandLink(l10n.t("Preview"), commands.preview)}`,
    ...(mayWrite && canUndo ? [`$(discard) ${commandLink(l10n.t("Undo"), commands.undo)}`] : []),
    `$(list-flat) ${commandLink(l10n.t("Transcript"), commands.openTranscript)}`,
    `$(settings-gear) ${commandLink(l10n.t("Settings"), commands.openSettings)}`,
  ].join("&nbsp;&nbsp; ");
}

/** Milliseconds until a time in the hover reads differently; undefined where it holds none. */
export function hoverStaleInMs(reading: MeterReading, now: number): number | undefined {
  const moments = [
    reading.measuredAt,
    ...[reading.generation?.receipt, reading.lastRun?.receipt].map((receipt) =>
      receipt === undefined ? undefined : receipt.startedAt + receipt.durationMs,
    ),
  ].filter((moment) => moment !== undefined);
  if (moments.length === 0) return undefined;
  return Math.min(...moments.map((moment) => ageChangesInMs(moment, now)));
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

function ageChangesInMs(moment: number, now: number): number {
  const elapsed = now - moment;
  if (elapsed < 0) return MINUTE_MS - elapsed;
  const step = elapsed < HOUR_MS ? MINUTE_MS : elapsed < DAY_MS ? HOUR_MS : DAY_MS;
  return step - (elapsed % step);
}
