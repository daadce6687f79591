/** What several UI tests do with sessions. */
import type { Locator, Page } from "playwright-core";
import { runCommandByTitle } from "./commands.mts";

export const METER = '[id="context-capsule.context-capsule.meter"]';

export function meterOf(page: Page): Locator {
  return page.locator(METER);
}

/** Shows our container. Its icon tells that VS Code knows our contributions; a click on it might hide them again. */
export async function openCapsuleViews(page: Page): Promise<void> {
  await page.locator('.activitybar .action-label[aria-label^="Context Capsule"]').waitFor();
  await runCommandByTitle(page, "Focus on Sessions View");
  await page.locator(".pane-header:visible", { hasText: "Sessions" }).waitFor();
}

export function quickInput(page: Page): Locator {
  return page.locator(".quick-input-widget:visible .quick-input-box input");
}

export function quickRow(page: Page, text: string | RegExp): Locator {
  return page.locator(".quick-input-list .monaco-list-row:visible", { hasText: text });
}

/** Through the command and the file picker, as a person without a mouse does it. */
export async function importByPicker(page: Page, path: string): Promise<void> {
  await runCommandByTitle(page, "Context Capsule: Import Session…");
  const input = quickInput(page);
  await page
    .locator(".quick-input-widget:visible .quick-input-title", { hasText: "Import Session" })
    .waitFor();
  // It writes the folder into its box when it has listed it, over whatever was typed until then.
  await quickRow(page, "..").first().waitFor();
  await input.fill(path);
  // The picker lists what it found for the typed path before Enter takes it.
  await quickRow(page, path.slice(path.lastIndexOf("/") + 1))
    .first()
    .waitFor();
  await input.press("Enter");
}

export function sessionRow(page: Page, text: string | RegExp): Locator {
  return page.locator('.pane:has(.pane-header[aria-label^="Sessions"]) .monaco-list-row:visible', {
    hasText: text,
  });
}

/** The open list of notifications; under the smoke-test driver no toast is ever drawn. */
export async function openNotifications(page: Page): Promise<Locator> {
  const list = page.locator(".notifications-center:visible");
  if (!(await list.isVisible())) await page.locator('[id="status.notifications"]').click();
  await list.waitFor();
  return list;
}

export async function closeNotifications(page: Page): Promise<void> {
  if (await page.locator(".notifications-center:visible").isVisible()) {
    await page.locator('[id="status.notifications"]').click();
    await page.locator(".notifications-center:visible").waitFor({ state: "hidden" });
  }
}

/** Waits until a notification with this text is in the list, and presses its button where one is named. */
export async function answerNotification(
  page: Page,
  text: string | RegExp,
  button?: string,
): Promise<string> {
  const list = await openNotifications(page);
  const row = list.locator(".notification-list-item", { hasText: text }).first();
  await row.waitFor();
  const said = await row.locator(".notification-list-item-message").textContent();
  if (button !== undefined) await row.locator(".monaco-button:visible", { hasText: button }).first().click();
  await closeNotifications(page);
  return said ?? "";
}
