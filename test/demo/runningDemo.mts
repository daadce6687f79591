/** Whether a demo of this checkout is running: its process and address, noted while it runs. */
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { demoFolder } from "./demoWorkspace.mts";

const ANSWER_LIMIT_MS = 2_000;
const noteFile = join(demoFolder, "running.json");

export async function rememberRunning(address: string): Promise<void> {
  await writeFile(noteFile, JSON.stringify({ address }));
}

export async function forgetRunning(): Promise<void> {
  await rm(noteFile, { force: true });
}

/** The address, if the noted demo still answers there; a note that a killed demo left behind does not count. */
export async function runningAddress(): Promise<string | undefined> {
  const note = await readFile(noteFile, "utf8").catch(() => undefined);
  if (note === undefined) return undefined;
  const { address } = JSON.parse(note) as { address: string };
  try {
    const answer = await fetch(new URL("/version", address), {
      signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
    });
    return answer.ok ? address : undefined;
  } catch {
    return undefined;
  }
}
