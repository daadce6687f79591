import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sampleSessions, writeSampleSessions } from "../demo/sessions/sampleSessions.mts";
import { runFolder } from "../host/runFolder.mts";
import { ask, askAndStop, chatRequest, pickModel, replyTo, untilChatIsSaved } from "./chatSteps.mts";
import { runCommandByTitle, untilDone } from "./commands.mts";
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

const SENT = /That was ([\d,]+) messages?/;

function messagesSent(reply: string): number {
  const found = SENT.exec(reply);
  assert.ok(found, `the Demo Model does not say what it was sent: ${reply}`);
  return Number(found[1]?.replaceAll(",", ""));
}

describe("a chat with @capsule", () => {
  let host: OpenHost;
  before(async () => {
    host = await openHost({ viewport: { width: 1500, height: 1000 } });
    await openCapsuleViews(host.page);
    await host.page
      .locator(".welcome-view-content:visible", { hasText: "No sessions in this workspace yet" })
      .waitFor();
  });
  after(() => host.dispose());

  it("answers the first message of a fresh window, in a session of its own", async () => {
    const { page } = host;
    const said = await ask(page, "Never push without a review. How high is the water?");
    assert.match(said, /scripted demo/);
    assert.equal(messagesSent(said), 1);
    await sessionRow(page, "Never push without a review").waitFor();
    await meterOf(page).waitFor();
    await screenshot(page, "chat-first-message");
  });

  it("sends the session's context with the next message", async () => {
    const { page } = host;
    assert.equal(messagesSent(await ask(page, "And tomorrow?")), 3);
  });

  it("shows where the context stands", async () => {
    const { page } = host;
    const said = await ask(page, "/context");
    assert.match(said, /Never push without a review/);
    assert.match(said, /Used: \d+%/);
    assert.match(said, /Trigger line: [\d,]+/);
    assert.match(said, /Assistant/);
    assert.doesNotMatch(said, /\$\(/);
    await screenshot(page, "chat-context");
  });

  it("says that there is nothing to undo", async () => {
    assert.match(await ask(host.page, "/undo"), /There is no compaction to take back/);
  });

  it("takes an attached file once, though its editor is open beside it", async () => {
    const { page } = host;
    assert.ok(host.folder);
    await writeFile(join(host.folder, "pier.md"), "The lamp on the pier is green.\n");
    await page.keyboard.press("Control+P");
    await quickInput(page).fill("pier.md");
    await quickRow(page, "pier.md").first().waitFor();
    await page.keyboard.press("Enter");
    await page.locator(".tab", { hasText: "pier.md" }).waitFor();
    await runCommandByTitle(page, "Chat: Add File to Chat");
    const said = await ask(page, "What colour has the lamp on the pier?");
    assert.match(said, /The lamp on the pier is green/);
    await screenshot(page, "chat-attached-file");
    assert.equal(messagesSent(said), 6, "the file, the question, and the two exchanges before");
  });

  describe("that continues an imported session", () => {
    const [long] = sampleSessions();
    before(async () => {
      const { page } = host;
      assert.ok(long);
      const samples = await runFolder("ui-chat-samples");
      await writeSampleSessions(samples);
      await importByPicker(page, join(samples, long.fileName));
      await sessionRow(page, long.title.slice(0, 20)).waitFor();
      await runCommandByTitle(page, "Context Capsule: Continue in Chat");
      await chatRequest(page, "And tomorrow?").waitFor({ state: "detached" });
    });

    it("shows no percent before a model is known, and one once the person has chosen it", async () => {
      const { page } = host;
      assert.match((await meterOf(page).getAttribute("aria-label")) ?? "", /window is unknown|unknown/i);
      // The new chat takes the keys late, and a picker that is open then closes.
      await untilDone(page, async () => {
        await runCommandByTitle(page, "Context Capsule: Choose Session Model…");
        await quickInput(page).fill("context-capsule-demo/demo-large", { timeout: 3000 });
        await quickRow(page, "demo-large").first().click({ timeout: 3000 });
      });
      await meterOf(page).and(page.locator('[aria-label*="200,000"]')).waitFor();
    });

    it("measures it against the model of the chat", async () => {
      const { page } = host;
      await pickModel(page, "Demo Model");
      const said = await ask(page, "/context");
      assert.match(said, /72,000/);
      assert.match(said, /reached/);
      await meterOf(page).locator("xpath=self::*[contains(@aria-label, '87')]").waitFor();
      await screenshot(page, "chat-context-over-line");
    });

    it("is compacted by the chat's model and says how it ended", async () => {
      const { page } = host;
      const said = await ask(page, "/compact the harbour tables");
      assert.match(said, /Compacted from \d+k to \d+k tokens/);
      assert.match(said, /Written by Demo Model/);
      await screenshot(page, "chat-compacted");
    });

    it("goes on from the compacted context", async () => {
      const sent = messagesSent(await ask(host.page, "What is left to do?"));
      assert.ok(sent < 60, `${sent} messages were sent`);
    });

    it("takes the compaction back", async () => {
      const { page } = host;
      assert.match(await ask(page, "/undo"), /Taken back/);
      assert.ok(messagesSent(await ask(page, "Is all of it here again?")) > 100);
      await screenshot(page, "chat-undone");
    });

    it("keeps its session over a reload of the window", async () => {
      const { page } = host;
      // The closing quote: what the reply says, not only the request.
      await untilChatIsSaved(host, "Is all of it here again?”");
      await runCommandByTitle(page, "Developer: Reload Window");
      await meterOf(page).waitFor({ state: "detached" });
      await meterOf(page).waitFor();
      await chatRequest(page, "Is all of it here again?").waitFor();
      const said = await ask(page, "And after the reload?");
      assert.ok(messagesSent(said) > 100);
      assert.doesNotMatch(said, /continues from/);
      await screenshot(page, "chat-reloaded");
    });

    it("branches where an earlier message was edited, and says so", async () => {
      const { page } = host;
      await chatRequest(page, "Is all of it here again?").click();
      const box = page.locator(".interactive-request .monaco-editor[role=code]:visible");
      await box.waitFor();
      await page.keyboard.press("Control+A");
      await page.keyboard.type("@capsule Is all of it back?");
      await screenshot(page, "chat-editing");
      await page.keyboard.press("Enter");
      const said = await replyTo(page, "Is all of it back?");
      assert.match(
        said,
        /This continues from message \d+\. The 4 later messages stay in the session's record\./,
      );
      await screenshot(page, "chat-branched");
    });

    it("stops a compaction whose model never answers, and goes on", async () => {
      const { page } = host;
      await pickModel(page, "Demo: never-answers");
      assert.doesNotMatch(await askAndStop(page, "/compact"), /Compacted/);
      await pickModel(page, "Demo Model");
      const context = await ask(page, "/context");
      assert.match(context, /Last run: Cancelled/);
      await screenshot(page, "chat-stopped");
    });

    it("ends in words where the provider refuses", async () => {
      const { page } = host;
      await pickModel(page, "Demo: error-401");
      const compacted = await ask(page, "/compact");
      assert.match(compacted, /did not accept the sign-in or key/);
      assert.match(await ask(page, "/new Another matter"), /New session: Another matter/);
      const answered = await ask(page, "Are you there?");
      assert.match(answered, /did not accept the sign-in or key/);
      assert.match(answered, /Your message is kept/);
      await screenshot(page, "chat-provider-error");
    });
  });
});
