// Builds all of dist/: the extension in CommonJS chunks, and the pure core as a library of its own.
//
//   node esbuild.mjs [--minify] [--watch] [--outdir DIR]
//
// Every `await import("./x.ts")` in src becomes a chunk that is read from disk on first use; what several chunks
// share stands once, in a chunk of its own, so that classes and singletons keep their identity. A file named
// `*.worker.ts` becomes `dist/<name>.worker.js`, for `new Worker(join(__dirname, …))`.
import { globSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import * as esbuild from "esbuild";
import { rollup } from "rollup";
import { dts } from "rollup-plugin-dts";

const projectRoot = dirname(fileURLToPath(import.meta.url));

/** Node of the oldest VS Code in `engines.vscode` (1.106: Electron 37). */
const hostTarget = "node22";

/** One set of compiler options for all of src; the root's own holds paths for tests. */
const compilerOptions = join(projectRoot, "src/tsconfig.base.json");

/**
 * @typedef {object} BuildOptions
 * @property {string} outdir absolute
 * @property {boolean} [minify] also leaves the source maps out
 * @property {string} [root] absolute, the folder that holds `src`; default: this project
 *
 * @typedef {object} BuiltFile
 * @property {string} name relative to outdir
 * @property {number} bytes
 * @property {boolean} atStart read when the extension activates
 */

/**
 * esbuild splits only ES modules, and VS Code wants CommonJS: so it splits first, and each chunk is then turned into
 * a CommonJS file by itself. `import()` becomes a deferred `require()` of the same relative name.
 * @param {BuildOptions} options
 * @param {(files: BuiltFile[]) => void} onBuilt
 * @returns {esbuild.Plugin}
 */
function commonJsChunks({ outdir, minify = false }, onBuilt) {
  return {
    name: "commonjs-chunks",
    setup(build) {
      build.onEnd(async ({ outputFiles = [], metafile, errors }) => {
        if (errors.length > 0 || metafile === undefined) return;
        const atStart = staticClosure(metafile, "extension.js");
        const chunks = await Promise.all(
          outputFiles.map(async ({ path, text }) => {
            const name = relative(outdir, path);
            const { code, map } = await esbuild.transform(text, {
              format: "cjs",
              platform: "node",
              target: hostTarget,
              supported: { "dynamic-import": false },
              sourcefile: name,
              sourcemap: minify ? false : "external",
              minify,
              legalComments: "none",
            });
            return { name, code, map };
          }),
        );
        mkdirSync(outdir, { recursive: true });
        // The entry goes last: a window that starts meanwhile finds every chunk it names.
        for (const { name, code, map } of chunks.toSorted(
          (a, b) => Number(a.name === "extension.js") - Number(b.name === "extension.js"),
        )) {
          writeFileSync(join(outdir, name), minify ? code : `${code}//# sourceMappingURL=${name}.map\n`);
          if (!minify) writeFileSync(join(outdir, `${name}.map`), map);
        }
        const names = chunks.map(({ name }) => name);
        const maps = minify ? [] : [...names, "compaction.mjs"].map((name) => `${name}.map`);
        removeStale({
          outdir,
          kept: new Set([...names, ...maps]),
          unusedForMs: minify ? 0 : KEPT_FOR_WINDOWS_MS,
        });
        onBuilt(
          chunks.map(({ name, code }) => ({
            name,
            bytes: Buffer.byteLength(code),
            atStart: atStart.has(name),
          })),
        );
      });
    },
  };
}

/**
 * Names of the outputs that `entry` reads at once, itself included.
 * @param {esbuild.Metafile} metafile
 * @param {string} entry
 */
function staticClosure(metafile, entry) {
  const outputs = new Map(Object.entries(metafile.outputs).map(([path, output]) => [basename(path), output]));
  const names = new Set([entry]);
  for (const name of names) {
    for (const { path, kind, external } of outputs.get(name)?.imports ?? []) {
      if (kind === "import-statement" && external !== true) names.add(basename(path));
    }
  }
  return names;
}

/** A window that runs an older build still reads that build's chunks on first use. */
const KEPT_FOR_WINDOWS_MS = 3_600_000;

/**
 * Chunk names carry a hash, so an older build leaves files behind. What is no chunk of this build, and no map, goes.
 * @param {{ outdir: string, kept: Set<string>, unusedForMs: number }} options
 */
function removeStale({ outdir, kept, unusedForMs }) {
  const newest = Date.now() - unusedForMs;
  for (const name of readdirSync(outdir)) {
    const path = join(outdir, name);
    if (/\.(js|map)$/.test(name) && !kept.has(name) && statSync(path).mtimeMs <= newest) rmSync(path);
  }
}

/**
 * @param {BuildOptions} options
 * @param {(files: BuiltFile[]) => void} onBuilt
 * @returns {esbuild.BuildOptions}
 */
function hostOptions(options, onBuilt) {
  const root = options.root ?? projectRoot;
  const workers = globSync("src/**/*.worker.ts", { cwd: root });
  return {
    absWorkingDir: root,
    entryPoints: [
      { in: "src/extension.ts", out: "extension" },
      ...workers.map((path) => ({ in: path, out: basename(path, ".ts") })),
    ],
    outdir: options.outdir,
    chunkNames: "[name]-[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: hostTarget,
    tsconfig: compilerOptions,
    mainFields: ["module", "main"],
    external: ["vscode"],
    minify: options.minify ?? false,
    sourcemap: options.minify ? false : "inline",
    legalComments: "none",
    metafile: true,
    write: false,
    logLevel: "warning",
    plugins: [commonJsChunks(options, onBuilt)],
  };
}

/**
 * The pure core: no platform, everything bundled.
 * @param {BuildOptions} options
 * @returns {esbuild.BuildOptions}
 */
function coreOptions({ outdir, minify = false, root = projectRoot }) {
  return {
    absWorkingDir: root,
    entryPoints: [{ in: "src/core/index.ts", out: "compaction" }],
    outdir,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    format: "esm",
    platform: "neutral",
    tsconfig: compilerOptions,
    mainFields: ["module", "main"],
    target: "es2023",
    minify,
    sourcemap: minify ? false : "linked",
    legalComments: "none",
    metafile: true,
    logLevel: "warning",
  };
}

/**
 * The core's types as one file that needs nothing: no package, no `node`, no DOM.
 * @param {BuildOptions} options
 */
async function buildCoreTypes({ outdir, root = projectRoot }) {
  const bundle = await rollup({
    input: join(root, "src/core/index.ts"),
    plugins: [dts({ tsconfig: join(root, "src/core/tsconfig.json") })],
    onLog(level, log) {
      if (level === "warn") throw new Error(`types of the core: ${log.message}`);
    },
  });
  const { output } = await bundle.generate({ format: "es" });
  await bundle.close();
  const { code, imports } = output[0];
  if (output.length !== 1 || imports.length > 0) {
    throw new Error(
      `The core's public types name another package (${imports.join(", ")}): state those types in src/core by hand.`,
    );
  }
  mkdirSync(outdir, { recursive: true });
  writeFileSync(join(outdir, "compaction.d.ts"), code);
}

/**
 * The licences of the packages that were bundled, as they ask for.
 * @param {BuildOptions} options
 * @param {readonly esbuild.Metafile[]} metafiles
 */
function writeThirdPartyNotices({ outdir, root = projectRoot }, metafiles) {
  /** @type {Set<string>} */
  const packages = new Set();
  for (const { inputs } of metafiles) {
    for (const path of Object.keys(inputs)) {
      const folder = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1];
      if (folder !== undefined) packages.add(folder);
    }
  }
  const notices = [...packages].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
    const file = readdirSync(join(root, folder)).find((entry) => /^licen[cs]e/i.test(entry));
    const text =
      file === undefined ? `Licence: ${license}` : readFileSync(join(root, folder, file), "utf8").trim();
    return `${name} ${version}\n\n${text}\n`;
  });
  writeFileSync(join(outdir, "third-party-notices.txt"), notices.join("\n----\n\n"));
}

/**
 * Makes all of dist and returns what it made.
 * @param {BuildOptions} options
 * @returns {Promise<BuiltFile[]>}
 */
export async function buildAll(options) {
  /** @type {BuiltFile[]} */
  const built = [];
  const [host, core] = await Promise.all([
    esbuild.build(hostOptions(options, (files) => built.push(...files))),
    esbuild.build(coreOptions(options)),
    buildCoreTypes(options),
  ]);
  const metafiles = [host, core].flatMap(({ metafile }) => (metafile === undefined ? [] : [metafile]));
  writeThirdPartyNotices(options, metafiles);
  for (const name of ["compaction.mjs", "compaction.d.ts"]) {
    built.push({ name, bytes: readFileSync(join(options.outdir, name)).byteLength, atStart: false });
  }
  return built;
}

/** @param {BuiltFile[]} files */
export function printSizes(files) {
  const kilobytes = (/** @type {number} */ bytes) => `${(bytes / 1000).toFixed(1).padStart(8)} kB`;
  for (const { name, bytes, atStart } of files.toSorted((a, b) => b.bytes - a.bytes)) {
    console.log(`${kilobytes(bytes)}  ${name}${atStart ? "  (at start)" : ""}`);
  }
  const startBytes = files.filter(({ atStart }) => atStart).reduce((sum, { bytes }) => sum + bytes, 0);
  console.log(`${kilobytes(startBytes)}  read at activation`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const flags = process.argv.slice(2);
  const outdirAt = flags.indexOf("--outdir");
  const outdir = resolve(outdirAt < 0 ? join(projectRoot, "dist") : (flags[outdirAt + 1] ?? "dist"));
  const options = { outdir, minify: flags.includes("--minify") };
  if (flags.includes("--watch")) {
    const contexts = await Promise.all([
      esbuild.context(hostOptions(options, printSizes)),
      esbuild.context(coreOptions(options)),
    ]);
    await Promise.all(contexts.map((context) => context.watch()));
    console.log("Watching src; types of the core are made by a full build. Ctrl+C stops.");
  } else {
    printSizes(await buildAll(options));
  }
}
