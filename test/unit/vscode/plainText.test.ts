import assert from "node:assert/strict";
import {
  showError,
  showInformation,
  showWarning,
  withCancellableProgress,
} from "../../../src/vscode/notices.ts";
import { plainLabel, plainNotice } from "../../../src/vscode/plainText.ts";
import { resetWindow, shown } from "./vscodeShim.ts";

/** How VS Code finds links in a notification. */
const LINK = /\[([^\]]+)\]\(((?:https?:\/\/|command:|file:)[^)\s]+)(?: (["'])(.+?)(\3))?\)/gi;

const hostile = [
  "[Click](command:workbench.action.terminal.sendSequence)",
  '[a](https://example.org "title") and [b](file:///etc/passwd)',
  "[[a](command:b)](command:c)",
  "[a]\u202e(command:b)",
  "[a](command:b)".repeat(3),
];

describe("plainText", () => {
  for (const text of hostile) {
    it(`leaves no link of a notification in ${JSON.stringify(text)}`, () => {
      assert.deepEqual(plainNotice(text).match(LINK), null);
    });
  }

  it("shows what could hide or reorder text as a sign", () => {
    assert.equal(plainNotice("abc\u202egpj.exe"), "abc<U+202E>gpj.exe");
    assert.equal(plainLabel("\u001b[31m"), "␛[31m");
  });

  it("leaves no icon in a label", () => {
    assert.equal(plainLabel("$(trash) $5 (six)"), "\\$(trash) $5 (six)");
  });

  it("goes through every notification and its progress", async () => {
    resetWindow();
    void showInformation("[a](command:b)");
    void showWarning("[a](command:b)", "Button");
    void showError("[a](command:b)");
    await withCancellableProgress("[a](command:b)", async (report) => report("[a](command:b)"));
    const [progress] = shown.progress;
    const texts = [...shown.messages.map(({ text }) => text), progress?.title, ...(progress?.reports ?? [])];
    assert.deepEqual(texts, Array(5).fill("[a] (command:b)"));
  });
});
