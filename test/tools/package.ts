/** Makes context-capsule.vsix from a minified build of its own; what goes in stands in .vscodeignore. `dist/` stays. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, globSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { BuiltFile } from "../../esbuild.mjs";
import { buildAll, printSizes } from "../../esbuild.mjs";

const projectRoot = resolve(import.meta.dirname, "../..");

const vsceArguments = [
  "package",
  // Everything is bundled into dist: npm has nothing to add, and is not asked.
  "--no-dependencies",
  // There is no public repository yet; links stay as they are written.
  "--allow-missing-repository",
  "--no-rewrite-relative-links",
];

const IGNORE_FILE = ".vscodeignore";
const DIST = "dist";

/** Makes the folder `root` what the VSIX is packed from: a minified build, and copies of all else that goes in. */
export async function stageExtension(root: string): Promise<BuiltFile[]> {
  for (const name of [IGNORE_FILE, ...listedFiles()]) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    cpSync(join(projectRoot, name), join(root, name));
  }
  return buildAll({ outdir: join(root, DIST), minify: true });
}

/** What the ignore file lets in, but for the build: it keeps out all else. */
function listedFiles(): string[] {
  const lines = readFileSync(join(projectRoot, IGNORE_FILE), "utf8").split("\n");
  const allowed = lines.filter((line) => line.startsWith("!")).map((line) => line.slice(1));
  return globSync(allowed, { cwd: projectRoot }).filter((name) => !name.startsWith(DIST));
}

/** Packs the folder `root`, already built, into the file `out`; asks nothing and needs neither network nor git. */
export async function packageExtension({ root, out }: { root: string; out: string }): Promise<void> {
  const vsce = join(projectRoot, "node_modules", "@vscode", "vsce", "vsce");
  const child = spawn(process.execPath, [vsce, ...vsceArguments, "--out", out], {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
  });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`vsce ended with ${code}; its words stand above.`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const root = join(projectRoot, ".cache", "package");
  rmSync(root, { recursive: true, force: true });
  printSizes(await stageExtension(root));
  await packageExtension({ root, out: join(projectRoot, "context-capsule.vsix") });
}
