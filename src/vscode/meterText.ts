import { l10n } from "vscode";
import type { MeterReading } from "../engine/liveSession.ts";
import { basisSentence, basisWord, fullNumber, shortTokens, tokensInWords, wholePercent } from "./words.ts";

export type MeterBackground = "none" | "warning" | "error";

export interface MeterText {
  /** One icon, percent and tokens. */
  readonly text: string;
  readonly background: MeterBackground;
  /** All of it in words, for a screen reader. */
  readonly spoken: string;
}

const ICON = "$(archive)";
const RUNNING_ICON = "$(sync~spin)";

/** What the status bar shows. A tilde marks an estimate; a question mark stands for what nobody knows. */
export function meterText(reading: MeterReading): MeterText {
  const { usedTokens, fraction, basis, running } = reading;
  const about = basis === "estimated" ? "~" : "";
  const percent = fraction === undefined ? "?" : `${about}${wholePercent(fraction)}%`;
  const tokens = usedTokens === undefined ? "" : ` · ${about}${shortTokens(usedTokens)}`;
  return {
    text: `${running === undefined ? ICON : RUNNING_ICON} ${percent}${tokens}`,
    background: backgroundOf(reading),
    spoken: spokenText(reading),
  };
}

/** Warning exactly from the trigger line on; error only where the ladder stopped. */
function backgroundOf({ level }: MeterReading): MeterBackground {
  if (level === "stopped") return "error";
  return level === "over_line" ? "warning" : "none";
}

function spokenText(reading: MeterReading): string {
  const { usedTokens, ceiling, fraction, triggerLine, level, running, readOnly } = reading;
  const sentences = [l10n.t("Context of {0}.", reading.title)];
  if (usedTokens === undefined) sentences.push(l10n.t("How full it is is unknown."));
  else if (ceiling === undefined || fraction === undefined) {
    sentences.push(l10n.t("{0}; how many fit is unknown.", tokensInWords(usedTokens)));
  } else {
    sentences.push(
      l10n.t(
        "{0} percent full, {1} of {2} tokens.",
        wholePercent(fraction),
        fullNumber(usedTokens),
        fullNumber(ceiling),
      ),
    );
  }
  if (usedTokens !== undefined) sentences.push(basisSentence(reading.basis));
  if (level === "stopped") sentences.push(l10n.t("No room could be made."));
  else if (level === "over_line") sentences.push(l10n.t("The trigger line is reached."));
  else if (triggerLine !== undefined)
    sentences.push(l10n.t("Trigger line at {0}.", tokensInWords(triggerLine)));
  if (running !== undefined) sentences.push(l10n.t("A compaction is running."));
  if (readOnly) sentences.push(l10n.t("Read-only."));
  return sentences.join(" ");
}

/** `63%` in a narrow place, tokens where the window is unknown; empty where nothing is known. */
export function shortFullness({ fraction, usedTokens }: Fullness): string {
  if (fraction !== undefined) return `${wholePercent(fraction)}%`;
  return usedTokens === undefined ? "" : shortTokens(usedTokens);
}

/** The same in words. */
export function fullnessWords({ fraction, usedTokens, basis }: Fullness): string {
  if (fraction !== undefined) return l10n.t("{0}% full", wholePercent(fraction));
  if (usedTokens === undefined) return "";
  return l10n.t("{0} tokens ({1})", shortTokens(usedTokens), basisWord(basis));
}

export type Fullness = Pick<MeterReading, "fraction" | "usedTokens" | "basis">;
