import { spawn } from "node:child_process";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

export interface CheckStep {
  readonly name: string;
  /** Program in node_modules/.bin, or `node`. */
  readonly command: string;
  readonly args: readonly string[];
}

const toolRoot = resolve(import.meta.dirname, "../..");

/** All of `npm run check`; every step runs with the checked project's root as its working folder. */
export const checkSteps: readonly CheckStep[] = [
  { name: "types", command: "tsc", args: ["-b"] },
  { name: "format and lint", command: "biome", args: ["check", "--error-on-warnings", "--colors=off"] },
  { name: "promises, purity", command: "oxlint", args: ["--type-aware", "--deny-warnings"] },
  { name: "walls", command: "node", args: [resolve(toolRoot, "test/tools/walls.ts")] },
];

export interface StepResult {
  readonly code: number;
  readonly output: string;
  readonly durationMs: number;
}

export function runStep({ command, args }: CheckStep, root: string): Promise<StepResult> {
  const startedMs = performance.now();
  const program = command === "node" ? process.execPath : resolve(toolRoot, "node_modules", ".bin", command);
  return new Promise((settle, fail) => {
    const child = spawn(program, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
    const chunks: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.on("error", fail);
    child.on("close", (code) => {
      settle({
        code: code ?? 1,
        output: Buffer.concat(chunks).toString("utf8"),
        durationMs: performance.now() - startedMs,
      });
    });
  });
}

/** Runs every step, prints a line for each and the output of those that failed; returns the number that failed. */
export async function runChecks(root: string): Promise<number> {
  let failed = 0;
  await Promise.all(
    checkSteps.map(async (step) => {
      const { code, output, durationMs } = await runStep(step, root);
      if (code !== 0) {
        failed += 1;
        console.error(output.trimEnd());
      }
      console.log(`${code === 0 ? "ok    " : "FAILED"} ${step.name} (${(durationMs / 1000).toFixed(1)} s)`);
    }),
  );
  return failed;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  process.exitCode = (await runChecks(process.cwd())) === 0 ? 0 : 1;
}
