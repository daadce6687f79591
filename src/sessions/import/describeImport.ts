import type { ImportReport } from "./importedSession.ts";

const FORMAT_NAMES: Record<ImportReport["format"], string> = {
  openai: "OpenAI-style messages",
  "claude-code": "Claude Code session",
  pi: "pi session",
};

/** The report in plain words, one sentence a line. */
export function describeImport(report: ImportReport): string {
  const sentences = [
    `${FORMAT_NAMES[report.format]}: ${count(report.messages, "message")} from ${count(report.lines, report.unit === "line" ? "line" : "entry")}, ${report.userMessages} of them typed by a person, ${count(report.notices, "notice")}.`,
    callSentence(report),
    report.sidechainLines > 0
      ? `${count(report.sidechainLines, "sidechain line")} of sub-agents became ${count(report.sidechain.messages, "record")} of their own, outside the context.`
      : undefined,
    report.outside > 0
      ? `${count(report.outside, "message")} that the other agent no longer sends ${areIs(report.outside)} kept outside the context.`
      : undefined,
    boundarySentence(report),
    report.abortedTurns > 0 ? `${count(report.abortedTurns, "turn")} had been aborted.` : undefined,
    report.orphanResults > 0
      ? `${count(report.orphanResults, "result")} without a call became ${report.orphanResults === 1 ? "a notice" : "notices"}.`
      : undefined,
    report.metadataLines > 0
      ? `${count(report.metadataLines, "line")} that ${areIs(report.metadataLines)} no message (titles, modes, states) ${areIs(report.metadataLines)} kept as ${report.metadataLines === 1 ? "it is" : "they are"}.`
      : undefined,
    report.unknownLines > 0
      ? `${count(report.unknownLines, "unknown line")} ${areIs(report.unknownLines)} kept as ${report.unknownLines === 1 ? "it is" : "they are"}.`
      : "No unknown lines.",
    ...report.notes,
  ];
  return sentences.filter((sentence) => sentence !== undefined).join("\n");
}

function callSentence({ calls, results, openCalls }: ImportReport): string {
  if (calls === 0) return "No tool calls.";
  const open =
    openCalls === 0 ? "none stays open" : `${openCalls} ${openCalls === 1 ? "stays" : "stay"} open`;
  return `${count(calls, "tool call")}, ${count(results, "result")}, ${open}.`;
}

function boundarySentence({ boundaries }: ImportReport): string | undefined {
  if (boundaries.length === 0) return undefined;
  const places = boundaries.map(({ line }) => line).join(", ");
  const where =
    boundaries.length === 1 ? `once (line ${places})` : `${boundaries.length} times (lines ${places})`;
  return `It had already been compacted ${where}; the context starts at the last one.`;
}

function count(number: number, noun: string): string {
  if (number === 1) return `1 ${noun}`;
  return `${number} ${noun.endsWith("y") ? `${noun.slice(0, -1)}ies` : `${noun}s`}`;
}

function areIs(number: number): string {
  return number === 1 ? "is" : "are";
}
