/** The VS Code that suites and the demo run in: a desktop build where there is one, else the npm-shipped server. */
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { desktopBuild } from "./desktopBuild.mts";
import { pinnedNode, projectRoot } from "./project.mts";
import { runFolder } from "./runFolder.mts";
import { serverBuild } from "./serverBuild.mts";

export type VscodeHost =
  | { readonly kind: "desktop"; readonly executablePath: string }
  /** `executablePath` takes a desktop's arguments (see launcher.mts); `serverFolder` holds the server itself. */
  | { readonly kind: "server"; readonly executablePath: string; readonly serverFolder: string };

/** Finds or makes the host; each step that takes time is told through `say`. */
export async function vscodeHost(say: (message: string) => void = console.log): Promise<VscodeHost> {
  const desktop = await desktopBuild(say);
  if (desktop !== undefined) return { kind: "desktop", executablePath: desktop };
  if (process.platform === "win32") {
    throw new Error(
      "On Windows a desktop VS Code is needed: install it, or name its Code.exe in CONTEXT_CAPSULE_VSCODE, and try again.",
    );
  }
  const serverFolder = await serverBuild(say);
  return { kind: "server", serverFolder, executablePath: await launcherExecutable() };
}

/** `runTests` spawns one file without arguments of ours in front, hence a script that names Node and the launcher. */
async function launcherExecutable(): Promise<string> {
  const path = join(await runFolder("launcher"), "vscode");
  const quoted = [pinnedNode, join(projectRoot, "test/host/launcher.mts")].map(
    (part) => `'${part.replaceAll("'", "'\\''")}'`,
  );
  await writeFile(path, `#!/bin/sh\nexec ${quoted.join(" ")} "$@"\n`);
  await chmod(path, 0o755);
  return path;
}
