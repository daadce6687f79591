"use strict";
/**
 * Ends this process soon after the process that started it is gone, so that `kill -9` of any piece leaves no server behind.
 * Loaded by `node --require` into a server (which then exits at once), or called by a script of ours with its own ending.
 */
const POLL_MS = 500;

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

function exitWithParent(end) {
  const parentPid = process.ppid;
  const timer = setInterval(() => {
    if (parentIsAlive(parentPid)) return;
    clearInterval(timer);
    end();
  }, POLL_MS);
  timer.unref();
}

module.exports = { exitWithParent };

// A preload also reaches the server's own children (they inherit execArgv); those end with their server by themselves.
if ((process.argv[1] ?? "").endsWith("server-main.js")) exitWithParent(() => process.exit(1));
