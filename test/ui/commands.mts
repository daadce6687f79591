import type { Page } from "playwright-core";

/** Opens the palette, types the title and runs the command of exactly that title ("Category: Title"). */
export async function runCommandByTitle(page: Page, title: string): Promise<void> {
  await page.locator(".monaco-workbench").press("F1");
  const input = page.locator(".quick-input-widget:visible .quick-input-box input");
  await input.waitFor();
  await input.fill(`>${title}`);
  const row = page.locator(".quick-input-list .monaco-list-row:visible", { hasText: title }).first();
  await row.waitFor();
  await row.click();
}
