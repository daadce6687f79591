/**
 * The pictures of the README, over the demo's own session. A run of the tests leaves them in test/screenshots; only
 * `npm run pictures` names media/readme.
 */
import assert from "node:assert/strict";
import { cp, mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { writeSampleSessions } from "../demo/sessions/sampleSessions.mts";
import { projectRoot, vsixPath } from "../host/project.mts";
import { runFolder } from "../host/runFolder.mts";
import { PICTURES_VARIABLE } from "../tools/pictures.ts";
import { ask } from "./chatSteps.mts";
import { runCommandByTitle } from "./commands.mts";
import type { OpenHost } from "./openHost.mts";
import { openHost } from "./openHost.mts";
import { screenshotFolder } from "./screenshot.mts";
import { meterOf, openCapsuleViews } from "./sessionSteps.mts";

const MOST_BYTES = 150_000;
const MARGIN = 8;
const SIDE_BAR_WIDTH = 480;
const SESSIONS_HEIGHT = 130;

function capsuleRow(page: Page, text: string | RegExp): Locator {
  return page.locator('.pane:has(.pane-header[aria-label^="Capsules"]) .monaco-list-row:visible', {
    hasText: text,
  });
}

async function expand(row: Locator): Promise<void> {
  await row.first().waitFor();
  if ((await row.first().getAttribute("aria-expanded")) !== "true")
    await row.first().locator(".monaco-tl-twistie").click();
}

describe("the pictures of the README", () => {
  let host: OpenHost;
  let folder: string;

  before(async () => {
    const asked = process.env[PICTURES_VARIABLE];
    folder = asked ?? join(screenshotFolder, "readme");
    await mkdir(folder, { recursive: true });
    const workspace = join(await runFolder("ui-pictures"), "tide-tables");
    await cp(join(projectRoot, "test/demo/workspace"), workspace, { recursive: true });
    await writeSampleSessions(join(workspace, "sessions"));
    host = await openHost({
      extension: vsixPath,
      folder: workspace,
      settings: {
        "workbench.startupEditor": "none",
        "contextCapsule.summarizer": "context-capsule-demo/demo",
        "contextCapsuleDemo.behaviourModels": false,
      },
      viewport: { width: 1280, height: 800 },
    });
    const { page } = host;
    await openCapsuleViews(page);
    await meterOf(page).waitFor();
    await runCommandByTitle(page, "Context Capsule: Continue in Chat");
    await ask(page, "What did we decide about the port?");
    await runCommandByTitle(page, "View: Hide Secondary Side Bar");
    await arrangeSideBar(page);
    // It asks about automatic compaction, since the session is over its line.
    await page.locator(".notification-toast:visible", { hasText: "trigger line" }).waitFor();
    await runCommandByTitle(page, "Notifications: Clear All Notifications");
    await page.locator(".notification-toast:visible").first().waitFor({ state: "hidden" });
  });
  after(() => host.dispose());

  const keep = async (name: string, take: (path: string) => Promise<unknown>): Promise<void> => {
    const path = join(folder, `${name}.png`);
    await take(path);
    const { size } = await stat(path);
    assert.ok(size <= MOST_BYTES, `${name}.png has ${size} bytes; a README is to load quickly`);
  };

  it("show the meter with its hover", async () => {
    const { page } = host;
    await meterOf(page).hover();
    const hover = page.locator(".monaco-hover:visible", { hasText: "Trigger line" });
    await hover.waitFor();
    const box = await hover.boundingBox();
    const size = page.viewportSize();
    assert.ok(box && size);
    const [x, y] = [box.x - MARGIN, box.y - MARGIN];
    await keep("meter", (path) =>
      page.screenshot({ path, clip: { x, y, width: size.width - x, height: size.height - y } }),
    );
    await page.mouse.move(size.width / 2, size.height / 2);
  });

  it("show the preview", async () => {
    const { page } = host;
    await runCommandByTitle(page, "Context Capsule: Preview Compaction");
    await page.locator(".editor-instance:visible .view-line", { hasText: "Would be summarized" }).waitFor();
    await keep("preview", (path) => page.locator(".part.editor").screenshot({ path }));
  });

  it("show a generation and what it holds", async () => {
    const { page } = host;
    await runCommandByTitle(page, "Context Capsule: Compact Now");
    await expand(capsuleRow(page, "Generation 1"));
    await expand(capsuleRow(page, /^Evicted parts/));
    await expand(capsuleRow(page, /^Commitments/));
    await runCommandByTitle(page, "View: Focus Active Editor Group");
    await keep("capsules", (path) => page.locator(".part.sidebar").screenshot({ path }));
  });
});

/** Room for whole lines, and for the capsules below the one session. */
async function arrangeSideBar(page: Page): Promise<void> {
  const bar = await page.locator(".part.sidebar").boundingBox();
  const capsules = page.locator('.part.sidebar .pane-header[aria-label^="Capsules"]');
  assert.ok(bar);
  const edge = { x: bar.x + bar.width, y: bar.y + bar.height / 2 };
  await drag(page, edge, { ...edge, x: bar.x + SIDE_BAR_WIDTH });
  const header = await capsules.boundingBox();
  assert.ok(header);
  const boundary = { x: header.x + header.width / 2, y: header.y };
  await drag(page, boundary, { ...boundary, y: bar.y + SESSIONS_HEIGHT });
}

interface Point {
  readonly x: number;
  readonly y: number;
}

async function drag(page: Page, from: Point, to: Point): Promise<void> {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(to.x, to.y, { steps: 5 });
  await page.mouse.up();
}
