/** Renders media/icon.svg to the PNG that the marketplace asks for: `node test/tools/renderIcon.ts`. */
import { readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { browser as browserPath } from "../host/browser.mts";

/** Pixels a side; the marketplace wants at least 128. */
export const ICON_SIDE = 128;

export async function renderIcon(svgPath: string): Promise<Buffer> {
  const svg = await readFile(svgPath, "utf8");
  const browser = await chromium.launch({
    executablePath: await browserPath(),
    args: ["--no-sandbox", "--disable-gpu"],
  });
  try {
    const page = await browser.newPage({ viewport: { width: ICON_SIDE, height: ICON_SIDE } });
    await page.setContent(`<style>body { margin: 0 } svg { display: block }</style>${svg}`);
    return await page.screenshot({ omitBackground: true });
  } finally {
    await browser.close();
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const media = resolve(import.meta.dirname, "../../media");
  await writeFile(resolve(media, "icon.png"), await renderIcon(resolve(media, "icon.svg")));
}
