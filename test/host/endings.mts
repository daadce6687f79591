/** What a script of ours must undo however it ends: normally, by Ctrl+C, by a signal, by a crash, or by its parent's death. */
import { createRequire } from "node:module";

const { exitWithParent } = createRequire(import.meta.url)("./exitWithParent.cjs") as {
  exitWithParent: (end: () => void) => void;
};

const CLEAN_UP_LIMIT_MS = 5_000;
const SIGNAL_EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };

type CleanUp = () => void | Promise<void>;
const cleanUps: CleanUp[] = [];
let ending: Promise<void> | undefined;

/** Registers work for the end of this process; the newest registration runs first. Returns a function that takes it back. */
export function onEnd(cleanUp: CleanUp): () => void {
  cleanUps.push(cleanUp);
  return () => {
    const index = cleanUps.indexOf(cleanUp);
    if (index >= 0) cleanUps.splice(index, 1);
  };
}

/** Runs what was registered (for at most five seconds) and exits. Safe to call more than once; the first code wins. */
export function end(code: number): Promise<void> {
  ending ??= (async () => {
    const limit = setTimeout(() => process.exit(code), CLEAN_UP_LIMIT_MS);
    for (const cleanUp of cleanUps.splice(0).reverse()) {
      try {
        await cleanUp();
      } catch (error) {
        console.error("Cleaning up failed:", error);
      }
    }
    clearTimeout(limit);
    process.exit(code);
  })();
  return ending;
}

/**
 * Makes this process end through `end` on signals, crashes and the death of its parent. Call once, at the start of a script.
 * `interruptCode`: what Ctrl+C ends with; 0 where that is the usual way to stop.
 */
export function endCleanly({
  interruptCode = SIGNAL_EXIT_CODES.SIGINT,
}: {
  interruptCode?: number;
} = {}): void {
  for (const [signal, code] of Object.entries({ ...SIGNAL_EXIT_CODES, SIGINT: interruptCode })) {
    process.on(signal, () => void end(code));
  }
  const crash = (error: unknown): void => {
    console.error(error);
    void end(1);
  };
  process.on("uncaughtException", crash);
  process.on("unhandledRejection", crash);
  exitWithParent(() => void end(1));
}
