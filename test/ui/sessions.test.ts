import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { sampleSessions, writeSampleSessions } from "../demo/sessions/sampleSessions.mts";
import { runFolder } from "../host/runFolder.mts";
import { runCommandByTitle } from "./commands.mts";
import type { OpenHost } from "./openHost.mts";
import { openHost } from "./openHost.mts";
import { screenshot } from "./screenshot.mts";
import {
  answerNotification,
  closeNotifications,
  importByPicker,
  meterOf,
  openCapsuleViews,
  openNotifications,
  quickInput,
  quickRow,
  sessionRow,
} from "./sessionSteps.mts";

const [long, , short] = sampleSessions();
const WINDOW = 80_000;
/** An OpenAI-style file has no title: its session is named by the first request. */
const SHORT_LABEL = "Show the night buses";

/** First words of a title, as the list shows them. */
const start = (title: string): string => title.slice(0, 20);

describe("sessions, meter and their commands", () => {
  let host: OpenHost;
  let samples: string;
  before(async () => {
    assert.ok(long && short);
    samples = await runFolder("ui-samples");
    await writeSampleSessions(samples);
    host = await openHost({
      settings: { "contextCapsule.window": WINDOW, "workbench.secondarySideBar.defaultVisibility": "hidden" },
    });
    await openCapsuleViews(host.page);
  });
  after(() => host.dispose());

  it("say what to do while there is no session, and show no meter", async () => {
    const { page } = host;
    await page
      .locator(".welcome-view-content:visible", { hasText: "No sessions in this workspace yet" })
      .waitFor();
    await page.locator(".welcome-view-content:visible", { hasText: "No session is active" }).waitFor();
    assert.equal(await meterOf(page).isVisible(), false);
    await screenshot(page, "sessions-empty");
  });

  it("import by the file picker, with a report of what was in the file", async () => {
    const { page } = host;
    await importByPicker(page, join(samples, long?.fileName ?? ""));
    await sessionRow(page, start(long?.title ?? "")).waitFor();
    await meterOf(page).waitFor();
    const said = await answerNotification(page, /Imported/, "Show Report");
    assert.match(said, /\(Claude Code\): [\d,]+ messages, [\d,]+ of them yours/);
    const tab = page.locator(".tab", { hasText: "Import Report" });
    await tab.waitFor();
    const frame = page.frameLocator("iframe.webview.ready").frameLocator("iframe#active-frame");
    await frame.locator("h1", { hasText: "Import report" }).waitFor();
    assert.match((await frame.locator("table").first().textContent()) ?? "", /Typed by a person\s*[\d,]+/);
    await screenshot(page, "sessions-import-report");
    await runCommandByTitle(page, "View: Close All Editors");
  });

  it("show percent and tokens in the meter, in words for a screen reader", async () => {
    const { page } = host;
    assert.match((await meterOf(page).textContent()) ?? "", /^\s*~?\d+% · ~?\d+k\s*$/);
    const label = await meterOf(page).locator("a").getAttribute("aria-label");
    assert.match(label ?? "", /\d+ percent full, [\d,]+ of 80,000 tokens\..*[Tt]rigger line/);
  });

  it("tell in the hover what the number is made of, with links that run", async () => {
    const { page } = host;
    await meterOf(page).hover();
    const hover = page.locator(".monaco-hover:visible .hover-contents");
    await hover.locator("table").first().waitFor();
    const text = (await hover.textContent()) ?? "";
    for (const words of [
      /Used/,
      /Ceiling\s*80,000/,
      /Trigger line\s*63,616/,
      /Reserve\s*16,384/,
      /Tool results/,
    ]) {
      assert.match(text, words);
    }
    assert.match(text, /Evictable: [\d,]+ parts/);
    await screenshot(page, "meter-hover");
    await hover.locator("a", { hasText: "Settings" }).click();
    await page.locator(".settings-editor:visible").waitFor();
    await runCommandByTitle(page, "View: Close All Editors");
  });

  it("offer the actions of the meter by a click, and change nothing by it", async () => {
    const { page } = host;
    await meterOf(page).click();
    await quickRow(page, "Compact Now with Focus").waitFor();
    for (const action of ["Compact Now", "Preview", "Switch Session", "Open Transcript", "Settings"]) {
      assert.ok(await quickRow(page, action).first().isVisible(), action);
    }
    assert.equal(await quickRow(page, "Undo Last Compaction").count(), 0, "there is nothing to take back");
    await screenshot(page, "meter-actions");
    await page.keyboard.press("Escape");
  });

  it("compact by the palette and end in a sentence with one next action; undo is offered then", async () => {
    const { page } = host;
    const before = await meterOf(page).textContent();
    await runCommandByTitle(page, "Context Capsule: Compact Now");
    const list = await openNotifications(page);
    const row = list.locator(".notification-list-item", { hasText: /Compacted from/ });
    await row.waitFor();
    await screenshot(page, "compact-now-done");
    assert.equal(await row.locator(".monaco-button:visible", { hasText: "Continue in Chat" }).count(), 1);
    await closeNotifications(page);
    await meterOf(page)
      .filter({ hasNotText: before ?? "" })
      .waitFor();
    await meterOf(page).click();
    await quickRow(page, "Undo Last Compaction").click();
    await answerNotification(page, /Taken back/);
    await meterOf(page)
      .filter({ hasText: before ?? "" })
      .waitFor();
  });

  it("list each session with fullness, age and size, the active one marked", async () => {
    const { page } = host;
    await importByPicker(page, join(samples, short?.fileName ?? ""));
    const row = sessionRow(page, SHORT_LABEL);
    await row.waitFor();
    await page.locator('.monaco-list-row[aria-label*=", active, "]', { hasText: SHORT_LABEL }).waitFor();
    assert.match((await row.textContent()) ?? "", /\d+ kB|\d+ B/);
    const other = sessionRow(page, start(long?.title ?? ""));
    assert.match((await other.getAttribute("aria-label")) ?? "", /% full · now · [\d.]+ kB/);
    await screenshot(page, "sessions-list");
  });

  it("rename by F2, refusing a blank title", async () => {
    const { page } = host;
    await sessionRow(page, SHORT_LABEL).click();
    await page.keyboard.press("F2");
    await quickInput(page).waitFor();
    await quickInput(page).fill("  ");
    await page.locator(".quick-input-message:visible", { hasText: "A session needs a title" }).waitFor();
    await quickInput(page).fill("Night buses, renamed");
    await quickInput(page).press("Enter");
    await sessionRow(page, "Night buses, renamed").waitFor();
  });

  it("find words inside messages and go there", async () => {
    const { page } = host;
    await runCommandByTitle(page, "Context Capsule: Search Sessions…");
    await quickInput(page).fill("qzxv nowhere");
    await quickRow(page, "No session holds all of these words").waitFor();
    await quickInput(page).fill("tide");
    await quickRow(page, start(long?.title ?? ""))
      .first()
      .waitFor();
    await screenshot(page, "sessions-search");
    await quickRow(page, start(long?.title ?? ""))
      .first()
      .click();
    await page
      .locator('.monaco-list-row[aria-label*=", active, "]', { hasText: start(long?.title ?? "") })
      .waitFor();
  });

  it("keep the active session, its name and the meter over a reload", async () => {
    const { page } = host;
    await sessionRow(page, "Night buses, renamed").click();
    await page
      .locator('.monaco-list-row[aria-label*=", active, "]', { hasText: "Night buses, renamed" })
      .waitFor();
    const meter = await meterOf(page).textContent();
    await host.reload();
    await meterOf(page).waitFor();
    assert.equal(await meterOf(page).textContent(), meter);
    await page
      .locator('.monaco-list-row[aria-label*=", active, "]', { hasText: "Night buses, renamed" })
      .waitFor();
  });

  it("open read-only in a second window, which takes over by a click", async () => {
    const { page } = host;
    const second = await page.context().newPage();
    await second.goto(page.url());
    try {
      const row = second.locator('.monaco-list-row[aria-label*=", read-only · "]', {
        hasText: "Night buses, renamed",
      });
      await second.locator(".part.statusbar").waitFor();
      // The icon is there before our code: VS Code remembers it. The meter comes with the session restored.
      await meterOf(second).waitFor();
      await openCapsuleViews(second);
      await sessionRow(second, "Night buses, renamed").click();
      await row.waitFor();
      await screenshot(second, "sessions-read-only");
      await row.hover();
      await row.locator('.action-label[aria-label^="Take Over Session"]').click();
      await row.waitFor({ state: "hidden" });
      await answerNotification(second, /This window writes/);
    } finally {
      await second.close();
    }
  });

  it("delete by the Delete key, and give it back by Undo", async () => {
    const { page } = host;
    await sessionRow(page, "Night buses, renamed").click();
    await page.keyboard.press("Delete");
    await sessionRow(page, "Night buses, renamed").waitFor({ state: "hidden" });
    assert.equal(await meterOf(page).isVisible(), false, "no session is active then");
    await answerNotification(page, /Deleted “Night buses, renamed”\. It is kept for 30 days/, "Undo");
    await sessionRow(page, "Night buses, renamed").waitFor();
    await meterOf(page).waitFor();
  });

  it("start anew from a capsule: its commitments are there, its messages are not", async () => {
    const { page } = host;
    await sessionRow(page, start(long?.title ?? "")).click();
    await page
      .locator('.monaco-list-row[aria-label*=", active, "]', { hasText: start(long?.title ?? "") })
      .waitFor();
    await runCommandByTitle(page, "Context Capsule: Compact Now");
    await answerNotification(page, /generation \d/);
    await runCommandByTitle(page, "Context Capsule: New Session from This Capsule");
    const title = page.locator(".quick-input-widget:visible .quick-input-title");
    await title.filter({ hasText: "New Session from This Capsule" }).waitFor();
    assert.equal(await quickInput(page).inputValue(), `${long?.title} (continued)`);
    await quickInput(page).fill("Part two");
    await quickInput(page).press("Enter");
    await page.locator('.monaco-list-row[aria-label*=", active, "]', { hasText: "Part two" }).waitFor();
    await page
      .locator('.pane:has(.pane-header[aria-label^="Capsules"]) .monaco-list-row:visible', {
        hasText: "Commitments",
      })
      .waitFor();
    await screenshot(page, "sessions-from-capsule");
    await meterOf(page).hover();
    const hover = page.locator(".monaco-hover:visible .hover-contents");
    await hover.locator("table").first().waitFor();
    const said = (await hover.textContent()) ?? "";
    assert.doesNotMatch(said, /Tool results/);
    assert.match(said, /Used\s*\d,\d{3}\b/, "the capsule counts");
  });

  it("lie as one file a session in the workspace's storage", async () => {
    const root = join(host.userFolder, "workspaceStorage");
    const logs = (await readdir(root, { recursive: true })).filter((path) =>
      /sessions\/[^/]+\.jsonl$/.test(path),
    );
    const titles = await Promise.all(
      logs.map(async (path) => (await readFile(join(root, path), "utf8")).includes("Night buses, renamed")),
    );
    assert.equal(logs.length, 3);
    assert.equal(titles.filter(Boolean).length, 1);
  });
});
