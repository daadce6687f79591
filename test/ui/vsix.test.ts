import assert from "node:assert/strict";
import { vsixPath } from "../host/project.mts";
import { runCommandByTitle, untilDone } from "./commands.mts";
import type { OpenHost } from "./openHost.mts";
import { openHost } from "./openHost.mts";
import { screenshot } from "./screenshot.mts";

describe("the VSIX", () => {
  let host: OpenHost;
  before(async () => {
    host = await openHost({ extension: vsixPath });
  });
  after(() => host.dispose());

  it("installs and activates beside the Demo Model", async () => {
    const rows = host.page.locator(".runtime-extensions-editor .monaco-list-row");
    // The list is of the moment it was opened in; one of them may activate after that.
    await untilDone(host.page, async () => {
      await runCommandByTitle(host.page, "View: Close All Editors");
      await runCommandByTitle(host.page, "Developer: Show Running Extensions");
      for (const name of [/Context Capsule/, /Demo Model/]) {
        const row = rows.filter({ hasText: name }).filter({ hasText: /Activation: \d+ms/ });
        await row.waitFor({ timeout: 4000 });
      }
    });
    await screenshot(host.page, "vsix-running-extensions");
  });

  it("gets a new extension host when one is killed", async () => {
    const killed = await host.killExtensionHost();
    assert.notEqual(await host.extensionHostPid(), killed);
  });
});
