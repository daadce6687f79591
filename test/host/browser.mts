/** A Chromium-like browser for the tests and the demo: an installed one, or Debian's where we may install it. */
import { constants } from "node:fs";
import { access, readFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { withLockFile } from "./lockFile.mjs";
import { cacheFolder } from "./project.mts";
import { runCommand } from "./runCommand.mts";

/** Names the executable to use, before anything else is looked for. */
export const BROWSER_VARIABLE = "CONTEXT_CAPSULE_BROWSER";

const NAMES_ON_PATH = [
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
  "microsoft-edge",
  "microsoft-edge-stable",
  "chrome",
];

const PLACES: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: [
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
  ],
  win32: ["PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA"].flatMap((variable) => {
    const base = process.env[variable];
    if (base === undefined) return [];
    return [
      join(base, "Google/Chrome/Application/chrome.exe"),
      join(base, "Microsoft/Edge/Application/msedge.exe"),
    ];
  }),
};

/** Path of an installed browser, or undefined. */
export async function findBrowser(): Promise<string | undefined> {
  const named = process.env[BROWSER_VARIABLE];
  if (named !== undefined && named !== "") {
    if (await isExecutable(named)) return named;
    throw new Error(
      `${BROWSER_VARIABLE} names ${named}, which is not an executable file. Correct it or unset it.`,
    );
  }
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  const onPath = NAMES_ON_PATH.flatMap((name) => folders.map((folder) => join(folder, name)));
  for (const candidate of [...onPath, ...(PLACES[process.platform] ?? [])]) {
    if (await isExecutable(candidate)) return candidate;
  }
  return undefined;
}

/** Like `findBrowser`, but installs Debian's Chromium when nothing is found and we may (root, apt-get); else says what to do. */
export async function browser(say: (message: string) => void = console.log): Promise<string> {
  const found = await findBrowser();
  if (found !== undefined) return found;
  const why = await cannotInstallBecause();
  if (why === undefined) {
    await withLockFile(join(cacheFolder, "browser.lock"), async () => installChromium(say), say);
    const installed = await findBrowser();
    if (installed !== undefined) return installed;
  }
  throw new Error(
    `No Chromium, Chrome or Edge was found${why === undefined ? "" : ` and none can be installed here (${why})`}. ` +
      `Install one (Debian: \`apt-get install chromium\`) or name its executable in ${BROWSER_VARIABLE}.`,
  );
}

async function installChromium(say: (message: string) => void): Promise<void> {
  if ((await findBrowser()) !== undefined) return;
  say("No browser found: installing Chromium with apt-get …");
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  for (const args of [
    ["update", "-q"],
    ["install", "-y", "-q", "--no-install-recommends", "chromium"],
  ]) {
    const { code, output } = await runCommand("apt-get", args, { env });
    if (code !== 0)
      throw new Error(`\`apt-get ${args.join(" ")}\` ended with ${code}.\n${output.slice(-2_000)}`);
  }
}

async function cannotInstallBecause(): Promise<string | undefined> {
  if (process.platform !== "linux") return "only done on Debian";
  if (process.getuid?.() !== 0) return "not root";
  const release = await readFile("/etc/os-release", "utf8").catch(() => "");
  if (!/^ID(_LIKE)?=.*debian/m.test(release) || /^ID=ubuntu/m.test(release)) return "not Debian";
  return undefined;
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
