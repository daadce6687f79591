/** A desktop VS Code, where one can run at all: named, installed, or downloaded. */
import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { join } from "node:path";
import { downloadAndUnzipVSCode, SilentReporter } from "@vscode/test-electron";
import { cacheFolder } from "./project.mts";

/** Path of a desktop executable (the program, not the `code` script), before anything else is looked for. */
export const DESKTOP_VARIABLE = "CONTEXT_CAPSULE_VSCODE";
/** Set for our child processes once a download failed, so that one run tries only once. */
const NO_DESKTOP_VARIABLE = "CONTEXT_CAPSULE_NO_DESKTOP";

const DOWNLOAD_IDLE_LIMIT_MS = 5_000;

const PLACES: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  linux: ["/usr/share/code/code", "/opt/visual-studio-code/code"],
  darwin: [
    "/Applications/Visual Studio Code.app/Contents/MacOS/Code",
    "/Applications/Visual Studio Code.app/Contents/MacOS/Electron",
  ],
  win32: ["LOCALAPPDATA", "PROGRAMFILES"].flatMap((variable) => {
    const base = process.env[variable];
    if (base === undefined) return [];
    return [join(base, variable === "LOCALAPPDATA" ? "Programs" : "", "Microsoft VS Code/Code.exe")];
  }),
};

/** The executable, or undefined with the reason told once through `say`. Throws only when the variable names nothing that runs. */
export async function desktopBuild(say: (message: string) => void): Promise<string | undefined> {
  const named = process.env[DESKTOP_VARIABLE];
  if (named !== undefined && named !== "") {
    if (await isExecutable(named)) return named;
    throw new Error(
      `${DESKTOP_VARIABLE} names ${named}, which is not an executable file. Correct it or unset it.`,
    );
  }
  if (process.env[NO_DESKTOP_VARIABLE] !== undefined) return undefined;
  if (process.platform === "linux" && !hasDisplay()) {
    return without("a desktop VS Code needs a display, and there is none", say);
  }
  for (const place of PLACES[process.platform] ?? []) if (await isExecutable(place)) return place;
  try {
    return await downloadAndUnzipVSCode({
      cachePath: join(cacheFolder, "vscode-desktop"),
      timeout: DOWNLOAD_IDLE_LIMIT_MS,
      reporter: new SilentReporter(),
    });
  } catch (error) {
    return without(`a desktop VS Code could not be downloaded: ${(error as Error).message}`, say);
  }
}

/** Whether windows can be shown; always true where the system has a window server of its own. */
export function hasDisplay(): boolean {
  if (process.platform !== "linux") return true;
  return Boolean(process.env["DISPLAY"]) || Boolean(process.env["WAYLAND_DISPLAY"]);
}

function without(reason: string, say: (message: string) => void): undefined {
  process.env[NO_DESKTOP_VARIABLE] = "1";
  say(`Using the npm-shipped VS Code (${reason}).`);
  return undefined;
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
