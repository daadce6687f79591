/** Makes context-capsule.vsix from a minified build; what goes in stands in .vscodeignore. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
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
  printSizes(await buildAll({ outdir: join(projectRoot, "dist"), minify: true }));
  await packageExtension({ root: projectRoot, out: join(projectRoot, "context-capsule.vsix") });
}
