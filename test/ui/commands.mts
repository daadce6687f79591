import type { Page } from "playwright-core";

const LIST_MS = 3_000;
const TRIES = 10;

/**
 * Opens the palette, types the title and runs the command of exactly that title ("Category: Title"). An open palette does
 * not take in commands that come later, as those of an extension do while a window starts, and it closes when a view that
 * opens late takes the keys: then it is opened anew.
 */
export async function runCommandByTitle(page: Page, title: string): Promise<void> {
  const input = page.locator(".quick-input-widget:visible .quick-input-box input");
  const row = page.locator(".quick-input-list .monaco-list-row:visible", { hasText: title }).first();
  await untilDone(page, async () => {
    await page.locator(".monaco-workbench").press("F1");
    await input.waitFor({ timeout: LIST_MS });
    await input.fill(`>${title}`, { timeout: LIST_MS });
    await row.click({ timeout: LIST_MS });
  });
}

/** Repeats steps of a quick input that closed, or did not open, under the hands of the test. */
export async function untilDone(page: Page, steps: () => Promise<void>): Promise<void> {
  for (let left = TRIES; ; left -= 1) {
    try {
      await steps();
      return;
    } catch (error) {
      if (left === 0) throw error;
      await page.keyboard.press("Escape");
    }
  }
}
