import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { longSample } from "../demo/sessions/sampleSessions.mts";
import { removeRunFolder, runFolder } from "../host/runFolder.mts";
import { runCommandByTitle } from "./commands.mts";
import type { OpenHost } from "./openHost.mts";
import { openHost } from "./openHost.mts";
import { screenshot } from "./screenshot.mts";
import { answerNotification, importByPicker, meterOf, openCapsuleViews } from "./sessionSteps.mts";

describe("a workspace that is not trusted", () => {
  let host: OpenHost;
  let folder: string;
  before(async () => {
    folder = await runFolder("ui-untrusted");
    await mkdir(join(folder, ".vscode"));
    await writeFile(
      join(folder, ".vscode/settings.json"),
      JSON.stringify({
        "contextCapsule.automatic": "on",
        "contextCapsule.summarizer": "context-capsule-demo/never-answers",
        "contextCapsule.estimatedMode": true,
        "contextCapsule.window": 80_000,
      }),
    );
    await writeFile(join(folder, longSample().fileName), longSample().text);
    host = await openHost({
      folder,
      settings: {
        "security.workspace.trust.enabled": true,
        "security.workspace.trust.startupPrompt": "never",
        "workbench.secondarySideBar.defaultVisibility": "hidden",
      },
    });
    await openCapsuleViews(host.page);
    await importByPicker(host.page, join(folder, longSample().fileName));
    await meterOf(host.page).waitFor();
  });
  after(async () => {
    await host.dispose();
    await removeRunFolder(folder);
  });

  const hoverText = async (): Promise<string> => {
    const { page } = host;
    await page.locator(".part.editor").hover();
    await meterOf(page).hover();
    const hover = page.locator(".monaco-hover:visible .hover-contents");
    await hover.locator("table").first().waitFor();
    return (await hover.textContent()) ?? "";
  };

  it("can neither turn automatic runs on nor choose who writes capsules; what spends nothing applies", async () => {
    const { page } = host;
    await page.locator(".statusbar-item:visible", { hasText: "Restricted Mode" }).waitFor();
    const text = await hoverText();
    assert.match(text, /Automatic compaction asks first/);
    assert.match(text, /Ceiling\s*80,000/);
    await screenshot(page, "trust-restricted");
    await runCommandByTitle(page, "Context Capsule: Compact Now");
    await answerNotification(page, /Compacted from .*generation 1/);
    assert.match(await hoverText(), /Generation 1: .*context-capsule\/offline/);
    await page.locator(".part.editor").hover();
    await runCommandByTitle(page, "Context Capsule: Undo Last Compaction");
    await answerNotification(page, /Taken back/);
  });

  it("is heard once it is trusted, without a reload", async () => {
    const { page } = host;
    await runCommandByTitle(page, "Workspaces: Manage Workspace Trust");
    await page
      .locator(".workspace-trust-editor .monaco-button:visible", { hasText: /^Trust/ })
      .first()
      .click();
    await page
      .locator(".statusbar-item:visible", { hasText: "Restricted Mode" })
      .waitFor({ state: "hidden" });
    await runCommandByTitle(page, "View: Close All Editors");
    assert.match(await hoverText(), /Automatic compaction is (on|paused)/);
    await screenshot(page, "trust-granted");
  });
});
