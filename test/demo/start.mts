/**
 * `npm start`: a VS Code with the product, the Demo Model and a long sample session, without a key or a sign-in.
 *
 *     npm start                   opens the browser when there is a display, and prints the address
 *     npm start -- --no-browser   prints the address only
 *     npm start -- --fresh        forgets the demo's sessions and settings first
 *
 * Where a desktop VS Code can be had that is started instead; see test/host/vscodeHost.mts. Ctrl+C stops it.
 */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { ensureBuilt } from "../host/builtProduct.mts";
import { hasDisplay } from "../host/desktopBuild.mts";
import { end, endCleanly, onEnd } from "../host/endings.mts";
import { withLockFile } from "../host/lockFile.mjs";
import { cacheFolder } from "../host/project.mts";
import { vscodeHost } from "../host/vscodeHost.mts";
import { demoFolder, demoWorkspace } from "./demoWorkspace.mts";
import { openInBrowser } from "./openInBrowser.mts";
import { forgetRunning, rememberRunning, runningAddress } from "./runningDemo.mts";
import { startDemoServer } from "./startDemoServer.mts";
import { startDesktop } from "./startDesktop.mts";

endCleanly({ interruptCode: 0 });
await end(await main(process.argv.slice(2)));

async function main(args: readonly string[]): Promise<number> {
  const started = await withLockFile(
    join(cacheFolder, "demo-start.lock"),
    () => start(args),
    console.log,
  ).catch((error: Error) => ({
    reason: error.message,
  }));
  if (started === undefined) return 0;
  if ("reason" in started) {
    console.error(started.reason);
    return 1;
  }
  console.log("Ctrl+C stops it.");
  return started.ended;
}

/** Undefined when a demo of this checkout runs already. */
async function start(args: readonly string[]): Promise<{ ended: Promise<number> } | undefined> {
  const running = await runningAddress();
  if (running !== undefined) {
    console.log(`The demo runs already: ${running}`);
    return undefined;
  }
  if (args.includes("--fresh")) await rm(demoFolder, { recursive: true, force: true });
  const workspace = await demoWorkspace();
  const host = await vscodeHost();
  if (host.kind === "desktop") {
    await ensureBuilt();
    return startDesktop(host.executablePath, workspace);
  }
  const server = await startDemoServer(host.serverFolder, workspace);
  await rememberRunning(server.address);
  onEnd(async () => {
    await forgetRunning();
    console.log("Stopped.");
  });
  console.log(`Context Capsule demo: ${server.address}`);
  if (hasDisplay() && !args.includes("--no-browser")) await openInBrowser(server.address);
  return server;
}
