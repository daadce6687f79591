import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import type { ProcessIdentity, ProcessTable } from "./sessionFiles.ts";
import { fileErrorCode } from "./sessionFiles.ts";

const BOOT_ID_PATH = "/proc/sys/kernel/random/boot_id";
/** Fields of /proc/<pid>/stat behind the name in brackets (proc(5)): 3 is the state, 22 the start time in ticks. */
const STATE_FIELD = 0;
const START_FIELD = 19;

/** `ProcessTable` over Node and, where there is one, Linux's /proc. */
export const nodeProcesses: ProcessTable = {
  own: ownIdentity(),
  isAlive(other) {
    if (other.host !== hostname()) return undefined;
    try {
      process.kill(other.pid, 0);
    } catch (error) {
      // EPERM: it lives and belongs to another user.
      if (fileErrorCode(error) === "ESRCH") return false;
    }
    if (other.startedAt === undefined) return undefined;
    const started = startOf(other.pid);
    return started === undefined ? undefined : started === other.startedAt;
  },
};

function ownIdentity(): ProcessIdentity {
  const startedAt = startOf(process.pid);
  return { pid: process.pid, host: hostname(), ...(startedAt === undefined ? {} : { startedAt }) };
}

/** When a process started, as a word that no later process of the same pid gets; "ended" for one nobody buried yet. */
function startOf(pid: number): string | undefined {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = line.slice(line.lastIndexOf(")") + 2).split(" ");
    if (fields[STATE_FIELD] === "Z" || fields[STATE_FIELD] === "X") return "ended";
    return `${readFileSync(BOOT_ID_PATH, "latin1").trim()}:${fields[START_FIELD]}`;
  } catch {
    return undefined;
  }
}
