import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { BuiltFile } from "../../../esbuild.mjs";
import { buildAll } from "../../../esbuild.mjs";
import type { PlantedProject } from "./plantedProject.ts";
import { plantProject } from "./plantedProject.ts";

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

interface LazyExtension {
  activate(): string;
  maker(): Promise<{ fault(): Error }>;
  judge(): Promise<{ isFault(value: unknown): boolean }>;
  heavy(): Promise<{ heavy: string }>;
}

for (const minify of [false, true]) {
  describe(`chunks of the extension, ${minify ? "minified" : "for development"}`, function () {
    this.timeout(60_000);
    let project: PlantedProject;
    let outdir: string;
    let built: BuiltFile[];
    const load = createRequire(import.meta.url);
    const loaded = (): string[] =>
      Object.keys(load.cache)
        .filter((path) => path.startsWith(outdir))
        .map((path) => path.slice(outdir.length + 1));

    before(async () => {
      project = plantProject(lazyExtension);
      outdir = join(project.root, "dist");
      const vscode = join(outdir, "node_modules", "vscode");
      mkdirSync(vscode, { recursive: true });
      writeFileSync(join(vscode, "index.js"), 'exports.version = "from the host";\n');
      writeFileSync(join(outdir, "chunk-OLD.js"), "");
      built = await buildAll({ root: project.root, outdir, minify });
    });
    after(() => project.remove());

    it("load on first use, share classes, and leave `vscode` to the host", async () => {
      const extension: LazyExtension = load(join(outdir, "extension.js"));
      equal(extension.activate(), "from the host");
      deepEqual(
        loaded().filter((name) => !name.startsWith("node_modules")),
        built.filter(({ atStart }) => atStart).map(({ name }) => name),
      );

      const { fault } = await extension.maker();
      const { isFault } = await extension.judge();
      equal(isFault(fault()), true);
      ok(!loaded().some((name) => name.startsWith("heavy-")));
      equal((await extension.heavy()).heavy, "function");
      ok(loaded().some((name) => name.startsWith("heavy-")));
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

    it("leave nothing of an older build", () => {
      const files = readdirSync(outdir).filter((name) => name !== "node_modules");
      deepEqual(
        files.sort(),
        [...built.map(({ name }) => name), "third-party-notices.txt"].sort((a, b) => (a < b ? -1 : 1)),
      );
    });

    it("name the licences of what they bundle", () => {
      const notices = readFileSync(join(outdir, "third-party-notices.txt"), "utf8");
      for (const name of ["zod", "@noble/hashes", "fast-check"]) {
        match(notices, new RegExp(`^${name} \\d+\\.\\d+\\.\\d+$`, "m"));
      }
      match(notices, /Permission is hereby granted/);
    });

    it(minify ? "carry no source map" : "carry a source map down to the sources", () => {
      const text = readFileSync(join(outdir, "extension.js"), "utf8");
      const map = /sourceMappingURL=data:application\/json;base64,(\S+)/.exec(text)?.[1];
      if (minify) return equal(map, undefined);
      ok(map !== undefined);
      deepEqual(JSON.parse(Buffer.from(map, "base64").toString("utf8")).sources, ["../src/extension.ts"]);
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
