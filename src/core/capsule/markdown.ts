import type { Anchor, ContextSummary } from "./contextSummary.ts";

/** The words of the rendering, for localization. */
export interface CapsuleLabels {
  readonly context: string;
  readonly done: string;
  readonly current: string;
  readonly preferences: string;
  readonly commitments: string;
  readonly saidEarlier: string;
  readonly objective: string;
  readonly facts: string;
  readonly decisions: string;
  readonly artifacts: string;
  readonly completed: string;
  readonly active: string;
  readonly blocked: string;
  readonly next: string;
  readonly citations: string;
  readonly lookupHints: string;
  readonly nothing: string;
}

export const ENGLISH_LABELS: CapsuleLabels = Object.freeze({
  context: "Context",
  done: "What was done",
  current: "Current state",
  preferences: "Preferences and constraints",
  commitments: "Commitments (the user's own words)",
  saidEarlier: "Said earlier",
  objective: "Objective",
  facts: "Facts",
  decisions: "Decisions",
  artifacts: "Artifacts",
  completed: "Completed",
  active: "Active",
  blocked: "Blocked",
  next: "Next",
  citations: "Left the context, can be recovered",
  lookupHints: "Where to look",
  nothing: "Nothing was noted.",
});

/** The capsule for people, as Markdown. What it quotes is escaped: text of a chat is never markup here. */
export function capsuleMarkdown(summary: ContextSummary, labels: CapsuleLabels = ENGLISH_LABELS): string {
  const { anchors, state } = summary;
  const sections = [
    section(labels.context, labels.nothing, [
      list(labels.objective, [escapeMarkdown(summary.objective)]),
      list(labels.facts, summary.facts.map(escapeMarkdown)),
      list(labels.lookupHints, summary.lookupHints.map(escapeMarkdown)),
      list(labels.citations, summary.citations.map(citationLine)),
    ]),
    section(labels.done, labels.nothing, [
      list(labels.completed, state.completed.map(escapeMarkdown)),
      list(labels.artifacts, summary.artifacts.map(artifactLine)),
      list(labels.decisions, summary.decisions.map(decisionLine)),
    ]),
    section(labels.current, labels.nothing, [
      list(labels.active, state.active.map(escapeMarkdown)),
      list(labels.blocked, state.blocked.map(escapeMarkdown)),
      list(labels.next, summary.next.map(escapeMarkdown)),
    ]),
    section(labels.preferences, labels.nothing, [
      list(labels.commitments, anchors.filter(({ critical }) => critical).map(quoteLine)),
      list("", summary.constraintsRestated.map(escapeMarkdown)),
      list(labels.saidEarlier, anchors.filter(({ critical }) => !critical).map(quoteLine)),
    ]),
  ];
  return `${sections.join("\n\n")}\n`;
}

function section(heading: string, nothing: string, lists: readonly string[]): string {
  const filled = lists.filter((text) => text !== "");
  return [`## ${heading}`, ...(filled.length === 0 ? [nothing] : filled)].join("\n\n");
}

function list(heading: string, items: readonly string[]): string {
  if (items.length === 0) return "";
  const lines = items.map((item) => `- ${item.replace(/\r\n|[\n\r\u2028\u2029]/g, "\n  ")}`).join("\n");
  return heading === "" ? lines : `**${heading}**\n\n${lines}`;
}

function decisionLine({ decision, why }: ContextSummary["decisions"][number]): string {
  return why.trim() === ""
    ? escapeMarkdown(decision)
    : `${escapeMarkdown(decision)} — ${escapeMarkdown(why)}`;
}

function artifactLine({ path, change }: ContextSummary["artifacts"][number]): string {
  return change.trim() === "" ? escapeMarkdown(path) : `${escapeMarkdown(path)}: ${escapeMarkdown(change)}`;
}

function citationLine({ segmentId, what }: ContextSummary["citations"][number]): string {
  return `${escapeMarkdown(segmentId)}: ${escapeMarkdown(what)}`;
}

function quoteLine({ kind, text }: Anchor): string {
  return `${kind}: “${escapeMarkdown(text)}”`;
}

const MARKUP = /[\\`*_[\]<>|~#!$&]/g;
/** What would start a list, a rule or a table at the beginning of a line. */
const LINE_START = /^(\s*)(?:([-+=:])|(\d{1,9})([.)]))/gm;

function escapeMarkdown(text: string): string {
  return text
    .replace(MARKUP, "\\$&")
    .replace(LINE_START, (_match, space: string, mark?: string, digits?: string, dot?: string) =>
      mark === undefined ? `${space}${digits}\\${dot}` : `${space}\\${mark}`,
    );
}
