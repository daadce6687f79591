import { cp } from "node:fs/promises";
import { join } from "node:path";
import { cacheFolder, projectRoot } from "../host/project.mts";
import { writeSampleSessions } from "./sessions/sampleSessions.mts";

/** Everything the demo keeps between two starts; tests name another folder. */
export const demoFolder = process.env["CONTEXT_CAPSULE_DEMO_FOLDER"] ?? join(cacheFolder, "demo");

/** A copy of test/demo/workspace with the sample sessions in it; what the person changed there since stays. */
export async function demoWorkspace(): Promise<string> {
  const folder = join(demoFolder, "tide-tables");
  await cp(join(projectRoot, "test/demo/workspace"), folder, { recursive: true, force: false });
  await writeSampleSessions(join(folder, "sessions"));
  return folder;
}
