import assert from "node:assert/strict";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sampleSessions, writeSampleSessions } from "../demo/sessions/sampleSessions.mts";
import { projectRoot } from "../host/project.mts";
import { removeRunFolder, runFolder } from "../host/runFolder.mts";
import { workbenchAddress } from "../host/workbenchPage.mts";
import { runCommandByTitle } from "./commands.mts";
import type { OpenHost } from "./openHost.mts";
import { openHost } from "./openHost.mts";
import { screenshot } from "./screenshot.mts";
import {
  importByPicker,
  meterOf,
  openCapsuleViews,
  quickInput,
  quickRow,
  sessionRow,
} from "./sessionSteps.mts";

const [long] = sampleSessions();
const TITLE = "Tide tables";
const SESSIONS = '.pane:has(.pane-header[aria-label^="Sessions"]) .monaco-list-row:visible';

describe("sessions of a folder", () => {
  let host: OpenHost;
  let root: string;
  let port: number;
  before(async () => {
    root = await runFolder("ui-places");
    await mkdir(join(root, "first"));
    await writeSampleSessions(join(root, "samples"));
    host = await openHost({
      folder: join(root, "first"),
      settings: { "workbench.secondarySideBar.defaultVisibility": "hidden" },
    });
    port = Number(new URL(host.page.url()).port);
    await openCapsuleViews(host.page);
    await importByPicker(host.page, join(root, "samples", long?.fileName ?? ""));
    await sessionRow(host.page, TITLE).waitFor();
  });
  after(async () => {
    await host.dispose();
    await removeRunFolder(root);
  });

  /** Opens another folder or workspace file in the same window, as `File: Open…` does. */
  const open = async (what: "folder" | "workspace", path: string): Promise<void> => {
    const { page } = host;
    const explorer = page.locator(".pane-header:visible", {
      hasText: /No Folder Opened|stranger|renamed|both/,
    });
    do {
      await page.goto(workbenchAddress({ port, extensionDevelopmentPath: projectRoot, [what]: path }));
      await page.locator(".monaco-workbench .part.statusbar").waitFor();
      await runCommandByTitle(page, "View: Show Explorer");
      await explorer.first().waitFor();
      // A workspace file that it opens for the first time VS Code sometimes takes for one without folders.
    } while (((await explorer.first().textContent()) ?? "").includes("No Folder Opened"));
    await openCapsuleViews(page);
  };

  it("are there again when the folder was renamed", async () => {
    await rename(join(root, "first"), join(root, "renamed"));
    await open("folder", join(root, "renamed"));
    await sessionRow(host.page, TITLE).waitFor();
  });

  it("come with the folder when it is added to a workspace, without a reload", async () => {
    const { page } = host;
    await mkdir(join(root, "second"));
    const file = join(root, "both.code-workspace");
    await writeFile(file, JSON.stringify({ folders: [{ path: "second" }] }));
    await open("workspace", file);
    await page
      .locator(".welcome-view-content:visible", { hasText: "No sessions in this workspace" })
      .waitFor();
    await writeFile(file, JSON.stringify({ folders: [{ path: "second" }, { path: "renamed" }] }));
    await sessionRow(page, TITLE).waitFor();
  });

  it("are there again when the folder becomes one of several", async () => {
    const file = join(root, "both of them.code-workspace");
    await writeFile(file, JSON.stringify({ folders: [{ path: "renamed" }, { path: "second" }] }));
    await open("workspace", file);
    await sessionRow(host.page, TITLE).waitFor();
    assert.equal(await host.page.locator(SESSIONS).count(), 1);
    await screenshot(host.page, "places-multi-root");
  });

  it("are found by a command from a folder that has nothing to do with it, and listed there from then on", async () => {
    const { page } = host;
    await mkdir(join(root, "stranger"));
    await open("folder", join(root, "stranger"));
    await page
      .locator(".welcome-view-content:visible", { hasText: "No sessions in this workspace" })
      .waitFor();
    await runCommandByTitle(page, "Context Capsule: Find Sessions on Disk");
    const row = quickRow(page, join(root, "first"));
    await row.waitFor();
    await screenshot(page, "places-find");
    await row.locator("input[type=checkbox], .monaco-checkbox, .quick-input-list-checkbox").first().click();
    await quickInput(page).press("Enter");
    await sessionRow(page, TITLE).waitFor();
    await sessionRow(page, TITLE).click();
    await meterOf(page).waitFor();
    await host.reload();
    await openCapsuleViews(page);
    await sessionRow(page, TITLE).waitFor();
  });
});
