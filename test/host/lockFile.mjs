/**
 * One holder at a time for work that two commands of one checkout must not do together (installing, unpacking).
 * The holder touches the file every second; a file that nobody touched for STALE_MS belongs to a dead process and is taken over.
 * Plain JavaScript for Node 20, because it runs before anything is installed.
 */
import { mkdir, open, rename, rm, stat, utimes } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

const TOUCH_MS = 1_000;
const STALE_MS = 10_000;
const POLL_MS = 250;

/**
 * @template T
 * @param {string} path the lock file
 * @param {() => Promise<T>} work runs while the lock is held
 * @param {(message: string) => void} [say] told once when another process holds the lock
 * @returns {Promise<T>}
 */
export async function withLockFile(path, work, say = () => {}) {
  await acquire(path, say);
  const heartbeat = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => {});
  }, TOUCH_MS);
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    await rm(path, { force: true });
  }
}

async function acquire(path, say) {
  await mkdir(dirname(path), { recursive: true });
  for (let attempt = 0; ; attempt++) {
    try {
      const handle = await open(path, "wx");
      await handle.writeFile(`${process.pid}\n`);
      await handle.close();
      return;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
    if (await isStale(path)) {
      // Renaming picks one winner among several waiters; the losers see ENOENT and simply try again.
      const aside = `${path}.${process.pid}`;
      await rename(path, aside)
        .then(() => rm(aside, { force: true }))
        .catch(() => {});
      continue;
    }
    if (attempt === 0) say("Another command of this checkout is doing the same; waiting for it.");
    await delay(POLL_MS);
  }
}

async function isStale(path) {
  try {
    return Date.now() - (await stat(path)).mtimeMs > STALE_MS;
  } catch {
    return false;
  }
}
