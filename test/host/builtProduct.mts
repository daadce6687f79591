/** `dist/` and the VSIX, made when what they are made of has changed since. */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { glob, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { withLockFile } from "./lockFile.mjs";
import { cacheFolder, projectRoot, vsixPath } from "./project.mts";
import { runCommand } from "./runCommand.mts";

interface Product {
  readonly script: "build" | "package";
  /** Globs of everything it is made of. */
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
}

const BUILD: Product = {
  script: "build",
  inputs: ["src/**/*.{ts,json}", "esbuild.mjs", "package-lock.json"],
  outputs: ["dist/**/*"],
};
const PACKAGE: Product = {
  script: "package",
  inputs: [
    ...BUILD.inputs,
    "package.json",
    "package.nls*.json",
    "media/**/*",
    "README.md",
    "CHANGELOG.md",
    "LICENSE",
    ".vscodeignore",
    "test/tools/package.ts",
  ],
  outputs: [basename(vsixPath)],
};

type Say = (message: string) => void;

/** Makes `dist/` as `npm run build` does. */
export async function ensureBuilt(say: Say = console.log): Promise<void> {
  await ensure(BUILD, say);
}

/** Makes `context-capsule.vsix` from a build of its own. */
export async function ensurePackaged(say: Say = console.log): Promise<void> {
  await ensure(PACKAGE, say);
}

async function ensure(product: Product, say: Say): Promise<void> {
  await withLockFile(
    join(cacheFolder, "build.lock"),
    async () => {
      const stampFile = join(cacheFolder, `${product.script}.stamp`);
      const recorded = existsSync(stampFile) ? await readFile(stampFile, "utf8") : "";
      const madeOf = await digestOf(product.inputs);
      if (recorded === `${madeOf} ${await sizesOf(product.outputs)}`) return;
      say(`npm run ${product.script} …`);
      const { code, output } = await runCommand("npm", ["run", "--silent", product.script], {
        cwd: projectRoot,
      });
      if (code !== 0) throw new Error(`\`npm run ${product.script}\` ended with ${code}.\n${output}`);
      await mkdir(cacheFolder, { recursive: true });
      await writeFile(stampFile, `${madeOf} ${await sizesOf(product.outputs)}`);
    },
    say,
  );
}

async function digestOf(globs: readonly string[]): Promise<string> {
  const hash = createHash("sha256");
  for (const file of await filesOf(globs))
    hash.update(`${file}\0`).update(await readFile(join(projectRoot, file)));
  return hash.digest("hex");
}

/** Notices an output that somebody removed or made in another way. */
async function sizesOf(globs: readonly string[]): Promise<string> {
  const hash = createHash("sha256");
  for (const file of await filesOf(globs))
    hash.update(`${file}\0${(await stat(join(projectRoot, file))).size}\0`);
  return hash.digest("hex");
}

async function filesOf(globs: readonly string[]): Promise<string[]> {
  const files: string[] = [];
  for (const pattern of globs) {
    for await (const entry of glob(pattern, { cwd: projectRoot, withFileTypes: true })) {
      if (entry.isFile()) files.push(join(entry.parentPath, entry.name).slice(projectRoot.length + 1));
    }
  }
  return files.sort();
}
