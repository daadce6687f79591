/** `npm run pictures`: takes the pictures of the README anew, from a real window, into media/readme. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

/** Names the folder for the pictures; without it test/ui/pictures.test.ts leaves those of the README alone. */
export const PICTURES_VARIABLE = "CONTEXT_CAPSULE_PICTURES";

const projectRoot = resolve(import.meta.dirname, "../..");

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const child = spawn(
    process.execPath,
    [resolve(projectRoot, "test/host/runAll.mts"), "test/ui/pictures.test.ts"],
    {
      cwd: projectRoot,
      env: { ...process.env, [PICTURES_VARIABLE]: resolve(projectRoot, "media/readme") },
      stdio: ["ignore", "inherit", "inherit"],
    },
  );
  const [code] = await once(child, "exit");
  process.exitCode = code ?? 1;
}
