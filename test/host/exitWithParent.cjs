"use strict";
/**
 * Ends this process soon after the process that started it is gone, so that `kill -9` of any piece leaves no server behind.
 * Loaded by `node --require` into a server (which then exits at once), or called by a script of ours with its own ending.
 */
const { readFileSync } = require("node:fs");

const POLL_MS = 500;

/** Parent of a process; undefined where that cannot be told (no /proc) or when it is gone. */
function parentOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // pid (command) state ppid …; the command may hold spaces and parentheses.
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return undefined;
  }
}

function parentIsAlive(parentPid) {
  // On POSIX an orphan gets a new parent; Windows keeps the number, so ask whether it still lives.
  if (process.platform !== "win32") return process.ppid === parentPid;
  try {
    process.kill(parentPid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

/**
 * @param {() => void} end called once
 * @param {{ throughShell?: boolean }} [options] `throughShell`: npm runs scripts through a shell that outlives it, so the
 *   shell's parent is watched too (on Linux)
 */
function exitWithParent(end, { throughShell = false } = {}) {
  const parentPid = process.ppid;
  const grandparentPid = throughShell ? parentOf(parentPid) : undefined;
  const timer = setInterval(() => {
    const isSame = grandparentPid === undefined || parentOf(parentPid) === grandparentPid;
    if (isSame && parentIsAlive(parentPid)) return;
    clearInterval(timer);
    end();
  }, POLL_MS);
  timer.unref();
}

module.exports = { exitWithParent };

// As a preload this reaches the server and, by inherited execArgv, its extension hosts, which would linger otherwise.
if (/(server-main\.js|bootstrap-fork)$/.test(process.argv[1] ?? "")) exitWithParent(() => process.exit(1));
