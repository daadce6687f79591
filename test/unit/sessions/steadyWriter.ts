// A window of its own process: appends to a session as fast as it can, and says each time which entry is acknowledged.
import { writeSync } from "node:fs";
import { nodeFiles } from "../../../src/sessions/nodeFiles.ts";
import { nodeProcesses } from "../../../src/sessions/nodeProcesses.ts";
import { SessionError } from "../../../src/sessions/session.ts";
import { openSessionFile } from "../../../src/sessions/sessionFile.ts";
import { message, SESSION } from "./sessionBench.ts";

const [place = "", name = ""] = process.argv.slice(2);
const TAKEN_OVER_EXIT = 3;
const STANDARD_OUTPUT = 1;
let ids = 0;

const session = await openSessionFile(
  {
    files: nodeFiles,
    processes: nodeProcesses,
    now: () => Date.now(),
    newId: () => {
      ids += 1;
      return `${name}-${process.pid}-${ids}`;
    },
    windowName: name,
  },
  place,
  SESSION,
);
if (session.readOnly !== undefined) {
  writeSync(STANDARD_OUTPUT, `read-only ${session.readOnly.holder}\n`);
  process.exit(0);
}
for (let count = 0; ; count += 1) {
  const text = count % 7 === 3 ? "large ".repeat(8000) : `text ${"x".repeat((count * 131) % 3000)}`;
  const several = count % 3 === 0 ? [message(`${name}-${count}-more`, "one more")] : [];
  const entries = [message(`${name}-${count}`, text), ...several];
  try {
    await session.append(entries, count % 5 === 0 ? "boundary" : "turn");
  } catch (error) {
    if (!(error instanceof SessionError) || error.code !== "taken_over") throw error;
    process.exit(error.notWritten.length === entries.length ? TAKEN_OVER_EXIT : 1);
  }
  writeSync(STANDARD_OUTPUT, `${name}-${count}\n`);
}
