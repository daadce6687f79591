/** A VS Code with a page to drive it, for UI tests: the npm-shipped server and an installed Chromium. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Page } from "playwright-core";
import { browser } from "../host/browser.mts";
import { demoModelFolder, projectRoot } from "../host/project.mts";
import { removeRunFolder, runFolder } from "../host/runFolder.mts";
import { serverBuild } from "../host/serverBuild.mts";
import { startServer } from "../host/serverProcess.mts";
import { openWorkbench } from "../host/workbenchPage.mts";

export interface HostOptions {
  /** The extension under test: a development folder (default: this project) or a `.vsix` file to install. */
  readonly extension?: string;
  /** Further extensions, folders or `.vsix` files, that count as installed. Default: the Demo Model. */
  readonly extraExtensions?: readonly string[];
  /** Opened folder; default an empty one of this host's own. `"none"` opens no folder. */
  readonly folder?: string;
  /** A `.code-workspace` file; instead of `folder`. */
  readonly workspace?: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  /**
   * Whether the server runs with the smoke-test driver. Needed for a development folder, where it is the default. Without it
   * (default for a VSIX) toasts are drawn and a killed extension host restarts.
   */
  readonly driver?: boolean;
  readonly locale?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly viewport?: { width: number; height: number };
}

export interface OpenHost {
  readonly page: Page;
  readonly serverDataDir: string;
  readonly folder: string | undefined;
  /** What the page wrote to its console, and what the server wrote. */
  logs(): string[];
  /** Loads the page again (the browser profile, so workspace state, global state and secrets stay) and waits for the workbench. */
  reload(): Promise<void>;
  /** Process id of the running extension host; waits until there is one. */
  extensionHostPid(): Promise<number>;
  /** `kill -9`. With the driver nothing restarts until `reload`; without it a new host starts after two seconds. Returns the pid. */
  killExtensionHost(): Promise<number>;
  /** The product's folder for this server: `globalStorage/<extension>` or `workspaceStorage/<id>/<extension>` below it. */
  readonly userFolder: string;
  dispose(): Promise<void>;
}

/** All that are open now, for the pictures of failures. */
export const openHosts = new Set<OpenHost>();

const WORKBENCH_LIMIT_MS = 60_000;
const POLL_MS = 100;

const QUIET: Readonly<Record<string, unknown>> = {
  "security.workspace.trust.enabled": false,
  "contextCapsuleDemo.behaviourModels": true,
};

export async function openHost(options: HostOptions = {}): Promise<OpenHost> {
  const extension = options.extension ?? projectRoot;
  const isVsix = extension.endsWith(".vsix");
  const driver = options.driver ?? !isVsix;
  if (!isVsix && !driver)
    throw new Error("A development folder needs the driver; build a VSIX to test without it.");
  const extras = options.extraExtensions ?? [demoModelFolder];

  const serverDataDir = await runFolder("ui");
  const ownFolders = [serverDataDir];
  let folder: string | undefined;
  if (options.workspace === undefined && options.folder !== "none") {
    folder = options.folder ?? (await runFolder("ui-workspace"));
    if (options.folder === undefined) ownFolders.push(folder);
  }
  const server = await startServer({
    serverFolder: await serverBuild(),
    serverDataDir,
    driver,
    settings: { ...QUIET, ...options.settings },
    extensionFolders: extras.filter((path) => !path.endsWith(".vsix")),
    vsixFiles: [...extras.filter((path) => path.endsWith(".vsix")), ...(isVsix ? [extension] : [])],
    ...(options.env === undefined ? {} : { env: options.env }),
    ...(options.locale === undefined ? {} : { locale: options.locale }),
  });
  const pageLog: string[] = [];
  try {
    const workbench = await openWorkbench({
      port: server.port,
      browserPath: await browser(),
      ...(isVsix ? {} : { extensionDevelopmentPath: extension }),
      ...(folder === undefined ? {} : { folder }),
      ...(options.workspace === undefined ? {} : { workspace: options.workspace }),
      ...(options.viewport === undefined ? {} : { viewport: options.viewport }),
      onLog: (line) => pageLog.push(line),
    });
    const { page } = workbench;
    const ready = async (): Promise<void> => {
      await page.locator(".monaco-workbench .part.statusbar").waitFor({ timeout: WORKBENCH_LIMIT_MS });
    };
    await ready();
    const extensionHostPid = (): Promise<number> => waitForExtensionHost(server.pid);
    const host: OpenHost = {
      page,
      serverDataDir,
      folder,
      userFolder: join(serverDataDir, "data/User"),
      logs: () => [...pageLog, ...server.log],
      reload: async () => {
        await page.reload();
        await ready();
      },
      extensionHostPid,
      killExtensionHost: async () => {
        const pid = await extensionHostPid();
        process.kill(pid, "SIGKILL");
        await until(async () => (await findExtensionHost(server.pid)) !== pid);
        return pid;
      },
      dispose: async () => {
        openHosts.delete(host);
        await workbench.close();
        await server.stop();
        for (const own of ownFolders) await removeRunFolder(own);
      },
    };
    openHosts.add(host);
    return host;
  } catch (error) {
    await server.stop();
    throw error;
  }
}

async function waitForExtensionHost(serverPid: number): Promise<number> {
  let pid: number | undefined;
  await until(async () => {
    pid = await findExtensionHost(serverPid);
    return pid !== undefined;
  });
  return pid as unknown as number;
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const limit = AbortSignal.timeout(WORKBENCH_LIMIT_MS);
  while (!(await holds())) {
    if (limit.aborted)
      throw new Error(`The extension host did not change within ${WORKBENCH_LIMIT_MS / 1_000} s.`);
    await delay(POLL_MS);
  }
}

/** Linux only, as `/proc` needs no further program. */
async function findExtensionHost(serverPid: number): Promise<number | undefined> {
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await readFile(`/proc/${name}/stat`, "utf8").catch(() => "");
    // pid (command) state ppid …; the command may hold spaces and parentheses.
    const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (state === "Z" || Number(parent) !== serverPid) continue;
    const commandLine = await readFile(`/proc/${name}/cmdline`, "utf8").catch(() => "");
    if (commandLine.includes("--type=extensionHost")) return Number(name);
  }
  return undefined;
}
