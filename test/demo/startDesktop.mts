import { spawn } from "node:child_process";
import { join } from "node:path";
import { onEnd } from "../host/endings.mts";
import { demoModelFolder, projectRoot } from "../host/project.mts";
import { demoFolder } from "./demoWorkspace.mts";

/** A desktop VS Code with settings and extensions of its own; ends when its window is closed. */
export function startDesktop(executablePath: string, workspace: string): { ended: Promise<number> } {
  const child = spawn(
    executablePath,
    [
      workspace,
      `--extensionDevelopmentPath=${projectRoot}`,
      `--extensionDevelopmentPath=${demoModelFolder}`,
      `--user-data-dir=${join(demoFolder, "desktop/user-data")}`,
      `--extensions-dir=${join(demoFolder, "desktop/extensions")}`,
      "--disable-workspace-trust",
      "--skip-welcome",
      "--disable-updates",
      "--wait",
    ],
    { stdio: ["ignore", "ignore", "inherit"] },
  );
  onEnd(() => void child.kill("SIGTERM"));
  console.log(`Context Capsule demo: a VS Code window (${executablePath})`);
  const ended = new Promise<number>((done) => {
    child.once("error", (error) => {
      console.error(`${executablePath} could not be started: ${error.message}`);
      done(1);
    });
    child.once("exit", (code) => done(code ?? 1));
  });
  return { ended };
}
