/**
 * Stands in for the desktop executable that `runTests` of `@vscode/test-electron` spawns: takes the same arguments, runs the
 * tests in the npm-shipped server driven by a headless browser, streams mocha's output, and ends with the tests' exit code.
 *
 * The server honours one development path only. The first one given is the extension under test; every further one is copied
 * among the installed extensions, so the same call means the same thing here and on a desktop.
 */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { browser } from "./browser.mts";
import { end, endCleanly } from "./endings.mts";
import { runFolder } from "./runFolder.mts";
import { serverBuild } from "./serverBuild.mts";
import { startServer } from "./serverProcess.mts";
import { openWorkbench } from "./workbenchPage.mts";

/** No line for this long means that the host hangs or died: end with a message instead of waiting for ever. */
const SILENCE_LIMIT_MS = 180_000;
const KEPT_NOISE_LINES = 40;
/** run.ts begins each line of the suite with this mark; all other lines are the workbench's own and are kept for failures. */
const MARK_VARIABLE = "CONTEXT_CAPSULE_OUTPUT_MARK";
const MARK = "\u2063";

endCleanly();
await end(await run(process.argv.slice(2)));

async function run(args: readonly string[]): Promise<number> {
  const testsPath = valuesOf(args, "extensionTestsPath")[0];
  const [developmentPath, ...others] = valuesOf(args, "extensionDevelopmentPath");
  if (testsPath === undefined || developmentPath === undefined) {
    console.error("Both --extensionDevelopmentPath=… and --extensionTestsPath=… are needed.");
    return 1;
  }
  const serverDataDir = await runFolder("suite");
  const server = await startServer({
    serverFolder: await serverBuild(),
    serverDataDir,
    driver: true,
    settings: {
      "security.workspace.trust.enabled": false,
      ...(await settingsOf(valuesOf(args, "user-data-dir")[0])),
    },
    extensionFolders: others,
    env: { [MARK_VARIABLE]: MARK },
    ...optional("locale", valuesOf(args, "locale")[0]),
  });

  const noise: string[] = [];
  let finish: (code: number) => void = () => {};
  const finished = new Promise<number>((done) => {
    finish = done;
  });
  const giveUp = (why: string, log: readonly string[]): void => {
    if (ended) return;
    console.error(`${why} Its last lines:\n${log.slice(-KEPT_NOISE_LINES).join("\n")}`);
    finish(1);
  };
  let ended = false;
  let suiteSpoke = false;
  const startSilence = (): NodeJS.Timeout =>
    setTimeout(
      () => giveUp(`The host said nothing for ${SILENCE_LIMIT_MS / 1_000} s.`, noise),
      SILENCE_LIMIT_MS,
    );
  let silence = startSilence();

  const workbench = await openWorkbench({
    port: server.port,
    browserPath: await browser(),
    extensionDevelopmentPath: developmentPath,
    extensionTestsPath: testsPath,
    ...targetOf(args),
    onLog: (line, from) => {
      if (from === "page" || !line.startsWith(MARK)) {
        noise.push(line);
        return;
      }
      suiteSpoke = true;
      clearTimeout(silence);
      silence = startSilence();
      console.log(line.slice(MARK.length));
    },
    onTestsEnd: (code) => finish(code),
  });
  void server.exited.then(() => giveUp("The VS Code server ended in the middle of the tests.", server.log));
  void workbench.lost.then((what) => giveUp(what, noise));
  const code = await finished;
  ended = true;
  clearTimeout(silence);
  if (code !== 0 && !suiteSpoke)
    console.error(
      `The suite did not start. Last lines of the host:\n${noise.slice(-KEPT_NOISE_LINES).join("\n")}`,
    );
  return code;
}

/** `--name=value`, `--name value` never occurs in what `runTests` passes. */
function valuesOf(args: readonly string[], name: string): string[] {
  const prefix = `--${name}=`;
  return args.filter((arg) => arg.startsWith(prefix)).map((arg) => arg.slice(prefix.length));
}

/** The first argument that is no switch and exists is the folder or workspace file to open. */
function targetOf(
  args: readonly string[],
): { folder: string } | { workspace: string } | Record<string, never> {
  const target = args.find((arg) => !arg.startsWith("-") && existsSync(arg));
  if (target === undefined) return {};
  const path = resolve(target);
  return path.endsWith(".code-workspace") ? { workspace: path } : { folder: path };
}

/** A desktop reads its user settings from `<user-data-dir>/User/settings.json`; so does this stand-in. */
async function settingsOf(userDataDir: string | undefined): Promise<Record<string, unknown>> {
  if (userDataDir === undefined) return {};
  const file = join(userDataDir, "User/settings.json");
  return existsSync(file) ? (JSON.parse(await readFile(file, "utf8")) as Record<string, unknown>) : {};
}

function optional<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { [P in K]?: V });
}
