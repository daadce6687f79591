import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { commands, contextKeys, itemWords, settingRules, views } from "../../../src/vscode/contributions.ts";
import { buildManifest } from "../../tools/manifest/buildManifest.ts";

const packageJson = JSON.parse(readFileSync("package.json", "utf8"));
const packageTexts: Record<string, string> = JSON.parse(readFileSync("package.nls.json", "utf8"));
const { contributes, capabilities, nls } = buildManifest();

/** Every string inside a JSON value. */
function* strings(value: unknown): Generator<string> {
  if (typeof value === "string") yield value;
  else if (typeof value === "object" && value !== null)
    for (const part of Object.values(value)) yield* strings(part);
}

/** Ids with our prefix that a text names, such as a `when` clause or a Markdown link. */
function ownIds(text: string): string[] {
  return [...text.matchAll(/contextCapsule(?:\.[A-Za-z]+)?/g)].map(([id]) => id);
}

const sourceFiles = readdirSync("src/vscode", { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts") && file !== "contributions.ts")
  .map((file) => readFileSync(`src/vscode/${file}`, "utf8"))
  .join("\n");

describe("contributions", () => {
  it("are what package.json says, and package.json says nothing else (npm run manifest)", () => {
    assert.deepEqual(packageJson.contributes, JSON.parse(JSON.stringify(contributes)));
    assert.deepEqual(packageJson.capabilities, JSON.parse(JSON.stringify(capabilities)));
    assert.deepEqual(packageTexts, nls);
  });

  it("have a text for each %key%, and a use for each text", () => {
    const used = [...strings(packageJson.contributes), ...strings(packageJson.capabilities)]
      .map((text) => /^%(.+)%$/.exec(text)?.[1])
      .filter((key) => key !== undefined);
    assert.deepEqual([...new Set(used)].sort(), Object.keys(packageTexts).sort());
  });

  it("name only ids that exist: in menus, conditions, keys and links", () => {
    const known = new Set<string>([
      ...Object.values(commands),
      ...Object.values(contextKeys),
      ...Object.values(views),
      ...Object.keys(settingRules).map((name) => `contextCapsule.${name}`),
    ]);
    for (const text of [...strings(packageJson.contributes), ...Object.values(packageTexts)]) {
      for (const id of ownIds(text)) assert.ok(known.has(id), `${id} in “${text}”`);
    }
  });

  it("test menus only for words that tree items can carry", () => {
    const words = new Set<string>(Object.values(itemWords));
    for (const text of strings(packageJson.contributes.menus)) {
      for (const [, word] of text.matchAll(/viewItem =~ \/\\b(\w+)\\b\//g))
        assert.ok(words.has(word ?? ""), text);
    }
  });

  it("are all used by the code: no command, context key or setting lives in the manifest alone", () => {
    const unused = [
      ...Object.keys(commands).filter((name) => !sourceFiles.includes(`commands.${name}`)),
      ...Object.keys(contextKeys).filter((name) => !sourceFiles.includes(`contextKeys.${name}`)),
      ...Object.keys(itemWords).filter((name) => !sourceFiles.includes(`itemWords.${name}`)),
      ...Object.keys(settingRules).filter((name) => !new RegExp(`\\b${name}\\b`).test(sourceFiles)),
    ];
    assert.deepEqual(unused, []);
  });

  it("point only to pictures that exist", () => {
    for (const text of strings(packageJson.contributes)) {
      if (text.startsWith("media/")) assert.ok(existsSync(text), text);
    }
  });

  it("hide from the palette what wants an argument, and give every inline action an icon", () => {
    const { commandPalette, ...menus } = packageJson.contributes.menus;
    const icons = new Map<string, unknown>();
    for (const { command, icon } of packageJson.contributes.commands) icons.set(command, icon);
    for (const entries of Object.values<{ command: string; group: string }[]>(menus)) {
      for (const { command, group } of entries) {
        if (/^(inline|navigation)/.test(group)) assert.ok(icons.get(command), `${command} has no icon`);
      }
    }
    for (const command of [commands.showImportReport, commands.restoreCommitment, commands.openOriginal]) {
      assert.equal(
        commandPalette.find((entry: { command: string }) => entry.command === command)?.when,
        "false",
      );
    }
  });
});
