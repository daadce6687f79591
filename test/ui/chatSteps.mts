/** What UI tests do with the Chat view. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Locator, Page } from "playwright-core";
import type { OpenHost } from "./openHost.mts";

const CHAT = ".part.auxiliarybar .interactive-session:visible";

function chatInput(page: Page): Locator {
  return page.locator(`${CHAT} .interactive-input-part .monaco-editor[role=code]`).first();
}

/** Types into the chat box, as a person does; the box already names the participant where `@capsule` sticks. */
export async function typeInChat(page: Page, text: string): Promise<void> {
  await chatInput(page).click();
  await page.keyboard.press("Control+A");
  await page.keyboard.press("Delete");
  await page.keyboard.type(text, { delay: 5 });
}

/** Sends a message and waits until its reply has ended. Returns the text of the reply. */
export async function ask(page: Page, text: string): Promise<string> {
  const before = await newestRow(page);
  await send(page, text);
  return endedReply(page, before + 2);
}

/** Sends a message whose reply does not end by itself, stops it once a summary is asked for, and returns what it says. */
export async function askAndStop(page: Page, text: string): Promise<string> {
  const before = await newestRow(page);
  await send(page, text);
  await page.locator(`${CHAT} .chat-response-loading`, { hasText: "Summarizing" }).waitFor();
  await page.locator(`${CHAT} .chat-input-toolbars .codicon-stop-circle`).first().click();
  return endedReply(page, before + 2);
}

async function send(page: Page, text: string): Promise<void> {
  await typeInChat(page, `@capsule ${text}`);
  // Text of its own: the box knows the participant, and VS Code has an `/undo` of its own.
  await page.locator(`${CHAT} .interactive-input-part .view-line`, { hasText: "@capsule" }).waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Enter");
}

/** Waits until VS Code has written the chat with this text to its disk, as it does in its own time. */
export async function untilChatIsSaved(host: OpenHost, text: string): Promise<void> {
  const limit = AbortSignal.timeout(SAVE_LIMIT_MS);
  while (!(await savedChats(host)).some((chat) => chat.includes(text))) {
    if (limit.aborted) throw new Error(`VS Code did not save the chat within ${SAVE_LIMIT_MS / 1000} s.`);
    await delay(SAVE_POLL_MS);
  }
}

async function savedChats(host: OpenHost): Promise<string[]> {
  const files = await readdir(host.userFolder, { recursive: true });
  const chats = files.filter((file) => /chatSessions\/.*\.jsonl?$/.test(file));
  return Promise.all(chats.map((file) => readFile(join(host.userFolder, file), "utf8")));
}

const SAVE_LIMIT_MS = 60_000;
const SAVE_POLL_MS = 200;

/** A message of the chat by its words; only what is in sight is in the page. */
export function chatRequest(page: Page, text: string): Locator {
  return page.locator(`${CHAT} .monaco-list-row:has(.interactive-request)`, { hasText: text }).last();
}

/** The reply to a message that is in sight, when it has ended. */
export async function replyTo(page: Page, text: string): Promise<string> {
  const request = chatRequest(page, text);
  await request.waitFor();
  return endedReply(page, Number(await request.getAttribute("data-index")) + 1);
}

async function endedReply(page: Page, row: number): Promise<string> {
  const reply = page.locator(
    `${CHAT} .monaco-list-row[data-index="${row}"] .interactive-response:not(.chat-response-loading)`,
  );
  await reply.waitFor();
  return (await reply.locator(".value").first().textContent()) ?? "";
}

async function newestRow(page: Page): Promise<number> {
  const rows = page.locator(`${CHAT} .interactive-list .monaco-list-row[data-index]`);
  const indexes = await rows.evaluateAll((all) => all.map((row) => Number(row.getAttribute("data-index"))));
  return Math.max(-1, ...indexes);
}

/** Chooses the model below the chat box, by its whole name. */
export async function pickModel(page: Page, name: string): Promise<void> {
  const picker = page.locator(`${CHAT} .model-picker-name`);
  const search = page.locator('.action-widget:visible input[placeholder="Search models"]');
  // The list closes whenever the focus moves, as it does while a chat settles.
  await untilTrue(async () => {
    if (!(await search.isVisible())) await picker.click();
    await search.fill(name, { timeout: STEP_MS });
    const rows = page.locator(".action-widget:visible .monaco-list-row.action");
    const row = rows.and(page.locator(`[aria-label="${name}"], [aria-label^="${name}, ${VENDOR}"]`)).first();
    await row.click({ timeout: STEP_MS });
    await picker.and(page.locator(`[aria-label="Models, ${name}"]`)).waitFor({ timeout: STEP_MS });
  });
}

/** What the list shows beside a model's name. */
const VENDOR = "Demo Model";
const STEP_MS = 2000;
const TRIES = 10;

/** Does it again where a step found nothing to do; the last failure counts. */
async function untilTrue(steps: () => Promise<void>): Promise<void> {
  for (let left = TRIES; ; left -= 1) {
    try {
      return await steps();
    } catch (error) {
      if (left === 0) throw error;
    }
  }
}
