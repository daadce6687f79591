/** Where things of this checkout lie. */
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const projectRoot = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
/** Git-ignored; everything in it can be deleted at any time and is made again. */
export const cacheFolder = join(projectRoot, ".cache");
/** The Node of the `node` package: the one version the whole project runs on. */
export const pinnedNode = join(
  projectRoot,
  "node_modules/node/bin",
  process.platform === "win32" ? "node.exe" : "node",
);
export const demoModelFolder = join(projectRoot, "test/demo/model");
/** Made by `npm run package`. */
export const vsixPath = join(projectRoot, "context-capsule.vsix");
