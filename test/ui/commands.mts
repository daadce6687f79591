import type { Page } from "playwright-core";

const LIST_MS = 3_000;
const TRIES = 10;

/**
 * Opens the palette, types the title and runs the command of exactly that title ("Category: Title"). An open palette does
 * not take in commands that come later, as those of an extension do while a window starts: then it is opened anew.
 */
export async function runCommandByTitle(page: Page, title: string): Promise<void> {
  const input = page.locator(".quick-input-widget:visible .quick-input-box input");
  const row = page.locator(".quick-input-list .monaco-list-row:visible", { hasText: title }).first();
  for (let left = TRIES; ; left -= 1) {
    await page.locator(".monaco-workbench").press("F1");
    await input.waitFor();
    await input.fill(`>${title}`);
    try {
      await row.waitFor({ timeout: LIST_MS });
      break;
    } catch (error) {
      if (left === 0) throw error;
      await page.keyboard.press("Escape");
      await input.waitFor({ state: "hidden" });
    }
  }
  await row.click();
}
