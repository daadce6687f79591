/** Folders for one run of a host, below the cache; those of processes that are gone are removed by the next run. */
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { onEnd } from "./endings.mts";
import { cacheFolder } from "./project.mts";

const runsFolder = join(cacheFolder, "runs");

/** A fresh folder; removed when this process ends. */
export async function runFolder(name: string): Promise<string> {
  await mkdir(runsFolder, { recursive: true });
  await removeAbandoned();
  const folder = await mkdtemp(join(runsFolder, `${process.pid}-${name}-`));
  onEnd(() => removeRunFolder(folder));
  return folder;
}

/** For those who know earlier that nothing uses it any more. */
export async function removeRunFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}

async function removeAbandoned(): Promise<void> {
  for (const name of await readdir(runsFolder)) {
    const pid = Number.parseInt(name, 10);
    if (Number.isInteger(pid) && isAlive(pid)) continue;
    await rm(join(runsFolder, name), { recursive: true, force: true, maxRetries: 3 });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
