/** Loaded by VS Code as `extensionTestsPath`: runs the bundled suite with mocha inside the extension host. */
import { join } from "node:path";
import { format } from "node:util";

/** Set by the runner outside: bundled test files, one absolute path a line. */
const FILES_VARIABLE = "CONTEXT_CAPSULE_SUITE_FILES";
const GREP_VARIABLE = "CONTEXT_CAPSULE_GREP";
const ROOT_VARIABLE = "CONTEXT_CAPSULE_ROOT";
/** Set where the console is shared with the workbench: begins each line that is ours. */
const MARK_VARIABLE = "CONTEXT_CAPSULE_OUTPUT_MARK";
/** The npm-shipped server reports its missing native logger over and over, through the same console. */
const MISSING_NATIVE_LOGGER = "Error: Could not locate the bindings file";
const TEST_LIMIT_MS = 30_000;

export async function run(): Promise<void> {
  process.setSourceMapsEnabled(true);
  markConsole(process.env[MARK_VARIABLE]);
  // After the console is marked: mocha keeps the console's functions that it finds when it loads.
  const { default: Mocha } = await import("mocha");
  const root = process.env[ROOT_VARIABLE] ?? "";
  const grep = process.env[GREP_VARIABLE];
  const mocha = new Mocha({
    ui: "bdd",
    color: false,
    forbidOnly: true,
    timeout: TEST_LIMIT_MS,
    reporter: join(root, "test/host/stageReporter.cjs"),
    ...(grep === undefined ? {} : { grep }),
  });
  for (const file of (process.env[FILES_VARIABLE] ?? "").split("\n")) if (file !== "") mocha.addFile(file);
  const failures = await new Promise<number>((done) => {
    mocha.run(done);
  });
  if (failures > 0) throw new Error(`${failures} failed`);
}

/** VS Code's console ignores assignments to its functions, so another object takes its place. */
function markConsole(mark: string | undefined): void {
  if (mark === undefined) return;
  const host = console;
  const write = (...args: unknown[]): void => {
    const text = format(...args);
    if (text.startsWith(MISSING_NATIVE_LOGGER)) return;
    for (const line of text.split("\n")) host.log(`${mark}${line}`);
  };
  const functions = { log: write, info: write, warn: write, error: write };
  globalThis.console = Object.create(host, Object.getOwnPropertyDescriptors(functions)) as Console;
}
