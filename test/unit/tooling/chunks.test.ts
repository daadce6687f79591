import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { BuiltFile } from "../../../esbuild.mjs";
import { buildAll } from "../../../esbuild.mjs";
import type { PlantedProject } from "./plantedProject.ts";
import { plantProject } from "./plantedProject.ts";

const run = promisify(execFile);

const core = 'export { digest } from "./digest.ts";\nexport type { Word } from "./word.ts";\n';

/** An extension with two parts loaded on first use that share a class, and a worker. */
const lazyExtension = {
  "src/core/index.ts": core,
  "src/engine/fault.ts":
    'export class Fault extends Error {}\nexport const fault = (): Fault => new Fault("shared");\n',
  "src/engine/makesFaults.ts": 'export { fault } from "./fault.ts";\n',
  "src/engine/knowsFaults.ts":
    'import { Fault } from "./fault.ts";\nexport const isFault = (value: unknown): boolean => value instanceof Fault;\n',
  "src/engine/heavy.ts": 'import { fc } from "./heavyPackage.ts";\nexport const heavy = typeof fc.integer;\n',
  "src/engine/heavyPackage.ts": 'import * as fc from "fast-check";\nexport { fc };\n',
  "src/engine/count.worker.ts": 'import { fault } from "./fault.ts";\nconsole.log(fault().message);\n',
  "src/extension.ts": `import { version } from "vscode";

export const activate = (): string => version;
export const maker = () => import("./engine/makesFaults.ts");
export const judge = () => import("./engine/knowsFaults.ts");
export const heavy = () => import("./engine/heavy.ts");
`,
};

/** Runs in a plain Node, as the host would: says what is in memory after each step. */
const driver = `
const { basename } = require("node:path");
const loaded = () => Object.keys(require.cache).map((path) => basename(path)).filter((name) => name !== "drive.js");
(async () => {
  const extension = require("./extension.js");
  const said = extension.activate();
  const atStart = loaded();
  const { fault } = await extension.maker();
  const { isFault } = await extension.judge();
  const shared = isFault(fault());
  const beforeHeavy = loaded();
  const { heavy } = await extension.heavy();
  console.log(JSON.stringify({ said, atStart, shared, beforeHeavy, heavy, after: loaded() }));
})();
`;

interface Driven {
  readonly said: string;
  readonly atStart: readonly string[];
  readonly shared: boolean;
  readonly beforeHeavy: readonly string[];
  readonly heavy: string;
  readonly after: readonly string[];
}

for (const minify of [false, true]) {
  describe(`chunks of the extension, ${minify ? "minified" : "for development"}`, function () {
    this.timeout(60_000);
    let project: PlantedProject;
    let outdir: string;
    let built: BuiltFile[];
    before(async () => {
      project = plantProject(lazyExtension);
      outdir = join(project.root, "dist");
      const vscode = join(outdir, "node_modules", "vscode");
      mkdirSync(vscode, { recursive: true });
      writeFileSync(join(vscode, "index.js"), 'exports.version = "from the host";\n');
      for (const old of ["chunk-OLD.js", "chunk-OLD.js.map", "chunk-RECENT.js"]) {
        writeFileSync(join(outdir, old), "");
        if (!old.includes("RECENT")) utimesSync(join(outdir, old), 0, 0);
      }
      built = await buildAll({ root: project.root, outdir, minify });
    });
    after(() => project.remove());

    it("load on first use, share classes, and leave `vscode` to the host", async () => {
      const drive = join(outdir, "node_modules", "drive.js");
      writeFileSync(drive, driver.replaceAll('"./', '"../'));
      const { stdout } = await run(process.execPath, [drive]);
      const driven: Driven = JSON.parse(stdout);
      const isHeavy = (name: string): boolean => name.startsWith("heavy-");
      equal(driven.said, "from the host");
      deepEqual(
        driven.atStart.filter((name) => name !== "index.js").sort(),
        built.flatMap(({ name, atStart }) => (atStart ? [name] : [])).sort(),
      );
      equal(driven.shared, true);
      ok(!driven.beforeHeavy.some(isHeavy));
      equal(driven.heavy, "function");
      ok(driven.after.some(isHeavy));
    });

    it("keep what is heavy out of what is read at activation", () => {
      const start = built.filter(({ atStart }) => atStart).reduce((sum, { bytes }) => sum + bytes, 0);
      const heavy = built.find(({ name }) => name.startsWith("heavy-"));
      ok(heavy !== undefined && heavy.bytes > 50_000);
      ok(start < 10_000, `${start} bytes at activation`);
    });

    it("make a file of its own for a worker", () => {
      ok(built.some(({ name }) => name === "count.worker.js"));
    });

    it(`leave nothing of an older build${minify ? "" : ", but what an open window may still read"}`, () => {
      const names = built.map(({ name }) => name);
      const maps = names.filter((name) => /\.m?js$/.test(name)).map((name) => `${name}.map`);
      const development = minify ? [] : [...maps, "chunk-RECENT.js"];
      const expected = [...names, ...development, "node_modules", "third-party-notices.txt"];
      deepEqual(new Set(readdirSync(outdir)), new Set(expected));
    });

    it("name the licences of what they bundle", () => {
      const notices = readFileSync(join(outdir, "third-party-notices.txt"), "utf8");
      for (const name of ["zod", "@noble/hashes", "fast-check"]) {
        match(notices, new RegExp(`^${name} \\d+\\.\\d+\\.\\d+$`, "m"));
      }
      match(notices, /Permission is hereby granted/);
    });

    it(minify ? "carry no source map" : "carry a source map down to the sources", () => {
      const named = /^\/\/# sourceMappingURL=(.+)$/m.exec(
        readFileSync(join(outdir, "extension.js"), "utf8"),
      )?.[1];
      if (minify) return equal(named, undefined);
      equal(named, "extension.js.map");
      const { sources } = JSON.parse(readFileSync(join(outdir, named), "utf8"));
      deepEqual(sources, ["../src/extension.ts"]);
    });
  });
}

describe("types of the core that name another package", function () {
  this.timeout(60_000);

  it("fail the build with the package's name", async () => {
    const project = plantProject({
      ...lazyExtension,
      "src/core/index.ts":
        'import * as z from "zod";\nexport const word: z.ZodString = z.string();\nexport type { ZodString } from "zod";\n',
    });
    try {
      await rejects(
        buildAll({ root: project.root, outdir: join(project.root, "dist") }),
        /public types name another package \(zod\)/,
      );
    } finally {
      project.remove();
    }
  });
});
