import type { ContextCompactionFixture } from "../fixture.ts";
import { answers, commitment, fixtureOf, says } from "./fixtureBuilder.ts";
import { serverLog, sourceFile, table, testLog } from "./outputs.ts";

const MIRROR = "Every write must also go to the mirror in zone 9.";
const NO_MIRROR = "Forget the mirror: writes no longer go to the mirror in zone 9 at all.";
const NAMES = "Column names must keep their German spelling.";
const APPROVAL = "Only deploy after Tomasz Brandvold has approved.";
const NO_APPROVAL = "Tomasz Brandvold has left, so deploys no longer need approval: scrap that rule.";

/** Rules taken back: what is left is the sentence that took them back, and the rules it did not speak of. */
export const retraction: ContextCompactionFixture = fixtureOf("retraction", [
  {
    steps: [
      says(`Migrate the customer store. ${MIRROR} ${NAMES}`),
      answers("", {
        tool: "read_file",
        input: { path: "src/store/write.ts" },
        output: sourceFile("writeRow", 28),
      }),
      says(APPROVAL),
      answers("", { tool: "run", input: { command: "npm test -- store" }, output: testLog("store", 60) }),
    ],
    adds: [
      commitment("constraint", MIRROR),
      commitment("constraint", NAMES),
      commitment("constraint", APPROVAL),
    ],
  },
  {
    steps: [
      says("The mirror costs us 80 ms a write, see the log."),
      answers("", {
        tool: "run",
        input: { command: "tail -n 90 store.log" },
        output: serverLog("store", 90),
      }),
      says(NO_MIRROR),
      answers("The mirror is out.", {
        tool: "edit_file",
        input: { path: "src/store/write.ts" },
        output: "2 replacements",
      }),
    ],
    adds: [commitment("constraint", NO_MIRROR)],
    retires: [MIRROR],
  },
  {
    steps: [
      says(NO_APPROVAL),
      answers("", { tool: "query", input: { table: "customer" }, output: table("customer", 90) }),
      answers("The store is migrated; the names are as they were."),
    ],
    adds: [commitment("constraint", NO_APPROVAL)],
    retires: [APPROVAL],
  },
]);
