/** Runs the suite inside the real host. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runTests } from "@vscode/test-electron";
import { demoModelFolder, projectRoot } from "./project.mts";
import { runFolder } from "./runFolder.mts";
import { bundleSuite } from "./suiteBundle.mts";
import { vscodeHost } from "./vscodeHost.mts";

export interface SuiteOptions {
  /** Relative to the project root. */
  readonly testFiles: readonly string[];
  readonly grep?: string;
  /** Where the reporter writes its numbers. */
  readonly reportFile: string;
}

/** Resolves with the exit code of the host. The suite gets an empty folder of its own as workspace. */
export async function runSuite(options: SuiteOptions): Promise<number> {
  const host = await vscodeHost();
  const { runner, files } = await bundleSuite(options.testFiles);
  const userDataDir = await runFolder("user");
  await mkdir(join(userDataDir, "User"), { recursive: true });
  await writeFile(
    join(userDataDir, "User/settings.json"),
    JSON.stringify({ "contextCapsuleDemo.behaviourModels": true, "workbench.startupEditor": "none" }),
  );
  const workspace = await runFolder("workspace");
  try {
    return await runTests({
      vscodeExecutablePath: host.executablePath,
      extensionDevelopmentPath: [projectRoot, demoModelFolder],
      extensionTestsPath: runner,
      extensionTestsEnv: {
        CONTEXT_CAPSULE_ROOT: projectRoot,
        CONTEXT_CAPSULE_SUITE_FILES: files.join("\n"),
        CONTEXT_CAPSULE_REPORT: options.reportFile,
        ...(options.grep === undefined ? {} : { CONTEXT_CAPSULE_GREP: options.grep }),
      },
      launchArgs: [
        workspace,
        `--user-data-dir=${userDataDir}`,
        `--extensions-dir=${join(userDataDir, "extensions")}`,
        "--disable-workspace-trust",
        "--disable-telemetry",
      ],
    });
  } catch (error) {
    console.error((error as Error).message);
    return 1;
  }
}
