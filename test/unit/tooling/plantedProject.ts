import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

export const projectRoot = resolve(import.meta.dirname, "../../..");

export const roomNames = ["core", "models", "sessions", "engine", "vscode"] as const;
export type RoomName = (typeof roomNames)[number];

/** Everything that `npm run check` reads besides sources: the real files, so that the real rules are proved. */
const configuration = [
  ".dependency-cruiser.cjs",
  ".gitignore",
  ".oxlintrc.json",
  ".biome.json",
  "package.json",
  "src/tsconfig.base.json",
  "tsconfig.json",
  "src/package.json",
  ...roomNames.map((room) => `src/${room}/tsconfig.json`),
  "test/package.json",
  "test/tsconfig.json",
];

/** A small faultless project: one file a room, all that the walls allow, and a test that imports whatever it likes. */
const faultless: Readonly<Record<string, string>> = {
  "src/core/word.ts": `export interface Word {
  readonly text: string;
}

export function longer(a: Word, b: Word): Word {
  return a.text.length > b.text.length ? a : b;
}
`,
  "src/core/digest.ts": `import { sha256 } from "@noble/hashes/sha2.js";
import * as z from "zod";

const bytes = z.instanceof(Uint8Array);

export const digest = (value: unknown): Uint8Array => sha256(bytes.parse(value));
`,
  "src/models/offline.ts": `import type { Word } from "../core/word.ts";
import { longer } from "../core/word.ts";

export const answer = (words: readonly Word[]): Word | undefined => words.slice().sort(byLength)[0];

const byLength = (a: Word, b: Word): number => (longer(a, b) === a ? -1 : 1);
`,
  "src/sessions/nodeFiles.ts": `import { readFileSync } from "node:fs";
import type { Word } from "../core/word.ts";

export const read = (path: string): Word => ({ text: readFileSync(path, "utf8") });
`,
  "src/engine/live.ts": `import { longer } from "../core/word.ts";
import type { answer } from "../models/offline.ts";
import type { read } from "../sessions/nodeFiles.ts";

export const now = (): number => Date.now();

export function pick(model: typeof answer, file: typeof read): string {
  return longer(file("a"), model([file("b")]) ?? file("c")).text;
}
`,
  "src/vscode/surface.ts": `import { basename } from "node:path";
import { commands } from "vscode";
import { longer } from "../core/word.ts";
import { pick } from "../engine/live.ts";
import { answer } from "../models/offline.ts";
import { read } from "../sessions/nodeFiles.ts";

export async function show(): Promise<string> {
  await commands.executeCommand(basename(pick(answer, read)));
  return longer(read("a"), read("b")).text;
}
`,
  "src/extension.ts": `import type { ExtensionContext } from "vscode";
import { show } from "./vscode/surface.ts";

export async function activate(context: ExtensionContext): Promise<string> {
  return \`\${context.extension.id} \${await show()}\`;
}
`,
  "test/unit/any.test.ts": `import { digest } from "../../src/core/digest.ts";
import { read } from "../../src/sessions/nodeFiles.ts";

describe("a test", () => {
  it("may import any room", () => {
    digest(new TextEncoder().encode(read("a").text));
  });
});
`,
};

export interface PlantedProject {
  readonly root: string;
  remove(): void;
}

/** Writes the faultless project with the real configuration to a temporary folder, and the planted files over it. */
export function plantProject(planted: Readonly<Record<string, string>> = {}): PlantedProject {
  const root = mkdtempSync(join(tmpdir(), "context-capsule-check-"));
  for (const file of configuration) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    cpSync(join(projectRoot, file), join(root, file));
  }
  symlinkSync(join(projectRoot, "node_modules"), join(root, "node_modules"), "dir");
  for (const [file, text] of Object.entries({ ...faultless, ...planted })) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  return { root, remove: () => rmSync(root, { recursive: true }) };
}

/** One file of the faultless project for each room, to import from a planted one. */
export const roomFile: Readonly<Record<RoomName, string>> = {
  core: "word.ts",
  models: "offline.ts",
  sessions: "nodeFiles.ts",
  engine: "live.ts",
  vscode: "surface.ts",
};
