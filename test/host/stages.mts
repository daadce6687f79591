/** The stages of `npm test`, each of which ends in numbers. */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { browser } from "./browser.mts";
import { ensureBuilt, ensurePackaged } from "./builtProduct.mts";
import { onEnd } from "./endings.mts";
import { pinnedNode, projectRoot } from "./project.mts";
import { runFolder } from "./runFolder.mts";
import { serverBuild } from "./serverBuild.mts";
import { runSuite } from "./suiteStage.mts";
import { vscodeHost } from "./vscodeHost.mts";

export const STAGE_NAMES = ["check", "unit", "suite", "ui"] as const;
export type StageName = (typeof STAGE_NAMES)[number];

export interface StageReport {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly failures: readonly string[];
}

export interface StageOptions {
  /** Test files, relative to the project root; never empty for a stage of tests. */
  readonly testFiles: readonly string[];
  readonly grep?: string;
}

const STAGE_LIMIT_MS = 10 * 60_000;
const UNIT_TEST_LIMIT_MS = 20_000;
const UI_TEST_LIMIT_MS = 120_000;

type Stage = (options: StageOptions) => Promise<StageReport>;

const STAGES: Readonly<Record<StageName, Stage>> = {
  check: async () => {
    const code = await runToEnd("npm", ["run", "--silent", "check"]);
    return code === 0 ? report({ passed: 1 }) : report({ failed: 1, failures: ["npm run check"] });
  },
  unit: async (options) => {
    await ensureBuilt();
    return runMocha(options, ["--timeout", String(UNIT_TEST_LIMIT_MS)]);
  },
  suite: async ({ testFiles, grep }) => {
    await ensureBuilt();
    if ((await vscodeHost()).kind === "server") await browser();
    return withReport((reportFile) =>
      runSuite({ testFiles, reportFile, ...(grep === undefined ? {} : { grep }) }),
    );
  },
  ui: async (options) => {
    await ensurePackaged();
    await ensureBuilt();
    await serverBuild();
    await browser();
    return runMocha(options, [
      "--timeout",
      String(UI_TEST_LIMIT_MS),
      "--require",
      join(projectRoot, "test/ui/failureScreenshots.mts"),
    ]);
  },
};

/** Runs one stage; a stage that cannot be set up, dies or runs nothing is a failure with its reason. */
export async function runStage(name: StageName, options: StageOptions): Promise<StageReport> {
  try {
    return await STAGES[name](options);
  } catch (error) {
    console.error((error as Error).message);
    return report({ failed: 1, failures: [`${name}: ${(error as Error).message.split("\n")[0]}`] });
  }
}

function report(part: Partial<StageReport>): StageReport {
  return { passed: 0, failed: 0, skipped: 0, failures: [], ...part };
}

function runMocha({ testFiles, grep }: StageOptions, extra: readonly string[]): Promise<StageReport> {
  return withReport((reportFile) =>
    runToEnd(
      pinnedNode,
      [
        join(projectRoot, "node_modules/mocha/bin/mocha.js"),
        "--import=tsx",
        "--forbid-only",
        "--reporter",
        join(projectRoot, "test/host/stageReporter.cjs"),
        ...extra,
        ...(grep === undefined ? [] : ["--grep", grep]),
        ...testFiles,
      ],
      { CONTEXT_CAPSULE_REPORT: reportFile },
    ),
  );
}

async function withReport(run: (reportFile: string) => Promise<number>): Promise<StageReport> {
  const file = join(await runFolder("report"), "report.json");
  const code = await run(file);
  if (!existsSync(file))
    return report({ failed: 1, failures: [`the run ended with ${code} before mocha could report`] });
  const written = JSON.parse(await readFile(file, "utf8")) as StageReport;
  if (code !== 0 && written.failed === 0) {
    return { ...written, failed: 1, failures: [`the run ended with ${code} although no test failed`] };
  }
  return written;
}

function runToEnd(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<number> {
  return new Promise((done) => {
    const child = spawn(command, args, {
      cwd: projectRoot,
      env: { ...process.env, ...env },
      stdio: ["ignore", "inherit", "inherit"],
      shell: process.platform === "win32" && command === "npm",
    });
    const forget = onEnd(() => void child.kill("SIGTERM"));
    const limit = setTimeout(() => {
      console.error(`Still running after ${STAGE_LIMIT_MS / 60_000} minutes; ended.`);
      child.kill("SIGKILL");
    }, STAGE_LIMIT_MS);
    const finish = (code: number): void => {
      clearTimeout(limit);
      forget();
      done(code);
    };
    child.on("error", (error) => {
      console.error(`${command} could not be started: ${error.message}`);
      finish(127);
    });
    child.on("exit", (code) => finish(code ?? 1));
  });
}
