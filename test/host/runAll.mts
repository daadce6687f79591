/**
 * `npm test`: everything, or what is named.
 *
 *     npm test                              all stages: check, unit, suite, ui
 *     npm test -- unit                      one stage (or several)
 *     npm test -- test/ui/smoke.test.ts     one file, in the stage its folder names
 *     npm test -- suite --grep "the host"   only the tests whose full title contains the text
 *
 * The last line is `N passed, N failed` over all of it, with `, N skipped` when some were.
 */
import { glob } from "node:fs/promises";
import { isAbsolute, relative } from "node:path";
import { end, endCleanly } from "./endings.mts";
import { projectRoot } from "./project.mts";
import type { StageName, StageReport } from "./stages.mts";
import { runStage, STAGE_NAMES } from "./stages.mts";

interface Selection {
  readonly stages: ReadonlySet<StageName>;
  readonly files: readonly string[];
  readonly grep?: string;
}

endCleanly();
// With CI set mocha would colour its output even into a file.
if (!process.stdout.isTTY) process.env["NO_COLOR"] ??= "1";
await end(await main(process.argv.slice(2)));

async function main(args: readonly string[]): Promise<number> {
  const selection = select(args);
  if (typeof selection === "string") {
    console.error(selection);
    return 2;
  }
  const reports: StageReport[] = [];
  for (const stage of selection.stages) {
    console.log(`\n== ${stage} ==`);
    reports.push(await reportOf(stage, selection));
  }
  const sum = (field: "passed" | "failed" | "skipped"): number =>
    reports.reduce((total, report) => total + report[field], 0);
  const [passed, failed, skipped] = [sum("passed"), sum("failed"), sum("skipped")];
  for (const failure of reports.flatMap((report) => report.failures)) console.log(`failed: ${failure}`);
  if (passed + failed === 0) console.log("Nothing was run: no test has such a title.");
  console.log(`${passed} passed, ${failed} failed${skipped === 0 ? "" : `, ${skipped} skipped`}`);
  return failed === 0 && passed > 0 ? 0 : 1;
}

function select(args: readonly string[]): Selection | string {
  const stages = new Set<StageName>();
  const files: string[] = [];
  let grep: string | undefined;
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] as string;
    if (arg === "--grep") grep = args[++index];
    else if (arg.startsWith("--grep=")) grep = arg.slice("--grep=".length);
    else if (isStageName(arg)) stages.add(arg);
    else {
      const file = (isAbsolute(arg) ? relative(projectRoot, arg) : arg).replaceAll("\\", "/");
      const stage = file.split("/")[1];
      if (!file.startsWith("test/") || stage === undefined || !isStageName(stage) || stage === "check") {
        return `"${arg}" is neither a stage (${STAGE_NAMES.join(", ")}) nor a test file below test/unit, test/suite or test/ui.`;
      }
      files.push(file);
      stages.add(stage);
    }
  }
  const chosen = stages.size > 0 ? STAGE_NAMES.filter((name) => stages.has(name)) : STAGE_NAMES;
  return { stages: new Set(chosen), files, ...(grep === undefined ? {} : { grep }) };
}

function isStageName(text: string): text is StageName {
  return (STAGE_NAMES as readonly string[]).includes(text);
}

async function reportOf(stage: StageName, { files, grep }: Selection): Promise<StageReport> {
  const named = files.filter((file) => file.startsWith(`test/${stage}/`));
  const testFiles = named.length > 0 ? named : await allFiles(stage);
  const nothing = { passed: 0, failed: 1, skipped: 0, failures: [`${stage}: the stage ran nothing`] };
  if (stage !== "check" && testFiles.length === 0) return nothing;
  const report = await runStage(stage, { testFiles, ...(grep === undefined ? {} : { grep }) });
  // With --grep a stage may well hold no match; over all stages at least one test must have run.
  return grep === undefined && report.passed + report.failed === 0 ? nothing : report;
}

async function allFiles(stage: StageName): Promise<string[]> {
  const files: string[] = [];
  for await (const file of glob(`test/${stage}/**/*.test.ts`, { cwd: projectRoot })) files.push(file);
  return files.map((file) => file.replaceAll("\\", "/")).sort();
}
