import assert from "node:assert/strict";
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { longSample } from "../demo/sessions/sampleSessions.mts";
import { projectRoot } from "../host/project.mts";
import { removeRunFolder, runFolder } from "../host/runFolder.mts";
import { runCommandByTitle } from "./commands.mts";
import type { OpenHost } from "./openHost.mts";
import { openHost } from "./openHost.mts";
import { screenshot } from "./screenshot.mts";
import { meterOf, openNotifications, quickInput, quickRow } from "./sessionSteps.mts";

/** Every sentence in angle quotes: what a person sees without them never went to a translator. */
const marked = (text: string): string => `«${text}»`;

async function readJson<Value>(path: string): Promise<Value> {
  return JSON.parse(await readFile(join(projectRoot, path), "utf8")) as Value;
}

/** The product as it is built, with a translation of all that it offers to translators. */
async function translatedProduct(locale: string): Promise<string> {
  const folder = await runFolder("ui-translated");
  await mkdir(join(folder, "media"));
  await cp(join(projectRoot, "media"), join(folder, "media"), { recursive: true });
  await cp(join(projectRoot, "package.json"), join(folder, "package.json"));
  await cp(join(projectRoot, "package.nls.json"), join(folder, "package.nls.json"));
  // No link: VS Code tells whose code it runs by its real path.
  await cp(join(projectRoot, "dist"), join(folder, "dist"), { recursive: true });
  const titles = await readJson<Record<string, string>>("package.nls.json");
  const sentences = await readJson<Record<string, string>>("media/l10n/bundle.l10n.json");
  const translate = (texts: Record<string, string>): string =>
    JSON.stringify(Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, marked(text)])));
  await writeFile(join(folder, `package.nls.${locale}.json`), translate(titles));
  await writeFile(join(folder, `media/l10n/bundle.l10n.${locale}.json`), translate(sentences));
  return folder;
}

describe("a French locale", () => {
  let host: OpenHost;
  let extension: string;
  let sample: string;
  before(async () => {
    extension = await translatedProduct("fr");
    const folder = await runFolder("ui-samples");
    sample = join(folder, longSample().fileName);
    await writeFile(sample, longSample().text);
    host = await openHost({
      extension,
      locale: "fr",
      settings: {
        "contextCapsule.window": 80_000,
        "workbench.secondarySideBar.defaultVisibility": "hidden",
      },
    });
  });
  after(async () => {
    await host.dispose();
    await removeRunFolder(extension);
  });

  it("applies to commands, views and welcome texts of the manifest", async () => {
    const { page } = host;
    await page.locator('.activitybar .action-label[aria-label*="Context Capsule"]').waitFor();
    await runCommandByTitle(page, "Focus on «Sessions» View");
    await page.locator(".pane-header:visible", { hasText: marked("Sessions") }).waitFor();
    await page
      .locator(".welcome-view-content:visible", { hasText: /«No sessions in this workspace yet/ })
      .waitFor();
    await screenshot(page, "locale-french");
  });

  it("applies to what the code says: picker, report, meter, hover, numbers", async () => {
    const { page } = host;
    await runCommandByTitle(page, marked("Import Session…"));
    await page
      .locator(".quick-input-widget:visible .quick-input-title", { hasText: marked("Import Session") })
      .waitFor();
    await quickRow(page, "..").first().waitFor();
    await quickInput(page).fill(sample);
    await quickRow(page, longSample().fileName).first().waitFor();
    await quickInput(page).press("Enter");

    const list = await openNotifications(page);
    await list.locator(".notification-list-item", { hasText: /«Imported “Tide tables/ }).waitFor();
    await meterOf(page).waitFor();
    await page.locator('[id="status.notifications"]').click();
    const label = (await meterOf(page).locator("a").getAttribute("aria-label")) ?? "";
    assert.match(label, /^«Context of Tide tables/);
    assert.match(
      label,
      /«\d+ percent full, \d{2}\s\d{3} of 80\s000 tokens\.»/,
      "numbers as the French write them",
    );
    await page.locator(".part.editor").hover();
    await meterOf(page).hover();
    const hover = page.locator(".monaco-hover:visible .hover-contents");
    await hover.locator("table").first().waitFor();
    const cells = await hover.locator("td:first-child").allTextContents();
    assert.deepEqual(
      cells.filter((text) => text.trim() !== "" && !text.includes("«")),
      [],
    );
    await screenshot(page, "locale-french-hover");
  });
});
