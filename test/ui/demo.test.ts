import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { chromium } from "playwright-core";
import { browser } from "../host/browser.mts";
import { pinnedNode, projectRoot } from "../host/project.mts";
import { removeRunFolder, runFolder } from "../host/runFolder.mts";
import { screenshot } from "./screenshot.mts";

const SAMPLE = "Tide tables for six harbours";
const ADDRESS = /^Context Capsule demo: (http:\S+)$/m;

describe("npm start", () => {
  let folder: string;
  let demo: ChildProcess;
  let output = "";
  let page: Page;
  let close: () => Promise<void>;

  const start = async (): Promise<string> => {
    output = "";
    demo = spawn(
      pinnedNode,
      [join(projectRoot, "test/host/bootstrap.mjs"), "test/demo/start.mts", "--no-browser"],
      {
        cwd: projectRoot,
        env: { ...process.env, CONTEXT_CAPSULE_DEMO_FOLDER: folder },
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
    while (demo.exitCode === null && !ADDRESS.test(output)) {
      const [chunk] = (await once(demo.stdout as NodeJS.ReadableStream, "data")) as [Buffer];
      output += chunk.toString();
    }
    demo.stdout?.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
    return ADDRESS.exec(output)?.[1] ?? assert.fail(`no address in: ${output}`);
  };
  const stop = async (): Promise<number | null> => {
    const exited = once(demo, "exit") as Promise<[number | null]>;
    demo.kill("SIGINT");
    return (await exited)[0];
  };

  before(async () => {
    folder = await runFolder("demo");
    const launched = await chromium.launch({
      executablePath: await browser(),
      args: ["--no-sandbox", "--disable-gpu"],
    });
    page = await launched.newPage({ viewport: { width: 1440, height: 900 } });
    close = () => launched.close();
  });
  after(async () => {
    await close();
    if (demo.exitCode === null) await stop();
    await removeRunFolder(folder);
  });

  const sampleRows = async (): Promise<number> => {
    await page.locator('.activitybar a[aria-label^="Context Capsule"]').click();
    const rows = page.locator(".pane-body:visible .monaco-list-row", { hasText: SAMPLE });
    await rows.first().waitFor();
    return rows.count();
  };

  it("shows the sample session in the demo workspace", async () => {
    await page.goto(await start());
    assert.equal(await sampleRows(), 1);
    await page.locator(".markdown-body, iframe.webview").first().waitFor({ state: "attached" });
    await screenshot(page, "demo");
  });

  it("says where it runs when it is started again meanwhile", async () => {
    const second = spawn(pinnedNode, [join(projectRoot, "test/demo/start.mts")], {
      env: { ...process.env, CONTEXT_CAPSULE_DEMO_FOLDER: folder },
      stdio: ["ignore", "pipe", "inherit"],
    });
    let said = "";
    second.stdout.on("data", (chunk: Buffer) => {
      said += chunk.toString();
    });
    const [code] = (await once(second, "close")) as [number];
    assert.equal(code, 0);
    assert.match(said, /^The demo runs already: http:/);
  });

  it("stops on Ctrl+C, and keeps the one session for the next start", async () => {
    assert.equal(await stop(), 0);
    assert.match(output, /Stopped\.\s*$/);
    await page.goto(await start());
    assert.equal(await sampleRows(), 1);
  });
});
