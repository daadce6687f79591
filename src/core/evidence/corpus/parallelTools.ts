import type { ContextCompactionFixture } from "../fixture.ts";
import { answers, commitment, fixtureOf, says } from "./fixtureBuilder.ts";
import { listing, serverLog, sourceFile, table, testLog } from "./outputs.ts";

const TOGETHER = "Always run the three linters together, never one after another.";
const BUDGET = "The bundle must stay under 412 kB.";
const OWNER = "Note that the billing checks belong to Ines Okafor and are not ours to fix.";

const LOG = serverLog("edge", 120);
const ROWS = table("billing", 170);
const CODE = sourceFile("bundle", 45);

/** Several calls in one message, ids used again, one result that failed, outputs worth fetching back. */
export const parallelTools: ContextCompactionFixture = fixtureOf("parallel-tools", [
  {
    steps: [
      says(`Check the front end. ${TOGETHER}`),
      answers(
        "All at once.",
        { tool: "lint", input: { rule: "style" }, output: testLog("style", 40) },
        {
          tool: "lint",
          input: { rule: "types" },
          output: "error TS2345: argument is not assignable",
          isError: true,
        },
        { tool: "lint", input: { rule: "access" }, output: testLog("access", 40, 2) },
      ),
      answers("Two access rules fail.", { tool: "read_log", input: { service: "edge" }, output: LOG }),
      says(BUDGET),
    ],
    adds: [commitment("constraint", TOGETHER), commitment("constraint", BUDGET)],
    recovers: [LOG],
  },
  {
    steps: [
      says("Look at the billing data and the bundle side by side."),
      answers(
        "",
        { tool: "query", input: { table: "billing" }, output: ROWS, callId: "call_1" },
        { tool: "read_file", input: { path: "dist/bundle.js" }, output: CODE, callId: "call_2" },
      ),
      answers("Billing has open checks."),
      says(OWNER),
      answers("", { tool: "list", input: { path: "dist" }, output: listing("dist", 50), callId: "call_1" }),
    ],
    adds: [commitment("fact", OWNER)],
    recovers: [ROWS, CODE],
  },
  {
    steps: [
      says("Shrink the bundle."),
      answers(
        "",
        { tool: "run", input: { command: "analyze" }, output: table("chunk", 60), callId: "call_1" },
        { tool: "run", input: { command: "size" }, output: "428 kB", callId: "call_2" },
      ),
      answers("It is 16 kB over; the date library goes next."),
    ],
  },
]);
