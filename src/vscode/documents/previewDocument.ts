import { l10n } from "vscode";
import type { CompactionPreview } from "../../core/compactionOutcome.ts";
import { estimateTokens } from "../../core/estimate.ts";
import type { EngineSettings } from "../../engine/liveSession.ts";
import { commands } from "../contributions.ts";
import {
  basisWord,
  didCompact,
  endStateName,
  floorPartWord,
  reasonSentence,
  tokensInWords,
} from "../words.ts";
import type { DocumentPage, Piece } from "./documentPage.ts";
import { PageBuilder } from "./documentPage.ts";
import { exactBytes, grouped } from "./documentWords.ts";
import { previewText, roleWord } from "./renderMessage.ts";
import type { TranscriptRecord } from "./transcriptRecord.ts";
import { field, oneLine } from "./visibleText.ts";

export interface PreviewInput {
  readonly preview: CompactionPreview;
  readonly title: string;
  /** Undefined = no model: eviction alone. */
  readonly modelName: string | undefined;
  readonly settings: EngineSettings;
  readonly record: TranscriptRecord;
}

const LISTED_MESSAGES = 1_000;
const TEXT_LENGTH = 100;
const LABEL_WIDTH = 26;

/** What Compact Now would do, before anything is sent or written. */
export function previewPage(input: PreviewInput): DocumentPage {
  const { preview } = input;
  const page = new PageBuilder();
  page.line(l10n.t("Preview of a compaction of {0}", oneLine(input.title, 100)));
  page.line(l10n.t("Nothing has been sent and nothing has been written."), "   ", compactNowLink());
  page.line("");
  outcomeSection(page, input);
  tokenSection(page, preview);
  callSection(page, input);
  limitSection(page, input);
  floorSection(page, input);
  messageSection(page, l10n.t("Would be summarized"), preview.summarizedIds, input.record);
  evictionSection(page, preview, input.record);
  messageSection(page, l10n.t("Would stay: first request and pins"), preview.keptIds, input.record);
  messageSection(page, l10n.t("Would stay: recent messages"), preview.tailIds, input.record);
  return page.finish();
}

function compactNowLink(): Piece {
  return {
    text: l10n.t("Compact Now"),
    target: { to: "command", command: commands.compactNow },
    tooltip: l10n.t("Compact this session now"),
  };
}

function heading(page: PageBuilder, name: string, detail = ""): void {
  page.section({ name, detail, kind: "heading" });
  page.line(detail === "" ? name : `${name} (${detail})`);
}

function fact(page: PageBuilder, label: string, ...value: readonly Piece[]): void {
  page.line(`  ${label.padEnd(LABEL_WIDTH)}  `, ...value);
}

function outcomeSection(page: PageBuilder, { preview, modelName }: PreviewInput): void {
  const { wouldEnd } = preview;
  heading(page, l10n.t("How it would end"));
  if (wouldEnd === undefined) {
    const writer = field(modelName ?? "");
    page.line("  ", l10n.t("{0} would write a capsule, which is checked before anything changes.", writer));
  } else {
    const { state, reason } = wouldEnd;
    page.line("  ", `${endStateName(state)}. ${reasonSentence(reason)}`);
    if (!didCompact(state)) page.line("  ", l10n.t("The context would stay as it is."));
  }
  page.line("");
}

function tokenSection(page: PageBuilder, preview: CompactionPreview): void {
  heading(page, l10n.t("Tokens of the next request, by our own measure"));
  fact(page, l10n.t("now"), grouped(preview.before));
  fact(page, l10n.t("after eviction"), percentOf(preview.afterEviction, preview.before));
  if (preview.summarizedIds.length > 0) {
    const { afterAtLeast, afterAtMost, before } = preview;
    const range =
      afterAtLeast === afterAtMost
        ? percentOf(afterAtMost, before)
        : l10n.t("{0} to {1}", percentOf(afterAtLeast, before), percentOf(afterAtMost, before));
    fact(page, l10n.t("after a summary"), range);
  }
  page.line("");
}

function percentOf(tokens: number, before: number): string {
  if (before <= 0) return grouped(tokens);
  return `${grouped(tokens)} (${Math.round((tokens / before) * 100)} %)`;
}

function callSection(page: PageBuilder, { preview, modelName }: PreviewInput): void {
  heading(page, l10n.t("What it would cost at most"));
  const { atMost, inputTokens, outputTokens, basis } = preview.calls;
  if (modelName === undefined) {
    page.line("  ", l10n.t("No model is chosen, so nothing would be summarized and nothing paid."));
  } else if (atMost === 0) {
    fact(page, l10n.t("model"), field(modelName));
    fact(page, l10n.t("cost"), l10n.t("none: nothing is sent to a provider"));
  } else {
    fact(page, l10n.t("model"), field(modelName));
    fact(page, l10n.t("calls"), l10n.t("{0} at most", grouped(atMost)));
    fact(page, l10n.t("read by the model"), `${tokensInWords(inputTokens)}, ${basisWord(basis)}`);
    fact(page, l10n.t("written by the model"), tokensInWords(outputTokens));
  }
  page.line("");
}

function limitSection(page: PageBuilder, { preview, settings }: PreviewInput): void {
  const { effective } = preview.plan;
  heading(page, l10n.t("Limits in effect"));
  const source = {
    policy: l10n.t("the window is set by the setting"),
    discovered: l10n.t("the window is the model's"),
    assumed: l10n.t("the window is unknown and assumed"),
  }[effective.windowSource];
  fact(page, l10n.t("ceiling"), `${grouped(effective.ceiling)} · ${source}`);
  fact(page, l10n.t("trigger line"), grouped(effective.triggerLine));
  const { policy } = settings;
  limit(page, l10n.t("reserve"), effective.minRemaining, policy.minRemaining, l10n.t("25 % of the ceiling"));
  limit(
    page,
    l10n.t("recent tokens to keep"),
    effective.keepRecentTokens,
    policy.keepRecentTokens,
    l10n.t("20 % of the trigger line"),
  );
  const turns = [grouped(effective.keepRecentTurns)];
  if (effective.turnFloorYielded === "over_trigger_line") {
    turns.push(l10n.t("gave way: with these turns kept the request would stay over the trigger line"));
  } else if (effective.turnFloorYielded === "less_than_half_to_compact") {
    turns.push(l10n.t("gave way: with these turns kept less than half would be left to compact"));
  }
  fact(page, l10n.t("recent turns to keep"), turns.join(" · "));
  limit(
    page,
    l10n.t("summary, tokens at most"),
    effective.summaryMaxTokens,
    settings.summaryMaxTokens,
    l10n.t("1/8 of the ceiling"),
  );
  page.line("");
}

function limit(page: PageBuilder, label: string, effective: number, setting: number, bound: string): void {
  const why =
    effective === setting ? "" : ` · ${l10n.t("the setting is {0}, held to {1}", grouped(setting), bound)}`;
  fact(page, label, grouped(effective) + why);
}

function floorSection(page: PageBuilder, { preview, record }: PreviewInput): void {
  const { floor } = preview.plan;
  heading(page, l10n.t("What cannot shrink"), tokensInWords(floor.tokens));
  for (const { what, tokens, messageId } of floor.parts) {
    if (tokens === 0) continue;
    const link = messageId === undefined ? [] : [" · ", messageLink(messageId, nameOf(messageId, record))];
    fact(page, floorPartWord(what), grouped(tokens), ...link);
  }
  page.line("");
}

function messageSection(
  page: PageBuilder,
  name: string,
  ids: readonly string[],
  record: TranscriptRecord,
): void {
  if (ids.length === 0) return;
  heading(page, name, messagesInWords(ids.length));
  for (const id of ids.slice(0, LISTED_MESSAGES)) {
    const item = record.message(id);
    if (item?.message.id !== id) {
      page.line("  ", field(id));
      continue;
    }
    const { message, number } = item;
    const who = l10n.t("{0}, {1}", roleWord(message), tokensInWords(estimateTokens(message)));
    page.line("  ", messageLink(id, `#${number}`), ` ${who} · ${oneLine(previewText(message), TEXT_LENGTH)}`);
  }
  listRest(page, ids.length);
  page.line("");
}

function evictionSection(page: PageBuilder, preview: CompactionPreview, record: TranscriptRecord): void {
  const { evictions } = preview;
  if (evictions.length === 0) return;
  const parts = evictions.length === 1 ? l10n.t("1 part") : l10n.t("{0} parts", grouped(evictions.length));
  heading(page, l10n.t("Would be evicted, and can be opened again byte for byte"), parts);
  for (const { messageId, toolName, bytes, gainTokens } of evictions.slice(0, LISTED_MESSAGES)) {
    const link = messageLink(messageId, nameOf(messageId, record));
    const what = toolName === undefined ? l10n.t("attachment") : field(toolName);
    page.line(
      "  ",
      link,
      ` ${what} · ${exactBytes(bytes)} · ${l10n.t("wins {0}", tokensInWords(gainTokens))}`,
    );
  }
  listRest(page, evictions.length);
  page.line("");
}

function listRest(page: PageBuilder, count: number): void {
  if (count > LISTED_MESSAGES) page.line("  ", l10n.t("… and {0} more", grouped(count - LISTED_MESSAGES)));
}

function messagesInWords(count: number): string {
  return count === 1 ? l10n.t("1 message") : l10n.t("{0} messages", grouped(count));
}

function nameOf(messageId: string, record: TranscriptRecord): string {
  const item = record.message(messageId);
  return item?.message.id === messageId ? `#${item.number}` : field(messageId);
}

function messageLink(messageId: string, text: string): Piece {
  return {
    text,
    target: { to: "message", messageId },
    tooltip: l10n.t("Show the message in the transcript"),
  };
}
