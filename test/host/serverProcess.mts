/** One running VS Code server, on loopback and a port of its own. */
import { spawn } from "node:child_process";
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onEnd } from "./endings.mts";
import { pinnedNode } from "./project.mts";
import { runCommand } from "./runCommand.mts";

export interface ServerOptions {
  /** What `serverBuild()` returned. */
  readonly serverFolder: string;
  readonly serverDataDir: string;
  /** Honour the development keys of the page's payload. Off: the host as users have it (toasts, modals, restarts). */
  readonly driver: boolean;
  /** User settings written before the start. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Unpacked extension folders, copied; they count as installed. */
  readonly extensionFolders?: readonly string[];
  /** VSIX files, installed before the start. */
  readonly vsixFiles?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** An empty language pack of it is put in place, so that the product's own translations apply; VS Code stays English. */
  readonly locale?: string;
  /** Default: any free one. */
  readonly port?: number;
}

export interface RunningServer {
  readonly port: number;
  readonly pid: number;
  /** Everything the server wrote so far. */
  readonly log: readonly string[];
  /** Resolves when the process is gone, however it ended. */
  readonly exited: Promise<void>;
  stop(): Promise<void>;
}

const QUIET_SETTINGS = {
  "workbench.startupEditor": "none",
  "telemetry.telemetryLevel": "off",
  "extensions.autoCheckUpdates": false,
  "extensions.autoUpdate": false,
  "update.mode": "none",
  "workbench.enableExperiments": false,
};

/** No extension gallery, so that nothing is fetched from the network. */
const OFFLINE_ENVIRONMENT = { EXTENSIONS_GALLERY: "{}" };

const START_LIMIT_MS = 60_000;
const STOP_LIMIT_MS = 5_000;
/** Names of our environment that would change how the server's Node starts, or that belong to a surrounding VS Code. */
const NOT_PASSED_ON = /^(NODE_OPTIONS|ELECTRON_.*|VSCODE_.*)$/;

const SERVER_MAIN = "out/server-main.js";
const parentWatch = fileURLToPath(new URL("./exitWithParent.cjs", import.meta.url));

export async function startServer(options: ServerOptions): Promise<RunningServer> {
  await writeUserSettings(options.serverDataDir, options.settings ?? {});
  if (options.locale !== undefined) await writeLanguagePack(options.serverDataDir, options.locale);
  for (const folder of options.extensionFolders ?? []) await placeExtension(folder, options.serverDataDir);
  await installVsixFiles(options);

  const log: string[] = [];
  const child = spawn(
    pinnedNode,
    [
      "--require",
      parentWatch,
      SERVER_MAIN,
      "--host=127.0.0.1",
      `--port=${options.port ?? 0}`,
      "--without-connection-token",
      "--accept-server-license-terms",
      `--server-data-dir=${options.serverDataDir}`,
      ...(options.driver ? ["--enable-smoke-test-driver"] : []),
      ...(options.locale === undefined ? [] : [`--locale=${options.locale}`]),
    ],
    {
      cwd: options.serverFolder,
      env: serverEnvironment(options.env),
      stdio: ["ignore", "pipe", "pipe"],
      // A group of its own: Ctrl+C reaches us alone, and we stop it.
      detached: true,
    },
  );
  const exited = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    child.once("error", (error) => {
      log.push(String(error));
      resolve();
    });
  });
  const stop = async (): Promise<void> => {
    forget();
    child.kill("SIGTERM");
    const limit = setTimeout(() => child.kill("SIGKILL"), STOP_LIMIT_MS);
    await exited;
    clearTimeout(limit);
  };
  const forget = onEnd(stop);

  try {
    const port = await listeningPort();
    return { port, pid: child.pid as number, log, exited, stop };
  } catch (error) {
    await stop();
    throw error;
  }

  function listeningPort(): Promise<number> {
    return new Promise((resolve, reject) => {
      const fail = (why: string): void => {
        clearTimeout(limit);
        reject(new Error(`The VS Code server ${why}. It wrote:\n${log.join("").slice(-4_000)}`));
      };
      const limit = setTimeout(
        () => fail(`did not listen within ${START_LIMIT_MS / 1_000} s`),
        START_LIMIT_MS,
      );
      const read = (chunk: Buffer): void => {
        log.push(chunk.toString());
        const port = /Extension host agent listening on (\d+)/.exec(log.join(""))?.[1];
        if (port === undefined) return;
        child.stdout.off("data", read).on("data", (later: Buffer) => log.push(later.toString()));
        clearTimeout(limit);
        resolve(Number(port));
      };
      child.stdout.on("data", read);
      child.stderr.on("data", (chunk: Buffer) => log.push(chunk.toString()));
      void exited.then(() => fail("ended before it listened"));
    });
  }
}

async function writeUserSettings(
  serverDataDir: string,
  settings: Readonly<Record<string, unknown>>,
): Promise<void> {
  const folder = join(serverDataDir, "data/User");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "settings.json"), JSON.stringify({ ...QUIET_SETTINGS, ...settings }, null, 2));
}

/** A locale applies only where a language pack of it is known, were it an empty one. */
async function writeLanguagePack(serverDataDir: string, locale: string): Promise<void> {
  const folder = join(serverDataDir, "data");
  const translations = join(folder, "no-translations.json");
  await writeFile(translations, JSON.stringify({ contents: {} }));
  const pack = {
    hash: "none",
    label: locale,
    // VS Code reads the first of them.
    extensions: [{ extensionIdentifier: { id: "none.none" }, version: "0.0.1" }],
    translations: { vscode: translations },
  };
  await writeFile(join(folder, "languagepacks.json"), JSON.stringify({ [locale]: pack }));
}

/** An unpacked folder under `extensions/<publisher>.<name>-<version>` counts as installed at the next start. */
async function placeExtension(folder: string, serverDataDir: string): Promise<void> {
  const manifest = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as Record<string, string>;
  const name = `${manifest["publisher"]}.${manifest["name"]}-${manifest["version"]}`;
  const target = join(serverDataDir, "extensions", name);
  await rm(target, { recursive: true, force: true });
  await cp(folder, target, { recursive: true });
}

async function installVsixFiles(options: ServerOptions): Promise<void> {
  const files = options.vsixFiles ?? [];
  if (files.length === 0) return;
  const { code, output } = await runCommand(
    pinnedNode,
    [
      SERVER_MAIN,
      "--accept-server-license-terms",
      `--server-data-dir=${options.serverDataDir}`,
      "--force",
      ...files.flatMap((file) => ["--install-extension", file]),
    ],
    { cwd: options.serverFolder, env: serverEnvironment(options.env), timeoutMs: START_LIMIT_MS },
  );
  if (code !== 0) throw new Error(`The server could not install ${files.join(", ")}:\n${output}`);
}

function serverEnvironment(extra: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !NOT_PASSED_ON.test(name));
  return { ...Object.fromEntries(kept), ...OFFLINE_ENVIRONMENT, ...extra };
}
