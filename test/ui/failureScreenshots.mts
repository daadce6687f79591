/** Root hooks of the UI stage: a picture of every open window beside each failure. */
import { openHosts } from "./openHost.mts";
import { screenshot } from "./screenshot.mts";

export const mochaHooks = {
  async afterEach(this: Mocha.Context): Promise<void> {
    const test = this.currentTest;
    if (test?.state !== "failed") return;
    const name = test.fullTitle().replaceAll(/[^A-Za-z0-9]+/g, "-");
    let number = 0;
    for (const host of openHosts) {
      const path = await screenshot(host.page, `failed-${name}${number++ === 0 ? "" : `-${number}`}`);
      console.log(`      picture: ${path}`);
    }
  },
};
