import assert from "node:assert/strict";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { sampleSessions, writeSampleSessions } from "../demo/sessions/sampleSessions.mts";
import { runFolder } from "../host/runFolder.mts";
import { runCommandByTitle } from "./commands.mts";
import type { OpenHost } from "./openHost.mts";
import { openHost } from "./openHost.mts";
import { screenshot } from "./screenshot.mts";
import {
  answerNotification,
  closeNotifications,
  importByPicker,
  openCapsuleViews,
  quickInput,
} from "./sessionSteps.mts";

const [long] = sampleSessions();
const WINDOW = 80_000;

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

function editorLine(page: Page, text: string | RegExp): Locator {
  return page.locator(".editor-instance:visible .view-line", { hasText: text });
}

describe("capsules, documents and the person's hand", () => {
  let host: OpenHost;
  before(async () => {
    const samples = await runFolder("ui-capsules");
    await writeSampleSessions(samples);
    host = await openHost({
      settings: {
        "contextCapsule.window": WINDOW,
        "contextCapsule.keepRecentTokens": 4000,
        "contextCapsule.keepRecentTurns": 1,
        "workbench.secondarySideBar.defaultVisibility": "hidden",
      },
      viewport: { width: 1600, height: 1000 },
    });
    await openCapsuleViews(host.page);
    await importByPicker(host.page, join(samples, long?.fileName ?? ""));
    await answerNotification(host.page, /Imported/);
  });
  after(() => host.dispose());

  it("say that the session has no capsule yet, and what to do", async () => {
    const { page } = host;
    await page.locator(".welcome-view-content:visible", { hasText: "has not been compacted yet" }).waitFor();
    await screenshot(page, "capsules-empty");
  });

  it("preview what a compaction would do", async () => {
    const { page } = host;
    await runCommandByTitle(page, "Context Capsule: Preview Compaction");
    await editorLine(page, "How it would end").waitFor();
    await editorLine(page, "Limits in effect").waitFor();
    await page
      .locator(".editor-instance:visible .view-line .mtkb", { hasText: "Limits in effect" })
      .waitFor();
    await screenshot(page, "preview");
  });

  it("show the transcript, colored and foldable, with the way to what is sent", async () => {
    const { page } = host;
    await runCommandByTitle(page, "Context Capsule: Open Transcript");
    await editorLine(page, "End of the transcript.").waitFor();
    await screenshot(page, "transcript");
    await page.locator('.editor-actions [aria-label^="Compare Transcript with Context as Sent"]').waitFor();
  });

  it("show each generation with its tokens, model, time and end state, and all that it holds", async () => {
    const { page } = host;
    await runCommandByTitle(page, "Context Capsule: Compact Now");
    const generation = capsuleRow(page, "Generation 1").first();
    await generation.waitFor();
    await closeNotifications(page);
    const label = await generation.getAttribute("aria-label");
    assert.match(
      label ?? "",
      /^Generation 1, Compacted \(summarized\), from [\d,]+ to [\d,]+ tokens, by .*, in the context now/,
    );
    await expand(generation);
    await expand(capsuleRow(page, /^Commitments/));
    await expand(capsuleRow(page, /^Artifacts/));
    await screenshot(page, "capsules-tree");
  });

  it("open the source message of a commitment at its place", async () => {
    const { page } = host;
    const commitment = page.locator('.monaco-list-row[aria-label^="Commitment: "]:visible').first();
    const text = (await commitment.locator(".label-name").textContent())?.slice(0, 20) ?? "";
    await commitment.click();
    await page.locator(".tab.active", { hasText: "Transcript" }).waitFor();
    await editorLine(page, text).first().waitFor();
    await capsuleRow(page, "Objective").first().hover();
    await commitment.locator(".label-name").hover();
    await page.locator(".monaco-hover:visible", { hasText: "SHA-256" }).waitFor();
    await screenshot(page, "capsules-commitment");
  });

  it("reword, retire and restore a commitment; each is a generation of its own", async () => {
    const { page } = host;
    const commitment = page.locator('.monaco-list-row[aria-label^="Commitment: "]:visible').first();
    const words = (await commitment.locator(".label-name").textContent()) ?? "";
    await commitment.hover();
    await commitment.locator('[aria-label^="Reword Commitment"]').click();
    const input = quickInput(page);
    await input.waitFor();
    await input.fill(" ");
    await page.locator(".quick-input-widget:visible", { hasText: "Write what shall hold" }).waitFor();
    await input.fill("Everything is in metres, without any exception.");
    await screenshot(page, "capsules-reword");
    await input.press("Enter");
    await capsuleRow(page, "Generation 2").waitFor();
    const reworded = page
      .locator('.monaco-list-row[aria-label^="Commitment: Everything is in metres"]:visible')
      .first();
    await expand(capsuleRow(page, /^Commitments/));
    await reworded.waitFor();
    await reworded.hover();
    await reworded.locator('[aria-label^="Retire Commitment"]').click();
    await capsuleRow(page, "Generation 3").waitFor();
    await expand(capsuleRow(page, /^Retired commitments/));
    const retired = page
      .locator('.monaco-list-row[aria-label^="Retired commitment: Everything is in metres"]:visible')
      .first();
    await retired.waitFor();
    await page
      .locator(`.monaco-list-row[aria-label^="Retired commitment: ${words.slice(0, 15)}"]:visible`)
      .waitFor();
    await screenshot(page, "capsules-retired");
    await retired.hover();
    await retired.locator('[aria-label^="Restore Commitment"]').click();
    await capsuleRow(page, "Generation 4").waitFor();
    await expand(capsuleRow(page, /^Commitments/));
    await reworded.waitFor();
    await closeNotifications(page);
  });

  it("add a commitment from the message at the cursor, in words that can be changed", async () => {
    const { page } = host;
    await page
      .locator(
        '.monaco-list-row[aria-label^="Quote: "]:visible, .monaco-list-row[aria-label^="Commitment: "]:visible',
      )
      .first()
      .click();
    await page.locator(".tab.active", { hasText: "Transcript" }).waitFor();
    await runCommandByTitle(page, "Context Capsule: Add Commitment from Message…");
    const input = quickInput(page);
    await page
      .locator(".quick-input-widget:visible .quick-input-title", { hasText: "Add Commitment" })
      .waitFor();
    assert.notEqual(await input.inputValue(), "");
    await input.fill("Keep the table as it is.");
    await input.press("Enter");
    await capsuleRow(page, "Generation 5").waitFor();
  });

  it("compare a generation with the one before it in VS Code's own diff", async () => {
    const { page } = host;
    const generation = capsuleRow(page, "Generation 4").first();
    await generation.scrollIntoViewIfNeeded();
    await generation.hover();
    await generation.locator('[aria-label^="Compare with Previous Generation"]').click();
    await page.locator(".monaco-diff-editor:visible").waitFor();
    for (const number of [3, 4]) {
      await page
        .locator(".monaco-diff-editor:visible .view-line", { hasText: `Capsule ${number} –` })
        .waitFor();
    }
    await screenshot(page, "capsules-diff");
  });

  it("compare the transcript with what is sent", async () => {
    const { page } = host;
    await runCommandByTitle(page, "Context Capsule: Compare Transcript with Context as Sent");
    await page.locator(".tab.active", { hasText: "As Sent" }).waitFor();
    await page.locator(".monaco-diff-editor:visible .view-line", { hasText: "#1 " }).first().waitFor();
    await screenshot(page, "transcript-diff");
  });

  it("open an original, and its receipt", async () => {
    const { page } = host;
    const pane = page.locator('.pane:has(.pane-header[aria-label^="Capsules"])');
    await pane.locator(".pane-header").hover();
    await pane.locator('.action-label[aria-label="Collapse All"]').click();
    await expand(capsuleRow(page, "Generation 1"));
    const receipt = page.locator('.monaco-list-row[aria-label^="Receipt"]:visible').last();
    await receipt.scrollIntoViewIfNeeded();
    await receipt.click();
    await page.locator(".tab.active", { hasText: "Receipt" }).waitFor();
    await screenshot(page, "receipt");
    await expand(capsuleRow(page, /^Evicted parts/));
    const evicted = page.locator('.monaco-list-row[aria-label^="Evicted: "]:visible').first();
    await evicted.click();
    await page.locator(".tab.active", { hasText: "Original" }).waitFor();
    await page
      .locator(".editor-instance:visible .codelens-decoration", { hasText: /SHA-256 [0-9a-f]{64} checked/ })
      .waitFor();
    await screenshot(page, "original");
  });

  it("undo the run: the generation stays in the list, as undone", async () => {
    const { page } = host;
    await runCommandByTitle(page, "Context Capsule: Undo Last Compaction");
    await capsuleRow(page, "Generation 1, undone").waitFor();
    await closeNotifications(page);
    await page.locator('.monaco-list-row[aria-label^="Generation 5, undone"]:visible').waitFor();
    await screenshot(page, "capsules-undone");
  });
});
