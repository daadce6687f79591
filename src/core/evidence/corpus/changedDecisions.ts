import type { ContextCompactionFixture } from "../fixture.ts";
import { answers, commitment, fixtureOf, says } from "./fixtureBuilder.ts";
import { serverLog, sourceFile, table, testLog } from "./outputs.ts";

const QUEUE_FIRST = "Let's use Redis streams for the job queue.";
const QUEUE_SECOND = "Let's use Postgres SKIP LOCKED for the job queue instead of Redis streams.";
const QUEUE_THIRD = "We go with NATS JetStream for the job queue instead of Postgres SKIP LOCKED.";
const RETRIES_FIRST = "Failed jobs must be retried at most 4 times.";
const RETRIES_SECOND = "Failed jobs must now be retried at most 9 times, no longer 4 times.";

/** The same two choices made anew: only the newest may stand. */
export const changedDecisions: ContextCompactionFixture = fixtureOf("changed-decisions", [
  {
    steps: [
      says("Design the worker pool of the thumbnail service."),
      answers("", {
        tool: "read_file",
        input: { path: "src/worker/pool.ts" },
        output: sourceFile("poolStep", 26),
      }),
      says(`${QUEUE_FIRST} ${RETRIES_FIRST}`),
      answers("I will sketch it with streams.", {
        tool: "run",
        input: { command: "npm test -- worker" },
        output: testLog("worker", 50),
      }),
      answers("The sketch passes."),
    ],
    adds: [commitment("decision", QUEUE_FIRST), commitment("constraint", RETRIES_FIRST)],
  },
  {
    steps: [
      says("How does it behave under load?"),
      answers("", { tool: "run", input: { command: "bench worker" }, output: table("bench", 90) }),
      answers("Streams lose order when a consumer restarts."),
      says(QUEUE_SECOND),
      answers("I will rewrite the queue on Postgres.", {
        tool: "write_file",
        input: { path: "src/worker/queue.ts" },
        output: "written",
      }),
    ],
    adds: [commitment("decision", QUEUE_SECOND)],
    retires: [QUEUE_FIRST],
  },
  {
    steps: [
      says(RETRIES_SECOND),
      answers("", {
        tool: "run",
        input: { command: "tail -n 90 worker.log" },
        output: serverLog("worker", 90),
      }),
      answers("Retries are raised."),
      says("The database team refuses more connections."),
      answers("Then the queue cannot live there."),
      says(QUEUE_THIRD),
      answers("I will start with the client.", {
        tool: "read_file",
        input: { path: "src/worker/client.ts" },
        output: sourceFile("client", 20),
      }),
    ],
    adds: [commitment("decision", QUEUE_THIRD), commitment("constraint", RETRIES_SECOND)],
    retires: [QUEUE_SECOND, RETRIES_FIRST],
  },
]);
