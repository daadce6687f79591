import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { removeRunFolder, runFolder } from "../host/runFolder.mts";

const projectRoot = resolve(import.meta.dirname, "../..");
const read = (name: string): string => readFileSync(join(projectRoot, name), "utf8");
const readme = read("README.md");
const { contributes } = JSON.parse(read("package.json"));
const texts: Record<string, string> = JSON.parse(read("package.nls.json"));

interface SettingEntry {
  readonly default: unknown;
  readonly markdownDescription: string;
  readonly enum?: readonly string[];
  readonly markdownEnumDescriptions?: readonly string[];
}

/** Text of `## heading`, up to the next one of its level. */
function section(heading: string): string {
  const [, text] = readme.split(`\n## ${heading}\n`);
  assert.ok(text, `README.md has no section "${heading}"`);
  return text.split("\n## ")[0] ?? "";
}

/** Cells of the table in a text, without its head. */
function rowsOf(text: string): string[][] {
  const lines = text.split("\n").filter((line) => line.startsWith("| "));
  return lines.slice(2).map((line) =>
    line
      .slice(1, -1)
      .split(" | ")
      .map((cell) => cell.trim()),
  );
}

function translated(key: string): string {
  return texts[key.slice(1, -1)] ?? assert.fail(`package.nls.json lacks ${key}`);
}

/** As a page shows it that knows neither settings nor commands. */
function plain(key: string): string {
  return translated(key)
    .replace(/`#([\w.]+)#`/g, "`$1`")
    .replace(/ \[[^\]]+\]\(command:[^)]+\)\./g, "");
}

function codeBlock(language: string): string {
  const blocks = [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "gms"))];
  assert.equal(blocks.length, 1, `one block of ${language}`);
  return blocks[0]?.[1] ?? "";
}

describe("README.md", () => {
  it("names every command by its title, and no other", () => {
    const known = contributes.commands as { command: string; title: string }[];
    const hidden = new Set(
      (contributes.menus.commandPalette as { command: string; when?: string }[])
        .filter(({ when }) => when === "false")
        .map(({ command }) => command),
    );
    const rows = rowsOf(section("Commands")).map(([title = ""]) => title);
    const titles = known.map(
      ({ command, title }) => `${translated(title)}${hidden.has(command) ? " ◦" : ""}`,
    );
    assert.equal(new Set(rows).size, rows.length);
    assert.deepEqual(new Set(rows), new Set(titles));
    for (const [title, description] of rowsOf(section("Commands"))) assert.ok(description, title);
  });

  it("names every setting with its default and its description, and no other", () => {
    const properties = Object.entries(contributes.configuration.properties as Record<string, SettingEntry>);
    assert.deepEqual(
      rowsOf(section("Settings")),
      properties.map(([key, entry]) => [
        `\`${key}\``,
        entry.default === null || entry.default === ""
          ? "empty"
          : `\`${JSON.stringify(entry.default).replaceAll('"', "")}\``,
        [
          plain(entry.markdownDescription),
          ...(entry.enum ?? []).map(
            (value, index) => `\`${value}\`: ${plain(entry.markdownEnumDescriptions?.[index] ?? "")}`,
          ),
        ].join(" "),
      ]),
    );
  });

  it("speaks of no command, setting, chat command or script that does not exist", () => {
    const titles = new Set(Object.entries(texts).map(([, text]) => text));
    const named = [...readme.matchAll(/\*\*(?:Context Capsule: )?([A-Z][\w ]+…?)\*\*/g)].map(
      ([, name]) => name,
    );
    const views = ["Context Capsule", "The meter", "The Capsules view", "The preview"];
    assert.deepEqual(
      named.filter((name) => !titles.has(name ?? "") && !views.includes(name ?? "")),
      [],
    );
    const settings = new Set(Object.keys(contributes.configuration.properties));
    for (const [name] of readme.matchAll(/contextCapsule\.\w+/g)) assert.ok(settings.has(name), name);
    const { scripts } = JSON.parse(read("package.json"));
    for (const [, name = ""] of readme.matchAll(/npm run (\w+)/g)) assert.ok(name in scripts, name);
    const chat = new Set(
      (contributes.chatParticipants[0].commands as { name: string }[]).map(({ name }) => name),
    );
    const slashes = [...readme.matchAll(/`(?:@capsule )?\/(\w+)`/g)].map(([, name = ""]) => name);
    assert.ok(slashes.length > 0);
    assert.deepEqual(
      slashes.filter((name) => !chat.has(name)),
      [],
    );
  });

  it("links only to files that exist, and shows only pictures that are in the VSIX", () => {
    const links = [...readme.matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map(([, path = ""]) => path);
    const pictures = links.filter((path) => path.endsWith(".png"));
    assert.ok(pictures.length >= 3);
    assert.deepEqual(
      links.filter((path) => !existsSync(join(projectRoot, path))),
      [],
    );
    for (const path of pictures)
      assert.match(path, /^media\/readme\/[\w-]+\.png$/, ".vscodeignore lets these in");
  });

  it("has an example that runs against the built library and prints what it says", async () => {
    assert.ok(existsSync(join(projectRoot, "dist/compaction.mjs")), "Run `npm run build` first.");
    const folder = await runFolder("readme");
    try {
      mkdirSync(join(folder, "node_modules"));
      symlinkSync(projectRoot, join(folder, "node_modules/context-capsule"), "dir");
      writeFileSync(join(folder, "example.mjs"), codeBlock("js"));
      const { stdout } = await promisify(execFile)(process.execPath, ["example.mjs"], { cwd: folder });
      assert.equal(stdout, codeBlock("text"));
    } finally {
      await removeRunFolder(folder);
    }
  });
});
