import type { ContextCompactionFixture } from "../fixture.ts";
import { answers, commitment, fixtureOf, says } from "./fixtureBuilder.ts";
import { listing, serverLog, table } from "./outputs.ts";

const BATCH = "Import the ledgers in batches of exactly 350 rows.";
const RESUME = "Never start an import again from row 1: resume after the last committed row.";
const LOST = "For the record: batch 12 was committed, batch 13 was not.";
const STOP = "If the disk has less than 40 GB free, stop and ask me.";

const REPORT = table("import", 160);

/** Cancelled calls, a failed tool, a stop in the middle, and the work taken up again. */
export const interruptedWork: ContextCompactionFixture = fixtureOf("interrupted-work", [
  {
    steps: [
      says(`Import the ledgers of 2019. ${BATCH}`),
      answers("", {
        tool: "run",
        input: { command: "import --rows 350" },
        output: REPORT,
      }),
      answers("", { tool: "run", input: { command: "import --rows 350 --from 351" } }),
      says(`I cancelled that. ${RESUME}`),
      answers("Understood; I will look at the committed rows.", {
        tool: "run",
        input: { command: "import --status" },
        output: "connection reset by peer (ECONNRESET)",
        isError: true,
      }),
    ],
    adds: [commitment("constraint", BATCH), commitment("constraint", RESUME)],
    recovers: [REPORT],
  },
  {
    steps: [
      says("The machine was rebooted. Where were we?"),
      answers("", {
        tool: "run",
        input: { command: "journalctl -u import" },
        output: serverLog("import", 90),
      }),
      answers("The log ends inside a batch."),
      says(LOST),
      answers("Then I resume with batch 13.", {
        tool: "run",
        input: { command: "import --rows 350 --from 4201" },
        output: "timed out after 600 s",
        isError: true,
      }),
    ],
    adds: [commitment("fact", LOST)],
  },
  {
    steps: [
      says(`Try again tomorrow's way: smaller steps. ${STOP}`),
      answers("", { tool: "list", input: { path: "/data/ledgers" }, output: listing("/data/ledgers", 80) }),
      answers("", { tool: "run", input: { command: "df -h /data" }, output: "/data 500G 441G 59G 89%" }),
      answers("59 GB are free; batch 13 is committed now. Batch 14 is next."),
    ],
    adds: [commitment("constraint", STOP)],
  },
]);
