import assert from "node:assert/strict";
import { runCommandByTitle } from "./commands.mts";
import type { OpenHost } from "./openHost.mts";
import { openHost } from "./openHost.mts";
import { screenshot } from "./screenshot.mts";

describe("the window", () => {
  let host: OpenHost;
  before(async () => {
    host = await openHost();
  });
  after(() => host.dispose());

  it("shows the product among the running extensions", async () => {
    await runCommandByTitle(host.page, "Developer: Show Running Extensions");
    const row = host.page.locator(".runtime-extensions-editor .monaco-list-row", {
      hasText: /context-capsule/,
    });
    await row.waitFor();
    await screenshot(host.page, "smoke-running-extensions");
  });

  it("keeps working after a killed extension host and a reload", async () => {
    const killed = await host.killExtensionHost();
    await host.reload();
    assert.notEqual(await host.extensionHostPid(), killed);
  });
});
