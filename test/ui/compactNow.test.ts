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
  quickRow,
  sessionRow,
} from "./sessionSteps.mts";

const [long] = sampleSessions();
const TITLE = "Tide tables";

/** The only session's log, as it is on disk. */
async function logText(host: OpenHost): Promise<string> {
  const root = join(host.userFolder, "workspaceStorage");
  const logs = (await readdir(root, { recursive: true })).filter((path) =>
    /sessions\/[^/]+\.jsonl$/.test(path),
  );
  assert.equal(logs.length, 1);
  return readFile(join(root, logs[0] as string), "utf8");
}

describe("a compaction whose summarizer never answers", () => {
  let host: OpenHost;
  before(async () => {
    const samples = await runFolder("ui-samples");
    await writeSampleSessions(samples);
    host = await openHost({
      settings: {
        "contextCapsule.window": 80_000,
        "contextCapsule.summarizer": "context-capsule-demo/never-answers",
        "contextCapsule.keepRecentTokens": 1000,
        "contextCapsule.keepRecentTurns": 1,
        "workbench.secondarySideBar.defaultVisibility": "hidden",
      },
    });
    await openCapsuleViews(host.page);
    await importByPicker(host.page, join(samples, long?.fileName ?? ""));
    await meterOf(host.page).waitFor();
  });
  after(() => host.dispose());

  const begin = async (): Promise<void> => {
    await runCommandByTitle(host.page, "Context Capsule: Compact Now");
    const list = await openNotifications(host.page);
    await list
      .locator(".notification-list-item", { hasText: "Summarizing with Demo: never-answers…" })
      .waitFor();
  };

  it("shows its progress in the list and in the meter, and hides what cannot run meanwhile", async () => {
    const { page } = host;
    await begin();
    await screenshot(page, "compact-now-progress");
    await closeNotifications(page);
    await page.locator('[id="context-capsule.context-capsule.meter"] .codicon-sync').waitFor();
    await meterOf(page).click();
    await quickRow(page, "Open Transcript").waitFor();
    assert.equal(await quickRow(page, "Compact Now").count(), 0);
    await page.keyboard.press("Escape");
  });

  const cancel = async (): Promise<void> => {
    const { page } = host;
    const list = await openNotifications(page);
    const row = list.locator(".notification-list-item", { hasText: "Summarizing with Demo" });
    await row.locator(".monaco-button:visible", { hasText: "Cancel" }).click();
    await row.waitFor({ state: "hidden" });
    await closeNotifications(page);
    await page.locator('[id="context-capsule.context-capsule.meter"] .codicon-archive').waitFor();
  };

  it("ends at once by Cancel: what was evicted before is told, and nothing spins", async () => {
    await cancel();
    assert.match(
      await answerNotification(host.page, /Compacted from/),
      /No summary was made after that\. You cancelled it/,
    );
  });

  it("says nothing but a word in the status bar where nothing had changed", async () => {
    const { page } = host;
    await begin();
    await cancel();
    await page.locator(".statusbar-item:visible", { hasText: "Cancelled, nothing changed" }).waitFor();
    const list = await openNotifications(page);
    assert.equal(await list.locator(".notification-list-item", { hasText: "Cancelled, nothing" }).count(), 0);
  });

  it("killed in the middle, leaves the session as the last finished step left it, and nothing that spins", async () => {
    const { page } = host;
    await closeNotifications(page);
    const meter = await meterOf(page).textContent();
    await begin();
    const onDisk = await logText(host);
    await host.killExtensionHost();
    assert.equal(await logText(host), onDisk);
    await host.reload();
    await meterOf(page).waitFor();
    assert.equal(await meterOf(page).textContent(), meter);
    await page.locator('[id="context-capsule.context-capsule.meter"] .codicon-archive').waitFor();
    await sessionRow(page, TITLE).waitFor();
    assert.ok((await logText(host)).startsWith(onDisk));
  });
});
