import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { projectRoot } from "../host/project.mts";

/** Git-ignored. */
export const screenshotFolder = join(projectRoot, "test/screenshots");

/** Writes `test/screenshots/<name>.png` and returns its path. */
export async function screenshot(page: Page, name: string): Promise<string> {
  await mkdir(screenshotFolder, { recursive: true });
  const path = join(screenshotFolder, `${name}.png`);
  await page.screenshot({ path });
  return path;
}
