import { createHash } from "node:crypto";
import { existsSync, writeFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { ensurePackaged } from "../host/builtProduct.mts";
import { onEnd } from "../host/endings.mts";
import { demoModelFolder, vsixPath } from "../host/project.mts";
import { startServer } from "../host/serverProcess.mts";
import { workbenchAddress } from "../host/workbenchPage.mts";
import { demoFolder } from "./demoWorkspace.mts";

/** The same one at each start, since a browser keeps what it knows of a window by the address; any free one when it is taken. */
const USUAL_PORT = 7319;
const SETTINGS = {
  "security.workspace.trust.enabled": false,
  "workbench.startupEditor": "readme",
  "git.openRepositoryInParentFolders": "never",
  "contextCapsule.summarizer": "context-capsule-demo/demo",
};

/**
 * The product as users have it, installed from its VSIX: with the development switches of the server no notification would
 * be shown. Resolves once the address answers.
 */
export async function startDemoServer(
  serverFolder: string,
  workspace: string,
): Promise<{ address: string; ended: Promise<number> }> {
  await ensurePackaged();
  const serverDataDir = join(demoFolder, "server-data");
  const installedStamp = join(serverDataDir, "installed-vsix");
  const vsixDigest = createHash("sha256")
    .update(await readFile(vsixPath))
    .digest("hex");
  const isInstalled = existsSync(installedStamp) && (await readFile(installedStamp, "utf8")) === vsixDigest;
  const server = await startServer({
    serverFolder,
    serverDataDir,
    driver: false,
    settings: SETTINGS,
    extensionFolders: [demoModelFolder],
    vsixFiles: isInstalled ? [] : [vsixPath],
    port: (await isFree(USUAL_PORT)) ? USUAL_PORT : 0,
  });
  await writeFile(installedStamp, vsixDigest);
  let isStopping = false;
  onEnd(() => {
    isStopping = true;
  });
  const ended = server.exited.then(() => {
    if (isStopping) return 0;
    const logFile = join(demoFolder, "server.log");
    writeFileSync(logFile, server.log.join(""));
    console.error(`The VS Code server ended by itself. What it wrote is in ${logFile}; start again.`);
    return 1;
  });
  return { address: workbenchAddress({ port: server.port, folder: workspace }), ended };
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
  });
}
