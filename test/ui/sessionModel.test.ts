import assert from "node:assert/strict";
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
} from "./sessionSteps.mts";

const [long, library] = sampleSessions();
/** The line of a Demo Model of 40k. */
const SMALL_LINE = "30,000 of 40,000";

describe("the model of an imported session", () => {
  let host: OpenHost;
  let samples: string;
  before(async () => {
    assert.ok(long && library);
    samples = await runFolder("ui-samples");
    await writeSampleSessions(samples);
    host = await openHost({ settings: { "workbench.secondarySideBar.defaultVisibility": "hidden" } });
    await openCapsuleViews(host.page);
    await importByPicker(host.page, join(samples, long.fileName));
    await meterOf(host.page).waitFor();
  });
  after(() => host.dispose());

  const spoken = async (): Promise<string> =>
    (await meterOf(host.page).locator("a").getAttribute("aria-label")) ?? "";
  const hoverText = async (): Promise<string> => {
    const { page } = host;
    await page.locator(".part.editor").hover();
    await meterOf(page).hover();
    const hover = page.locator(".monaco-hover:visible .hover-contents");
    await hover.locator("table").first().waitFor();
    return (await hover.textContent()) ?? "";
  };

  it("is unknown at first, and so are window and percent", async () => {
    assert.match((await meterOf(host.page).textContent()) ?? "", /^\s*\? · ~?\d+k\s*$/);
    assert.match(await spoken(), /how many fit is unknown/);
    assert.match(await hoverText(), /no model yet.*Ceiling\s*unknown.*The context window is unknown/s);
  });

  it("is chosen from the hover: a window, a percent and the model's own count at once", async () => {
    const { page } = host;
    await page.locator(".monaco-hover:visible a", { hasText: "Choose a model" }).click();
    await quickRow(page, "Demo Model, large 200k").waitFor();
    assert.equal(await quickRow(page, "Offline").count(), 0, "what never chats has no window to fit");
    await screenshot(page, "session-model-pick");
    await quickRow(page, "Demo Model, large 200k").click();
    await meterOf(page)
      .filter({ hasText: /^\s*\d+% · \d+k\s*$/ })
      .waitFor();
    assert.match(await spoken(), /of 200,000 tokens\. Counted by the provider's own tokenizer/);
    assert.match(await hoverText(), /Demo Model, large 200k.*counted · now/s);
    await screenshot(page, "session-model-chosen");
  });

  it("stays over a reload", async () => {
    const { page } = host;
    const meter = await meterOf(page).textContent();
    await host.reload();
    await meterOf(page).waitFor();
    assert.equal(await meterOf(page).textContent(), meter);
    assert.match(await spoken(), /of 200,000 tokens/);
  });

  it("over whose line the session is brings the question, once, with the line shown", async () => {
    const { page } = host;
    await runCommandByTitle(page, "Context Capsule: Choose Session Model…");
    await quickRow(page, "Demo: good").click();
    await meterOf(page).filter({ hasText: "100%" }).waitFor();
    await page.locator(`[id="context-capsule.context-capsule.meter"].warning-kind`).waitFor();
    const list = await openNotifications(page);
    const question = list.locator(".notification-list-item", { hasText: "Compact by itself from now on" });
    await question.waitFor();
    await screenshot(page, "automatic-question");
    assert.match(
      (await question.textContent()) ?? "",
      new RegExp(`has reached its trigger line at ${SMALL_LINE}`),
    );
    await closeNotifications(page);
    assert.match(await hoverText(), /Automatic compaction asks first/);
    await answerNotification(page, "Compact by itself from now on", "Turn On");
    await page.locator(".part.editor").hover();
    assert.match(await hoverText(), /Automatic compaction is on/);
  });

  it("is the one that the preview names, though it never answered here; nothing ran by itself meanwhile", async () => {
    const { page } = host;
    await runCommandByTitle(page, "Context Capsule: Preview Compaction");
    const lines = page.locator(".editor-instance:visible .view-lines");
    await lines.filter({ hasText: /Demo:.good.would.write.a.capsule/ }).waitFor();
    await page.locator(".welcome-view-content:visible", { hasText: "not been compacted yet" }).waitFor();
    await runCommandByTitle(page, "View: Close All Editors");
  });

  it("of another session over its line asks nothing again in this workspace, not even after a reload", async () => {
    const { page } = host;
    await host.reload();
    await meterOf(page).waitFor();
    await importByPicker(page, join(samples, library?.fileName ?? ""));
    await meterOf(page).filter({ hasText: "?" }).waitFor();
    await runCommandByTitle(page, "Context Capsule: Choose Session Model…");
    await quickRow(page, "Demo Model, small 8k").click();
    await page.locator(`[id="context-capsule.context-capsule.meter"].warning-kind`).waitFor();
    const list = await openNotifications(page);
    await list.locator(".notification-list-item", { hasText: "Imported" }).first().waitFor();
    assert.equal(await list.locator(".notification-list-item", { hasText: "Compact by itself" }).count(), 0);
    await closeNotifications(page);
  });
});
