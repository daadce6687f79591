/** Runs measures inside the real extension host: activation, and the others again where VS Code works beside them. */
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runTests } from "@vscode/test-electron";
import { build } from "esbuild";
import { buildAll } from "../../esbuild.mjs";
import { demoModelFolder, projectRoot } from "../host/project.mts";
import { runFolder } from "../host/runFolder.mts";
import { vscodeHost } from "../host/vscodeHost.mts";
import type { HostReport, HostTask } from "./hostTask.mts";
import { ACTIVATION_TIMES, TASK_VARIABLE } from "./hostTask.mts";
import type { Row } from "./table.mts";
import { duration } from "./table.mts";
import { median } from "./timing.mts";

const MOST_BYTES = 150_000;
const BYTES_PER_KB = 1_000;
/** Beside the code a user's package holds. */
const OTHER_FILES = ["package.json", "package.nls.json", "media"];

export interface HostMeasures {
  readonly activation: readonly Row[];
  readonly rows: readonly Row[];
}

/** `starts`: how often the host is started for the activation; the rest is measured in the last one. */
export async function measureInHost(
  task: Omit<HostTask, "productFolder" | "reportFile">,
  starts: number,
): Promise<HostMeasures> {
  const folders = await makeExtensions();
  const runner = await bundleRunner();
  const reports: HostReport[] = [];
  for (let start = 1; start <= starts; start += 1) {
    const isLast = start === starts;
    const placePath = isLast ? task.placePath : undefined;
    reports.push(await runOnce({ folders, runner, task: { ...task, placePath } }));
  }
  return { activation: activationRows(reports), rows: reports.at(-1)?.rows ?? [] };
}

interface Folders {
  readonly product: string;
  readonly empty: string;
}

/** The product as users get it, and an extension that does nothing, each behind an entry that takes its time. */
async function makeExtensions(): Promise<Folders> {
  const product = await runFolder("bench-product");
  await buildAll({ outdir: join(product, "dist"), minify: true });
  for (const file of OTHER_FILES) await cp(join(projectRoot, file), join(product, file), { recursive: true });
  const manifest = JSON.parse(await readFile(join(product, "package.json"), "utf8")) as object;
  await writeFile(
    join(product, "package.json"),
    JSON.stringify({ ...manifest, main: "./entry.js", type: "commonjs" }),
  );
  await writeFile(join(product, "entry.js"), timedEntry("./dist/extension.js", ACTIVATION_TIMES[0]));

  const empty = await runFolder("bench-empty");
  const emptyManifest = {
    name: "empty",
    publisher: "context-capsule-dev",
    version: "0.0.1",
    engines: { vscode: "^1.106.0" },
    main: "./entry.js",
    activationEvents: ["onStartupFinished"],
  };
  await writeFile(join(empty, "package.json"), JSON.stringify(emptyManifest));
  await writeFile(join(empty, "extension.js"), "exports.activate = () => {};\n");
  await writeFile(join(empty, "entry.js"), timedEntry("./extension.js", ACTIVATION_TIMES[1]));
  return { product, empty };
}

function timedEntry(main: string, name: string): string {
  return `const startedAt = performance.now();
const extension = require(${JSON.stringify(main)});
const loadMs = performance.now() - startedAt;
exports.activate = async (context) => {
  const calledAt = performance.now();
  const api = await extension.activate(context);
  globalThis[${JSON.stringify(name)}] = { loadMs, activateMs: performance.now() - calledAt };
  return api;
};
exports.deactivate = () => extension.deactivate?.();
`;
}

async function bundleRunner(): Promise<string> {
  const outfile = join(await runFolder("bench-runner"), "insideHost.cjs");
  await build({
    absWorkingDir: projectRoot,
    entryPoints: ["test/bench/insideHost.mts"],
    outfile,
    bundle: true,
    format: "cjs",
    platform: "node",
    target: "node22",
    external: ["vscode"],
    logLevel: "warning",
  });
  return outfile;
}

async function runOnce({
  folders,
  runner,
  task,
}: {
  folders: Folders;
  runner: string;
  task: Omit<HostTask, "productFolder" | "reportFile">;
}): Promise<HostReport> {
  const host = await vscodeHost();
  const userDataDir = await runFolder("bench-user");
  await mkdir(join(userDataDir, "User"), { recursive: true });
  await writeFile(
    join(userDataDir, "User/settings.json"),
    JSON.stringify({ "workbench.startupEditor": "none" }),
  );
  const taskFile = join(userDataDir, "task.json");
  const reportFile = join(userDataDir, "report.json");
  const whole: HostTask = { ...task, productFolder: folders.product, reportFile };
  await writeFile(taskFile, JSON.stringify(whole));
  await runTests({
    vscodeExecutablePath: host.executablePath,
    extensionDevelopmentPath: [folders.product, folders.empty, demoModelFolder],
    extensionTestsPath: runner,
    extensionTestsEnv: { [TASK_VARIABLE]: taskFile },
    launchArgs: [
      await runFolder("bench-workspace"),
      `--user-data-dir=${userDataDir}`,
      `--extensions-dir=${join(userDataDir, "extensions")}`,
      "--disable-workspace-trust",
      "--disable-telemetry",
    ],
  });
  return JSON.parse(await readFile(reportFile, "utf8")) as HostReport;
}

function activationRows(reports: readonly HostReport[]): Row[] {
  const bytes = median(reports.map(({ activation }) => activation.bytes));
  const files = median(reports.map(({ activation }) => activation.files));
  const of = (who: "product" | "empty", what: "loadMs" | "activateMs"): number =>
    median(reports.map(({ activation }) => activation[who]?.[what] ?? Number.NaN));
  const row = (measure: string, what: "loadMs" | "activateMs"): Row => ({
    measure,
    value: duration(of("product", what)),
    reference: `${duration(of("empty", what))} an empty extension`,
    ratio: "",
    goal: "",
    met: undefined,
  });
  return [
    {
      measure: `bytes of ${files} files read before first use`,
      value: `${(bytes / BYTES_PER_KB).toFixed(1)} kB`,
      reference: "minified, as users get it",
      ratio: "",
      goal: `<= ${MOST_BYTES / BYTES_PER_KB} kB`,
      met: bytes <= MOST_BYTES,
    },
    row("loading the code at activation", "loadMs"),
    row("activate()", "activateMs"),
  ];
}
