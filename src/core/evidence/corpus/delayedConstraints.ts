import type { ContextCompactionFixture } from "../fixture.ts";
import { answers, commitment, fixtureOf, says } from "./fixtureBuilder.ts";
import { listing, serverLog, sourceFile, testLog } from "./outputs.ts";

const NOTES = "When we get to the release notes, never name the customer Halvorsen.";
const FREEZE = "Nothing under db/migrations may change before the 14 March freeze ends.";
const REVIEW = "Only Marta Quiroga may approve the final tag.";

/** Rules said early that nothing touches until the last round. */
export const delayedConstraints: ContextCompactionFixture = fixtureOf("delayed-constraints", [
  {
    steps: [
      says(
        `We are preparing release 7.3 of the ledger service. ${NOTES} For now, look at the failing exports.`,
      ),
      answers("I will read the exporter first.", {
        tool: "read_file",
        input: { path: "src/export/ledger.ts" },
        output: sourceFile("exportLedger", 30),
      }),
      answers("The exporter slices the wrong end. I will run its tests.", {
        tool: "run",
        input: { command: "npm test -- export" },
        output: testLog("export", 60, 3),
      }),
      answers("Three cases fail, all with negative amounts."),
      says(FREEZE),
      answers("Understood."),
    ],
    adds: [commitment("constraint", NOTES), commitment("constraint", FREEZE)],
  },
  {
    steps: [
      says("Fix the negative amounts and check the service log for the same sign error."),
      answers("", {
        tool: "edit_file",
        input: { path: "src/export/ledger.ts", replace: "slice(step)", by: "slice(-step)" },
        output: "1 replacement",
      }),
      answers("", {
        tool: "run",
        input: { command: "tail -n 80 /var/log/ledger.log" },
        output: serverLog("ledger", 80),
      }),
      answers("The log shows no sign error. The exporter tests pass now."),
      says(`Good. ${REVIEW} Go on with the archive folder.`),
      answers("", { tool: "list", input: { path: "archive" }, output: listing("archive", 60) }),
    ],
    adds: [commitment("constraint", REVIEW)],
  },
  {
    steps: [
      says("Now write the release notes, and tell me what still blocks the tag."),
      answers("I will collect the changes.", {
        tool: "run",
        input: { command: "git log --oneline v7.2..HEAD" },
        output: Array.from(
          { length: 70 },
          (_, at) => `${(at * 2654435761 + 97).toString(16).slice(0, 7)} ledger: step ${at}`,
        ).join("\n"),
      }),
      answers("The notes are drafted in docs/release-7.3.md; the tag waits for approval.", {
        tool: "write_file",
        input: { path: "docs/release-7.3.md", text: "Exports of negative amounts are right again." },
        output: "written",
      }),
    ],
  },
]);
