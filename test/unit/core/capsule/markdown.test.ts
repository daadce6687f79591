import assert from "node:assert/strict";
import { capsuleMarkdown, ENGLISH_LABELS } from "../../../../src/core/capsule/markdown.ts";
import { anchorOf, capsule, source } from "./capsuleBuilders.ts";

const u1 = source("u1", "Never push to main.");
const summary = capsule(
  [anchorOf("a", u1, { kind: "constraint", critical: true }), anchorOf("b", source("u2", "line one\n# two"))],
  {
    objective: "Port *the* parser",
    facts: ["[click](command:evil) ![x](http://x) <img src=x>"],
    decisions: [{ decision: "Use zod", why: "small" }],
    artifacts: [{ path: "src/a_b.ts", change: "" }],
    state: { completed: ["lexer"], active: ["1. parser"], blocked: [] },
    next: ["- write"],
    citations: [{ segmentId: "t1#c1", digest: "0".repeat(64), what: "test log" }],
    lookupHints: ["src/a.ts"],
  },
);

describe("capsuleMarkdown", () => {
  it("renders under the headings context, what was done, current state, preferences and constraints", () => {
    const text = capsuleMarkdown(summary);
    assert.deepEqual(
      text.split("\n").filter((line) => line.startsWith("## ")),
      ["## Context", "## What was done", "## Current state", "## Preferences and constraints"],
    );
    for (const line of [
      "- Port \\*the\\* parser",
      "- lexer",
      "- src/a\\_b.ts",
      "- Use zod — small",
      "- 1\\. parser",
      "- \\- write",
      "- t1\\#c1: test log",
      "- constraint: “Never push to main.”",
      "- fact: “line one\n  \\# two”",
    ]) {
      assert.ok(text.includes(`${line}\n`), line);
    }
  });

  it("text of a chat is never markup", () => {
    const text = capsuleMarkdown(summary);
    assert.ok(text.includes("\\[click\\](command:evil) \\!\\[x\\](http://x) \\<img src=x\\>"));
  });

  it("says where nothing was noted, in the words it is given", () => {
    const labels = { ...ENGLISH_LABELS, done: "Was getan ist", nothing: "Nichts." };
    assert.ok(capsuleMarkdown(capsule([]), labels).includes("## Was getan ist\n\nNichts.\n"));
  });
});
