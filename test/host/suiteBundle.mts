/** Bundles the suite for the extension host, which can run neither TypeScript nor our imports by itself. */
import { join } from "node:path";
import { build } from "esbuild";
import { projectRoot } from "./project.mts";
import { runFolder } from "./runFolder.mts";

export interface SuiteBundle {
  /** For `extensionTestsPath`. */
  readonly runner: string;
  readonly files: readonly string[];
}

const RUNNER = "test/suite/run.ts";

/** `testFiles` are relative to the project root. The bundles lie inside it, so that `require("mocha")` finds its module. */
export async function bundleSuite(testFiles: readonly string[]): Promise<SuiteBundle> {
  const outdir = await runFolder("suite-bundle");
  await build({
    absWorkingDir: projectRoot,
    entryPoints: [RUNNER, ...testFiles],
    outdir,
    outbase: "test/suite",
    outExtension: { ".js": ".cjs" },
    bundle: true,
    format: "cjs",
    platform: "node",
    target: "node22",
    sourcemap: "inline",
    packages: "external",
    external: ["vscode"],
    logLevel: "warning",
  });
  const bundleOf = (file: string): string =>
    join(outdir, file.slice("test/suite/".length).replace(/\.ts$/, ".cjs"));
  return { runner: bundleOf(RUNNER), files: testFiles.map(bundleOf) };
}
