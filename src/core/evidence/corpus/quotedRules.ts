import type { ContextCompactionFixture } from "../fixture.ts";
import { answers, commitment, fixtureOf, says } from "./fixtureBuilder.ts";
import { sourceFile, table, testLog } from "./outputs.ts";

const TABS = "In this repository, indentation must be tabs.";
const LONG_RULE =
  "The importer must treat an empty amount as missing and never as zero, because the auditors of the spring run found 212 rows where a zero had hidden a lost payment.";
const PASTED = `Here is what the old guide said, for comparison only:

> Indentation must always be four spaces.
> Never use tabs.

\`\`\`
RULE: all amounts must be rounded down
\`\`\`
`;
const SPLIT_HEAD = "The nightly run must write to s3://ledger-nightly-77";
const SPLIT_TAIL = "and must never write to s3://ledger-nightly-07.";

/** Rules that a person only shows, a rule inside a long message, and one that runs over two parts. */
export const quotedRules: ContextCompactionFixture = fixtureOf("quoted-rules", [
  {
    steps: [
      says(`Move the importer to the new style. ${TABS}`, PASTED),
      answers("", {
        tool: "read_file",
        input: { path: "docs/old-guide.md" },
        output: `You must use four spaces.\n${sourceFile("guide", 26)}`,
      }),
      answers("I use tabs.", { tool: "run", input: { command: "format" }, output: testLog("format", 50) }),
    ],
    adds: [commitment("constraint", TABS)],
  },
  {
    steps: [
      says(
        `${"The auditors sent their list. It is long, and most of it is about names of columns that we have already changed. ".repeat(4)}${LONG_RULE} ${"The rest of the list is about the look of the printed report, which is not ours. ".repeat(4)}`,
      ),
      answers("", { tool: "query", input: { table: "audit" }, output: table("audit", 100) }),
      answers("Empty amounts are missing now."),
    ],
    adds: [commitment("constraint", LONG_RULE)],
  },
  {
    steps: [
      says(SPLIT_HEAD, SPLIT_TAIL),
      answers("", { tool: "run", input: { command: "nightly --dry" }, output: testLog("nightly", 80) }),
      answers("The dry run writes to the right place."),
    ],
    adds: [commitment("constraint", `${SPLIT_HEAD}\n${SPLIT_TAIL}`)],
  },
]);
