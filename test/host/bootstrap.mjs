/**
 * Runs one of the project's own scripts on a machine that has Node and npm and nothing else:
 *
 *     node test/host/bootstrap.mjs <script> [arguments…]
 *
 * Installs the dependencies when they are missing or differ from package-lock.json, then runs the script on the Node version
 * the project pins (the `node` package), passes signals on, and ends with the script's exit code.
 */
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { withLockFile } from "./lockFile.mjs";

const { exitWithParent } = createRequire(import.meta.url)("./exitWithParent.cjs");

const OLDEST_NODE_MAJOR = 20;
const projectRoot = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const isWindows = process.platform === "win32";
const pinnedNode = join(projectRoot, "node_modules/node/bin", isWindows ? "node.exe" : "node");

const [script, ...scriptArguments] = process.argv.slice(2);
if (script === undefined) fail("Usage: node test/host/bootstrap.mjs <script> [arguments…]");
if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE_MAJOR) {
  fail(
    `Node ${OLDEST_NODE_MAJOR} or later is needed to start (this is ${process.versions.node}). Install it and try again.`,
  );
}

await installIfNeeded();
process.exit(
  await runToEnd(pinnedNode, [resolve(projectRoot, script), ...scriptArguments], {
    ...process.env,
    PATH: [join(projectRoot, "node_modules/.bin"), process.env.PATH].join(delimiter),
  }),
);

async function installIfNeeded() {
  if (isInstalled()) return;
  await withLockFile(
    join(projectRoot, ".cache/install.lock"),
    async () => {
      if (isInstalled()) return;
      console.log("Installing the dependencies (npm ci) …");
      // Warnings speak of the Node that starts us, which runs none of it.
      const code = await runToEnd("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], process.env);
      if (code !== 0 || !isInstalled()) {
        fail(
          "`npm ci` did not finish. Read its message above, check the network or the npm registry, and try again.",
        );
      }
    },
    (message) => console.log(message),
  );
}

/** npm writes node_modules/.package-lock.json last; it must hold what package-lock.json asks for, optional parts aside. */
function isInstalled() {
  const written = join(projectRoot, "node_modules/.package-lock.json");
  if (!existsSync(written) || !existsSync(pinnedNode)) return false;
  const installed = packagesOf(written);
  return Object.entries(packagesOf(join(projectRoot, "package-lock.json"))).every(
    ([path, wanted]) =>
      path === "" || wanted.optional || wanted.link || installed[path]?.version === wanted.version,
  );
}

function packagesOf(lockFile) {
  return JSON.parse(readFileSync(lockFile, "utf8")).packages ?? {};
}

/** Spawns, forwards SIGINT, SIGTERM and SIGHUP and the death of our own parent, and resolves with the exit code. */
function runToEnd(command, commandArguments, env) {
  return new Promise((done) => {
    const child = spawn(command, commandArguments, {
      cwd: projectRoot,
      env,
      stdio: "inherit",
      shell: isWindows && command === "npm",
    });
    const forward = (signal) => child.kill(signal);
    const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
    for (const signal of signals) process.on(signal, forward);
    exitWithParent(() => child.kill("SIGTERM"), {
      throughShell: process.env.npm_lifecycle_event !== undefined,
    });
    child.on("error", (error) => {
      console.error(`${command} could not be started: ${error.message}`);
      done(1);
    });
    child.on("exit", (code, signal) => {
      for (const name of signals) process.off(name, forward);
      done(code ?? (signal === "SIGINT" ? 130 : 1));
    });
  });
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
