import { deepEqual, equal, match, ok } from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { strFromU8, unzipSync } from "fflate";
import type { BuiltFile } from "../../../esbuild.mjs";
import { packageExtension, stageExtension } from "../../tools/package.ts";
import { projectRoot } from "./plantedProject.ts";

/** What lies about in a working copy and is nobody's business. */
const strangers = [
  ".env",
  ".gitignore",
  ".biome.json",
  "dist/extension.js.map",
  "dist/notes.txt",
  "media/icon.afdesign",
  "node_modules/zod/index.js",
  "notes.md",
  "src/extension.ts",
  "test/demo/extension.js",
];

const wanted = [
  /^extension\/package\.json$/,
  /^extension\/package\.nls(\.[a-z-]+)?\.json$/,
  /^extension\/media\/l10n\/bundle\.l10n(\.[a-z-]+)?\.json$/,
  /^extension\/(readme|changelog)\.md$/,
  /^extension\/LICENSE\.txt$/,
  /^extension\/media\/syntaxes\/[\w.-]+\.json$/,
  /^extension\/dist\/[\w.-]+\.js$/,
  /^extension\/dist\/compaction\.(mjs|d\.ts)$/,
  /^extension\/dist\/third-party-notices\.txt$/,
  /^extension\/media\/((walkthrough|readme)\/)?[\w.-]+\.(svg|png)$/,
  /^extension\.vsixmanifest$/,
  /^\[Content_Types\]\.xml$/,
];

/** No tokenizer, no AI SDK, no capsule code that a closed session does not need. */
const MAX_BYTES_AT_ACTIVATION = 150_000;

/** Paths of files that the manifest names, in any of its values. */
function filesNamedBy(value: unknown): string[] {
  if (typeof value === "string") {
    return /^(\.\/)?[\w-]+\/[\w./-]+\.(js|mjs|ts|json|svg|png|md)$/.test(value)
      ? [value.replace(/^\.\//, "")]
      : [];
  }
  return value !== null && typeof value === "object" ? Object.values(value).flatMap(filesNamedBy) : [];
}

describe("the VSIX", function () {
  this.timeout(60_000);
  let root: string;
  let built: BuiltFile[];
  let files: Record<string, Uint8Array>;

  before(async () => {
    root = mkdtempSync(join(tmpdir(), "context-capsule-package-"));
    built = await stageExtension(root);
    for (const name of strangers) {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      writeFileSync(join(root, name), "a stranger\n");
    }
    const out = join(root, "made.vsix");
    await packageExtension({ root, out });
    files = unzipSync(readFileSync(out));
  });
  after(() => rmSync(root, { recursive: true }));

  const manifest = (): Record<string, unknown> =>
    JSON.parse(strFromU8(files["extension/package.json"] ?? new Uint8Array()));

  it("holds nothing but what users need", () => {
    deepEqual(
      Object.keys(files).filter((name) => !wanted.some((pattern) => pattern.test(name))),
      [],
    );
  });

  it("holds the whole build, minified, without source maps", () => {
    for (const { name } of built) {
      const content = files[`extension/dist/${name}`];
      ok(content !== undefined, `${name} is missing`);
      ok(!strFromU8(content).includes("sourceMappingURL"), `${name} carries a source map`);
    }
    const first = strFromU8(files["extension/dist/extension.js"] ?? new Uint8Array()).split("\n", 1)[0];
    ok((first?.length ?? 0) > 200, "extension.js is not minified");
  });

  it("reads at most 150 kB of its own code at activation", () => {
    const bytes = built.filter(({ atStart }) => atStart).reduce((sum, file) => sum + file.bytes, 0);
    ok(bytes > 0 && bytes <= MAX_BYTES_AT_ACTIVATION, `${bytes} bytes are read at activation`);
  });

  it("holds readme, changelog, licence and the licences of others", () => {
    for (const name of ["readme.md", "changelog.md", "LICENSE.txt", "dist/third-party-notices.txt"]) {
      ok((files[`extension/${name}`]?.byteLength ?? 0) > 0, `${name} is missing or empty`);
    }
  });

  it("holds every file that its manifest names", () => {
    const named = filesNamedBy(manifest());
    ok(named.includes("dist/extension.js") && named.includes("media/icon.png"));
    deepEqual(
      named.filter((name) => !(`extension/${name}` in files)),
      [],
    );
    const { l10n } = manifest();
    const bundle = (name: string): boolean => name.startsWith("extension/media/l10n/bundle.l10n");
    if (l10n !== undefined) ok(Object.keys(files).some(bundle), "the manifest names l10n strings");
    if (JSON.stringify(manifest()).includes('"%')) ok("extension/package.nls.json" in files);
  });

  it("asks for no newer VS Code than the types it was written against", () => {
    const { engines, devDependencies } = JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8"));
    equal(engines.vscode, "^1.106.0");
    match(devDependencies["@types/vscode"], /^[~]?1\.106\./);
  });
});
