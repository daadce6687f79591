import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { projectRoot } from "../../host/project.mts";

const watch = JSON.stringify(join(projectRoot, "test/host/exitWithParent.cjs"));
const CHILD = `require(${watch}).exitWithParent(() => process.exit(0)); setInterval(() => {}, 1000); console.log(process.pid);`;
const PARENT = `require("node:child_process").spawn(process.execPath, ["-e", ${JSON.stringify(CHILD)}], { stdio: "inherit" });`;

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe("a process that ends with its parent", () => {
  it("is gone after kill -9 of the parent", async () => {
    const parent = spawn(process.execPath, ["-e", PARENT], { stdio: ["ignore", "pipe", "inherit"] });
    const [line] = (await once(parent.stdout, "data")) as [Buffer];
    const childPid = Number(line.toString());
    assert.equal(isAlive(childPid), true);
    parent.kill("SIGKILL");
    // Its end of the pipe closes when the last writer, the child, is gone.
    await once(parent.stdout, "close");
    while (isAlive(childPid)) await nextTurn();
  });
});
