import { spawn } from "node:child_process";
import { onEnd } from "./endings.mts";

export interface CommandResult {
  /** Exit code; 1 when a signal ended it, 127 when it could not be started. */
  readonly code: number;
  /** The last part of what it wrote, both streams in order. */
  readonly output: string;
}

const KEPT_OUTPUT_CHARACTERS = 20_000;

/** Runs a command to its end without a shell and without input. Ended with this process, or after `timeoutMs`. */
export function runCommand(
  command: string,
  args: readonly string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv; timeoutMs?: number } = {},
): Promise<CommandResult> {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      env: options.env ?? process.env,
      stdio: ["ignore", "pipe", "pipe"],
      shell: process.platform === "win32" && command === "npm",
      ...(options.timeoutMs === undefined
        ? {}
        : { timeout: options.timeoutMs, killSignal: "SIGKILL" as const }),
    });
    const forget = onEnd(() => void child.kill("SIGKILL"));
    let output = "";
    const keep = (chunk: Buffer): void => {
      output = (output + chunk.toString()).slice(-KEPT_OUTPUT_CHARACTERS);
    };
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    child.on("error", (error) => {
      forget();
      resolve({ code: 127, output: error.message });
    });
    child.on("close", (code) => {
      forget();
      resolve({ code: code ?? 1, output });
    });
  });
}
