import assert from "node:assert/strict";
import type * as vscode from "vscode";
import type { MeterReading } from "../../../src/engine/liveSession.ts";
import { ActiveSession } from "../../../src/vscode/activeSession.ts";
import { AutomaticQuestion } from "../../../src/vscode/automaticQuestion.ts";
import { Settings } from "../../../src/vscode/settings.ts";
import { calm } from "./meterReadings.ts";
import {
  configuration,
  executedCommands,
  resetWindow,
  ShimMemento,
  setConfiguration,
  shown,
  trustGranted,
} from "./vscodeShim.ts";

const made: Settings[] = [];

function make(memento = new ShimMemento()) {
  const settings = new Settings(memento as unknown as vscode.Memento);
  made.push(settings);
  let changes = 0;
  settings.onDidChange(() => {
    changes += 1;
  });
  return { settings, memento, changes: () => changes };
}

beforeEach(() => {
  resetWindow();
  configuration.clear();
});

afterEach(() => {
  for (const settings of made.splice(0)) settings.dispose();
});

describe("Settings", () => {
  it("give the engine a policy, with window and budget only where they are set", () => {
    assert.deepEqual(make().settings.engine, {
      policy: { minRemaining: 16_384, keepRecentTokens: 20_000, keepRecentTurns: 2 },
      automatic: "ask",
      estimatedMode: false,
      summaryMaxTokens: 8192,
    });
    configuration.set("contextCapsule.window", 200_000);
    configuration.set("contextCapsule.contextBudget", 100_000);
    const { policy } = make().settings.engine;
    assert.deepEqual([policy.window, policy.budget], [200_000, 100_000]);
  });

  it("fall back with one notice that names the setting and what is used, once for a value", async () => {
    configuration.set("contextCapsule.minRemaining", -5);
    configuration.set("contextCapsule.automatic", "sometimes");
    const { settings } = make();
    assert.equal(settings.engine.policy.minRemaining, 0);
    assert.equal(shown.messages.length, 1);
    assert.match(shown.messages[0]?.text ?? "", /contextCapsule\.minRemaining cannot be -5; 0 is used/);
    assert.match(
      shown.messages[0]?.text ?? "",
      /contextCapsule\.automatic cannot be "sometimes"; "ask" is used/,
    );
    setConfiguration("contextCapsule.keepRecentTurns", 3);
    assert.equal(shown.messages.length, 1, "nothing new is wrong");
    setConfiguration("contextCapsule.minRemaining", -6);
    assert.equal(shown.messages.length, 2);
    await shown.messages[1]?.answer("Open Settings");
    assert.deepEqual(executedCommands, [
      { command: "contextCapsule.openSettings", args: ["contextCapsule.minRemaining"] },
    ]);
  });

  it("are read again when they change and when the workspace is trusted, and for no other setting", () => {
    const { settings, changes } = make();
    setConfiguration("editor.fontSize", 3);
    assert.equal(changes(), 0);
    setConfiguration("contextCapsule.summaryMaxTokens", 1000);
    assert.equal(settings.values.summaryMaxTokens, 1000);
    configuration.set("contextCapsule.automatic", "on");
    assert.equal(settings.automatic, "ask");
    trustGranted.fire();
    assert.equal(settings.automatic, "on");
    assert.equal(changes(), 2);
  });

  it("take an answer in the place of “ask” alone, and turn a setting on where it says off", async () => {
    const { settings, memento } = make();
    await settings.answerAutomatic("off");
    assert.equal(settings.automatic, "off");
    setConfiguration("contextCapsule.automatic", "on");
    assert.equal(settings.automatic, "on");
    setConfiguration("contextCapsule.automatic", "off");
    await settings.turnAutomaticOn();
    assert.equal(settings.automatic, "on");
    assert.equal(make(memento).settings.automatic, "on", "over a reload");
  });
});

describe("AutomaticQuestion", () => {
  const over: MeterReading = { ...calm, usedTokens: 112_000, fraction: 0.875, level: "over_line" };

  function ask() {
    const { settings, memento } = make();
    const sessions = new ActiveSession({
      openStore: () => assert.fail(),
      openLive: () => assert.fail(),
      workspaceState: memento as unknown as vscode.Memento,
    });
    const question = new AutomaticQuestion({
      sessions,
      settings,
      onError: () => assert.fail(),
    });
    return { question, settings, memento };
  }

  it("is put once, with the line shown; nobody waits for it, and undecided is no", async () => {
    const { question } = ask();
    assert.equal(await question.mayCompact(over), false);
    assert.equal(await question.mayCompact(over), false);
    assert.equal(shown.messages.length, 1);
    assert.match(shown.messages[0]?.text ?? "", /112,000 tokens.*line at 111,616 of 128,000/);
  });

  it("counts from the answer on", async () => {
    const { question, settings } = ask();
    await question.mayCompact(over);
    await shown.messages[0]?.answer("Turn On");
    assert.equal(settings.automatic, "on");
    assert.equal(await question.mayCompact(over), true);
    assert.equal(await question.mayCompact(calm), true);
  });

  it("is not put again after a no or after it was closed", async () => {
    for (const answer of ["Keep Off", undefined, "Compact Now"]) {
      resetWindow();
      const { question, settings, memento } = ask();
      await question.mayCompact(over);
      await shown.messages[0]?.answer(answer);
      assert.equal(await question.mayCompact(over), false);
      assert.equal(shown.messages.length, 1);
      assert.equal(settings.automatic, "off", "what the hover shows");
      assert.equal(make(memento).settings.automatic, "off", "over a reload");
    }
  });

  it("is not put below the line, without a provider's number, read-only, or where the setting decides", async () => {
    const { question } = ask();
    for (const reading of [
      calm,
      { ...over, basis: "imported" as const },
      { ...over, basis: "estimated" as const },
      { ...over, readOnly: true },
      { ...over, level: "stopped" as const },
    ]) {
      assert.equal(await question.mayCompact(reading), false);
    }
    configuration.set("contextCapsule.automatic", "off");
    assert.equal(await ask().question.mayCompact(over), false);
    assert.deepEqual(shown.messages, []);
    configuration.set("contextCapsule.automatic", "ask");
    configuration.set("contextCapsule.estimatedMode", true);
    await ask().question.mayCompact({ ...over, basis: "estimated" });
    assert.equal(shown.messages.length, 1);
  });
});
