import assert from "node:assert/strict";
import { runCommandByTitle } from "./commands.mts";
import type { OpenHost } from "./openHost.mts";
import { openHost } from "./openHost.mts";
import { screenshot } from "./screenshot.mts";
import { openCapsuleViews, quickInput, quickRow } from "./sessionSteps.mts";

const STEPS = ["Open a session", "See how full it is", "Compact, and take it back"];

describe("the walkthrough", () => {
  let host: OpenHost;
  before(async () => {
    host = await openHost({
      settings: {
        "workbench.secondarySideBar.defaultVisibility": "hidden",
      },
    });
    await openCapsuleViews(host.page);
    await runCommandByTitle(host.page, "Welcome: Open Walkthrough");
    await quickInput(host.page).fill("Get Started with Context Capsule");
    await quickRow(host.page, "Get Started with Context Capsule").first().waitFor();
    // By key: the hover of a row under the mouse would lie over the steps.
    await quickInput(host.page).press("Enter");
  });
  after(() => host.dispose());

  for (const [index, step] of STEPS.entries()) {
    it(`shows “${step}” with a picture in the theme's colours`, async () => {
      const { page } = host;
      await page.locator(".getting-started-step", { hasText: step }).click();
      await page.locator(".getting-started-step.expanded", { hasText: step }).waitFor();
      const picture = page
        .frameLocator(".getting-started-media iframe.webview.ready")
        .frameLocator("iframe#active-frame")
        .locator("svg > rect")
        .first();
      await picture.waitFor();
      const fill = await picture.evaluate((rect) => getComputedStyle(rect).fill);
      assert.notEqual(fill, "rgb(0, 0, 0)", "black is what an unknown colour gives");
      await screenshot(page, `walkthrough-${index + 1}`);
    });
  }
});
