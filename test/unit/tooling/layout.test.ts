import { deepEqual } from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join, matchesGlob } from "node:path";
import { projectRoot } from "./plantedProject.ts";

/** What a newcomer meets first; everything else has its place in one of the rooms. Dot files belong to tools. */
const TOP_LEVEL = [
  "CHANGELOG.md",
  "LICENSE",
  "README.md",
  "esbuild.mjs",
  "media",
  "package-lock.json",
  "package.json",
  "package.nls.json",
  "src",
  "test",
  "tsconfig.json",
];

describe("the top level", () => {
  it("holds the few names that belong there", () => {
    const ignored = readFileSync(join(projectRoot, ".gitignore"), "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => line.replace(/\/$/, ""));
    const names = readdirSync(projectRoot).filter(
      (name) => !name.startsWith(".") && !ignored.some((pattern) => matchesGlob(name, pattern)),
    );
    // A translation stands beside its original.
    deepEqual(names.filter((name) => !matchesGlob(name, "package.nls.*.json")).sort(), TOP_LEVEL);
  });
});
