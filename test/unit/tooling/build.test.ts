import { deepEqual, doesNotMatch, equal } from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createContext, runInContext } from "node:vm";
import * as esbuild from "esbuild";
import { buildAll } from "../../../esbuild.mjs";
import {
  bareCompaction,
  bareCompactionResult,
  bareResult,
  bareScript,
  publicConstants,
  publicFunctions,
  publicTypes,
} from "./compactionLibrary.ts";
import { projectRoot } from "./plantedProject.ts";

const run = promisify(execFile);

describe("the compaction library, as built", function () {
  this.timeout(60_000);
  /** A project that has the package among its node_modules. */
  let consumer: string;
  let dist: string;

  before(async () => {
    consumer = mkdtempSync(join(tmpdir(), "context-capsule-consumer-"));
    const installed = join(consumer, "node_modules", "context-capsule");
    dist = join(installed, "dist");
    mkdirSync(installed, { recursive: true });
    cpSync(join(projectRoot, "package.json"), join(installed, "package.json"));
    await buildAll({ outdir: dist, minify: true });
  });
  after(() => rmSync(consumer, { recursive: true }));

  it("imports nothing at all", async () => {
    const { metafile } = await esbuild.build({
      entryPoints: [join(dist, "compaction.mjs")],
      bundle: true,
      format: "esm",
      external: ["*"],
      metafile: true,
      write: false,
    });
    deepEqual(
      Object.values(metafile.inputs).flatMap(({ imports }) => imports.map(({ path }) => path)),
      [],
    );
    doesNotMatch(readFileSync(join(dist, "compaction.mjs"), "utf8"), /\brequire\(|["']node:/);
  });

  it("runs where there is no clock, no randomness, no eval and no host", async () => {
    const { code } = await esbuild.transform(readFileSync(join(dist, "compaction.mjs"), "utf8"), {
      format: "iife",
      globalName: "compaction",
    });
    const bare = createContext(Object.create(null), {
      codeGeneration: { strings: false, wasm: false },
    });
    runInContext("delete globalThis.Date; delete globalThis.Intl; delete Math.random;", bare);
    equal(runInContext("typeof TextEncoder + typeof setTimeout + typeof Date", bare), "undefined".repeat(3));
    runInContext(code, bare);
    deepEqual(JSON.parse(runInContext(bareScript, bare)), bareResult);
    deepEqual(JSON.parse(await runInContext(bareCompaction, bare)), bareCompactionResult);
  });

  it("resolves by its public name and exports the contract's names", async () => {
    writeFileSync(
      join(consumer, "names.mjs"),
      `import * as compaction from "context-capsule/compaction";
console.log(JSON.stringify(Object.entries(compaction).map(([name, value]) => [name, typeof value === "function" ? "function" : value])));`,
    );
    const { stdout } = await run(process.execPath, ["names.mjs"], { cwd: consumer });
    const exported = new Map<string, unknown>(JSON.parse(stdout));
    deepEqual(
      publicFunctions.filter((name) => exported.get(name) !== "function"),
      [],
    );
    deepEqual(
      Object.fromEntries(Object.keys(publicConstants).map((name) => [name, exported.get(name)])),
      publicConstants,
    );
  });

  it("keeps its inside to itself", async () => {
    for (const inside of ["context-capsule/dist/compaction.mjs", "context-capsule/src/core/index.ts"]) {
      writeFileSync(
        join(consumer, "inside.mjs"),
        `await import(${JSON.stringify(inside)}).then(() => console.log("open"), ({ code }) => console.log(code));`,
      );
      const { stdout } = await run(process.execPath, ["inside.mjs"], { cwd: consumer });
      equal(stdout.trim(), "ERR_PACKAGE_PATH_NOT_EXPORTED");
    }
  });

  it("has types that need no package, no Node and no DOM, and compile in a strict project", async () => {
    const types = readFileSync(join(dist, "compaction.d.ts"), "utf8");
    doesNotMatch(types, /^\s*(?:import|\/\/\/ *<reference)|\bimport\(|\bexport \* from/m);

    writeFileSync(join(consumer, "package.json"), '{ "type": "module" }');
    writeFileSync(
      join(consumer, "use.ts"),
      `import type { ${publicTypes.join(", ")} } from "context-capsule/compaction";
import { ${[...publicFunctions, ...Object.keys(publicConstants)].join(", ")}, defaultPolicy } from "context-capsule/compaction";

export type All = [${publicTypes.join(", ")}];
export const all = [${publicFunctions.join(", ")}];
export const schema: "${publicConstants.CONTEXT_SUMMARY_SCHEMA}" = CONTEXT_SUMMARY_SCHEMA;
export const window: number =
  DEFAULT_CONTEXT_WINDOW + DEFAULT_KEEP_RECENT_TOKENS + DEFAULT_KEEP_RECENT_TURNS + DEFAULT_MIN_REMAINING;
const message: Message = { id: "m1", role: "user", content: [{ type: "text", text: "never push" }] };
export const tokens: number = estimateTokens(message);
export const cut: number = cutForPolicy([message], defaultPolicy);
// @ts-expect-error a role that does not exist
export const wrong: Message = { id: "m1", role: "person", content: [] };
`,
    );
    writeFileSync(
      join(consumer, "tsconfig.json"),
      JSON.stringify({
        compilerOptions: {
          strict: true,
          exactOptionalPropertyTypes: true,
          noUncheckedIndexedAccess: true,
          skipLibCheck: false,
          module: "nodenext",
          moduleResolution: "nodenext",
          target: "es2023",
          lib: ["es2023"],
          types: [],
          noEmit: true,
        },
        files: ["use.ts"],
      }),
    );
    const compiler = join(projectRoot, "node_modules", "typescript", "bin", "tsc");
    const { stdout } = await run(process.execPath, [compiler, "-p", consumer]).catch(
      (error: { stdout: string }) => error,
    );
    equal(stdout, "");
  });
});
