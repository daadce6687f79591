import { l10n } from "vscode";
import type { LiveSession, MeterReading } from "../../engine/liveSession.ts";
import type { CommandId } from "../contributions.ts";
import { commands, settingKey } from "../contributions.ts";
import { commandLink, escapeMarkdown } from "../markdown.ts";
import {
  age,
  basisSentence,
  didCompact,
  endStateName,
  fullNumber,
  reasonSentence,
  shortTokens,
  tokensInWords,
  wholePercent,
} from "../words.ts";

/** Every command that the report links to. */
export const reportCommands: readonly CommandId[] = [
  commands.preview,
  commands.openTranscript,
  commands.openContextAsSent,
  commands.openReceipt,
  commands.openSettings,
];

/**
 * Where the context stands, as Markdown for a narrow chat: no theme icons, since two dollar signs make a formula
 * there. Links name the session: another one may be active when they are clicked. `now` in milliseconds since the
 * epoch.
 */
export function contextReport({ meter }: Pick<LiveSession, "meter">, now: number): string {
  return [
    heading(meter),
    numbers(meter, now).join("\n"),
    breakdown(meter),
    runs(meter, now).join("\n"),
    links(meter.sessionId),
  ]
    .filter((block) => block !== "")
    .join("\n\n");
}

function heading({ title, modelName }: MeterReading): string {
  const model = modelName ?? l10n.t("no model yet");
  return `**${escapeMarkdown(title)}** — ${escapeMarkdown(model)}`;
}

function numbers(reading: MeterReading, now: number): string[] {
  const { usedTokens, ceiling, fraction, triggerLine, reserveTokens, basis, measuredAt } = reading;
  if (usedTokens === undefined) return [`- ${l10n.t("How full the context is, is unknown.")}`];
  const when = measuredAt === undefined ? "" : ` (${age(measuredAt, now)})`;
  return [
    ceiling === undefined || fraction === undefined
      ? `- ${l10n.t("Used: **{0}**", tokensInWords(usedTokens))}`
      : `- ${l10n.t("Used: **{0}%**, {1} of {2} tokens", wholePercent(fraction), fullNumber(usedTokens), fullNumber(ceiling))}`,
    `- ${basisSentence(basis)}${when}`,
    ...(ceiling === undefined ? [`- ${unknownWindow()}`] : [`- ${ceilingSentence(reading)}`]),
    ...(triggerLine === undefined || reserveTokens === undefined
      ? []
      : [`- ${lineSentence(triggerLine, usedTokens, reserveTokens)}`]),
  ];
}

function unknownWindow(): string {
  const set = commandLink(l10n.t("Set it"), commands.openSettings, settingKey("window"));
  return `${l10n.t("The context window is unknown, so there is no percent and no automatic run.")} ${set}`;
}

function ceilingSentence({ ceiling, budget, window, windowSource }: MeterReading): string {
  const limit = fullNumber(ceiling ?? 0);
  if (budget !== undefined && budget === ceiling && budget !== window) {
    return l10n.t("Ceiling: {0}, your context budget", limit);
  }
  return windowSource === "setting"
    ? l10n.t("Ceiling: {0}, the window from your setting", limit)
    : l10n.t("Ceiling: {0}, the window of the model", limit);
}

function lineSentence(line: number, used: number, reserve: number): string {
  const numbersOfLine = [fullNumber(line), fullNumber(reserve)];
  return used >= line
    ? l10n.t("Trigger line: {0}, **reached** (reserve {1})", ...numbersOfLine)
    : l10n.t("Trigger line: {0} (reserve {1})", ...numbersOfLine);
}

function breakdown({ breakdown: made }: MeterReading): string {
  const kinds: readonly (readonly [string, number])[] = [
    [l10n.t("System"), made.system],
    [l10n.t("User"), made.user],
    [l10n.t("Assistant"), made.assistant],
    [l10n.t("Tool results"), made.toolResults],
    [l10n.t("Capsule"), made.capsule],
    [l10n.t("Images"), made.images],
  ];
  const total = kinds.reduce((sum, [, tokens]) => sum + tokens, 0);
  if (total === 0) return l10n.t("The context is empty.");
  const rows = kinds
    .filter(([, tokens]) => tokens > 0)
    .map(([name, tokens]) => `| ${name} | ${shortTokens(tokens)} | ${share(tokens / total)} |`);
  return [
    `| ${l10n.t("Made of")} | ${l10n.t("Tokens")} | ${l10n.t("Share")} |`,
    "| :-- | --: | --: |",
    ...rows,
  ].join("\n");
}

function share(fraction: number): string {
  const percent = wholePercent(fraction);
  return percent === 0 ? "&lt;1%" : `${percent}%`;
}

function runs(reading: MeterReading, now: number): string[] {
  const { evictable, generation, lastRun, sessionId, automatic, automaticPaused } = reading;
  const lines: string[] = [];
  if (evictable !== undefined && evictable.count > 0) {
    const tokens = shortTokens(evictable.tokens);
    lines.push(
      evictable.count === 1
        ? l10n.t("Evictable: 1 part, about {0} tokens; it can be opened again.", tokens)
        : l10n.t(
            "Evictable: {0} parts, about {1} tokens; they can be opened again.",
            evictable.count,
            tokens,
          ),
    );
  }
  if (generation !== undefined) {
    const { after, modelId, startedAt, durationMs } = generation.receipt;
    const what = l10n.t(
      "Capsule {0}: {1} → {2} tokens",
      generation.generation,
      shortTokens(generation.before),
      shortTokens(after),
    );
    const by = modelId === undefined ? "" : ` · ${escapeMarkdown(modelId)}`;
    lines.push(`${what}${by} · ${age(startedAt + durationMs, now)}`);
  }
  if (lastRun !== undefined) {
    const { state, receipt } = lastRun;
    const link = commandLink(l10n.t("Receipt"), commands.openReceipt, sessionId);
    const why = didCompact(state) ? "" : `: ${reasonSentence(receipt.reason)}`;
    lines.push(`${l10n.t("Last run: {0}", endStateName(state))}${why} ${link}`);
  }
  if (automaticPaused && automatic === "on") {
    lines.push(l10n.t("Automatic compaction is paused, because you took one back."));
  }
  return lines.map((line) => `- ${line}`);
}

function links(sessionId: string): string {
  return [
    commandLink(l10n.t("Preview"), commands.preview, sessionId),
    commandLink(l10n.t("Transcript"), commands.openTranscript, sessionId),
    commandLink(l10n.t("As sent now"), commands.openContextAsSent, sessionId),
  ].join(" · ");
}
