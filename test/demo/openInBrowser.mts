import { spawn } from "node:child_process";
import { findBrowser } from "../host/browser.mts";

const OPENERS: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ["open"],
  win32: ["cmd", "/c", "start", ""],
  linux: ["xdg-open"],
};

/** The person's own browser, else any that is found; when neither starts, the printed address must do. */
export async function openInBrowser(address: string): Promise<void> {
  const [command, ...args] = OPENERS[process.platform] ?? ["xdg-open"];
  if (await starts(command, [...args, address])) return;
  const found = await findBrowser();
  if (found === undefined || !(await starts(found, [address])))
    console.log("No browser could be opened; open the address by hand.");
}

function starts(command: string, args: readonly string[]): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: "ignore", detached: true });
    child.once("error", () => resolve(false));
    child.once("spawn", () => {
      child.unref();
      resolve(true);
    });
  });
}
