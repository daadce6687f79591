import type { ContextCompactionFixture } from "../fixture.ts";
import { answers, commitment, fixtureOf, says } from "./fixtureBuilder.ts";
import { listing, serverLog, table, testLog } from "./outputs.ts";

const STAGING = "Remember: the staging database is pg-kestrel-04 on port 5433.";
const PRODUCTION = "Remember: the production database is pg-kestrel-40 on port 5434.";
const UNIT = "Unit tests must run with `make check-unit JOBS=3` before every commit.";
const INTEGRATION = "Integration tests must run with `make check-int JOBS=1` before every release.";
const PROJECT = "The project budget must stay below 18,400 euros.";
const TRAVEL = "The travel budget must stay below 14,800 euros.";

/** Pairs that resemble one another and are both true: neither replaces the other. */
export const lookAlikeFacts: ContextCompactionFixture = fixtureOf("look-alike-facts", [
  {
    steps: [
      says("Set up the two environments.", STAGING),
      answers("", { tool: "run", input: { command: "psql -l" }, output: table("database", 70) }),
      says(PRODUCTION),
      answers("Two databases, two ports.", {
        tool: "run",
        input: { command: "ping pg-kestrel-40" },
        output: serverLog("ping", 50),
      }),
    ],
    adds: [commitment("fact", STAGING), commitment("fact", PRODUCTION)],
  },
  {
    steps: [
      says(UNIT),
      answers("", {
        tool: "run",
        input: { command: "make check-unit JOBS=3" },
        output: testLog("unit", 60),
      }),
      says(INTEGRATION),
      answers("", {
        tool: "run",
        input: { command: "make check-int JOBS=1" },
        output: testLog("integration", 50),
      }),
      says(PROJECT),
    ],
    adds: [
      commitment("constraint", UNIT),
      commitment("constraint", INTEGRATION),
      commitment("constraint", PROJECT),
    ],
  },
  {
    steps: [
      says(TRAVEL),
      answers("Both budgets are noted.", {
        tool: "list",
        input: { path: "finance" },
        output: listing("finance", 90),
      }),
      answers("The sheets separate them already."),
    ],
    adds: [commitment("constraint", TRAVEL)],
  },
]);
