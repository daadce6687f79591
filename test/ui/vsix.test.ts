import assert from "node:assert/strict";
import { vsixPath } from "../host/project.mts";
import { runCommandByTitle } from "./commands.mts";
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
    await runCommandByTitle(host.page, "Developer: Show Running Extensions");
    const rows = host.page.locator(".runtime-extensions-editor .monaco-list-row");
    for (const name of [/Context Capsule/, /Demo Model/]) {
      const row = rows.filter({ hasText: name }).filter({ hasText: /Activation: \d+ms/ });
      await row.waitFor();
    }
    await screenshot(host.page, "vsix-running-extensions");
  });

  it("gets a new extension host when one is killed", async () => {
    const killed = await host.killExtensionHost();
    assert.notEqual(await host.extensionHostPid(), killed);
  });
});
