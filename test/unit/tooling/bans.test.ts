import { deepEqual, equal, match, ok } from "node:assert/strict";
import { isAbsolute, relative } from "node:path";
import type { CheckStep } from "../../tools/check.ts";
import { checkSteps, runStep } from "../../tools/check.ts";
import type { PlantedProject } from "./plantedProject.ts";
import { plantProject } from "./plantedProject.ts";

interface Ban {
  readonly file: string;
  readonly text: string;
  /** What the tool must say about the file; an empty list: it must say nothing. */
  readonly rules: readonly string[];
}

const global = "eslint(no-restricted-globals)";
const property = "eslint(no-restricted-properties)";

/** Clock, randomness and host are reached in many spellings. */
const impure: readonly (readonly [name: string, text: string, rule: string])[] = [
  ["dateNow", "export const now = () => Date.now();", global],
  ["dateNew", "export const now = () => new Date();", global],
  ["dateCall", "export const now = () => Date();", global],
  ["dateAlias", "const Clock = Date;\nexport const now = () => Clock.now();", global],
  ["random", "export const roll = () => Math.random();", property],
  ["randomByName", 'export const roll = () => Math["random"]();', property],
  ["randomTaken", "const { random } = Math;\nexport const roll = () => random();", property],
  ["performance", "export const now = () => performance.now();", global],
  ["crypto", "export const id = () => crypto.randomUUID();", global],
  ["globalThis", "export const now = () => globalThis.Date.now();", global],
  ["setTimeout", "export const later = (run: () => void) => setTimeout(run, 1);", global],
  ["setInterval", "export const often = (run: () => void) => setInterval(run, 1);", global],
  ["setImmediate", "export const soon = (run: () => void) => setImmediate(run);", global],
  ["queueMicrotask", "export const soon = (run: () => void) => queueMicrotask(run);", global],
  ["fetch", 'export const ask = () => fetch("a");', global],
  ["process", "export const here = () => process.cwd();", global],
  ["buffer", 'export const bytes = () => Buffer.from("a");', global],
  ["console", 'export const say = () => console.log("a");', global],
  ["intl", "export const format = () => new Intl.NumberFormat();", global],
  ["localeCompare", "export const order = (a: string, b: string) => a.localeCompare(b);", property],
];

const promises: readonly Ban[] = [
  {
    file: "src/vscode/floatingThenable.ts",
    text: 'import { commands } from "vscode";\nexport function run(): void {\n  commands.executeCommand("a");\n}\n',
    rules: ["typescript(no-floating-promises)"],
  },
  {
    file: "src/engine/floatingPromise.ts",
    text: "const work = async (): Promise<void> => {};\nexport function run(): void {\n  work();\n}\n",
    rules: ["typescript(no-floating-promises)"],
  },
  {
    file: "test/unit/floating.ts",
    text: "const work = async (): Promise<void> => {};\nexport function run(): void {\n  work();\n}\n",
    rules: ["typescript(no-floating-promises)"],
  },
  {
    file: "src/sessions/promiseAsCondition.ts",
    text: "const found = async (): Promise<boolean> => true;\nexport const run = (): string => (found() ? 'a' : 'b');\n",
    rules: ["typescript(no-misused-promises)"],
  },
  {
    file: "src/models/asyncListener.ts",
    text: "export const all = (items: readonly string[]): void => items.forEach(async (item) => void item);\n",
    rules: ["typescript(no-misused-promises)"],
  },
  {
    file: "src/vscode/handledThenable.ts",
    text: 'import { commands } from "vscode";\nexport function run(): void {\n  void commands.executeCommand("a");\n}\n',
    rules: [],
  },
];

/** Notifications make links of foreign text; one file shows them. */
const notices: readonly Ban[] = [
  {
    file: "src/vscode/ownNotice.ts",
    text: 'import * as vscode from "vscode";\nexport const say = () => vscode.window.showErrorMessage("a");\n',
    rules: [property],
  },
  {
    file: "src/vscode/noticeTaken.ts",
    text: 'import { window } from "vscode";\nconst { showWarningMessage } = window;\nexport const say = () => showWarningMessage("a");\n',
    rules: [property],
  },
  {
    file: "src/vscode/notices.ts",
    text: 'import { window } from "vscode";\nexport const say = () => window.showInformationMessage("a");\n',
    rules: [],
  },
];

const linted: readonly Ban[] = [
  ...notices,
  ...impure.map(([name, text, rule]) => ({ file: `src/core/${name}.ts`, text: `${text}\n`, rules: [rule] })),
  ...impure.map(([name, text]) => ({ file: `src/engine/${name}.ts`, text: `${text}\n`, rules: [] })),
  ...promises,
];

const styled: readonly Ban[] = [
  { file: "src/core/unformatted.ts", text: "export const a = 'b'\n", rules: ["format"] },
  { file: "test/unit/unformatted.ts", text: "export const a  =  1;\n", rules: ["format"] },
  {
    file: "src/core/unsorted.ts",
    text: 'import { longer } from "./word.ts";\nimport { digest } from "./digest.ts";\n\nexport const both = [longer, digest];\n',
    rules: ["assist/source/organizeImports"],
  },
  {
    file: "src/core/unusedImport.ts",
    text: 'import { longer } from "./word.ts";\n\nexport const a = 1;\n',
    rules: ["lint/correctness/noUnusedImports"],
  },
  {
    file: "src/core/inlineType.ts",
    text: 'import { longer, type Word } from "./word.ts";\n\nexport const same = (word: Word) => longer(word, word);\n',
    rules: ["lint/style/useImportType"],
  },
  {
    file: "src/core/anything.ts",
    text: "export const a = (value: any): string => String(value);\n",
    rules: ["lint/suspicious/noExplicitAny"],
  },
  {
    file: "src/core/byDefault.ts",
    text: "export default function a(): void {}\n",
    rules: ["lint/style/noDefaultExport"],
  },
  {
    file: "test/unit/focused.test.ts",
    text: 'it.only("a", () => {});\n',
    rules: ["lint/suspicious/noFocusedTests"],
  },
];

const typed: readonly Ban[] = [
  ...["core", "models", "sessions", "engine", "vscode"].map((room) => ({
    file: `src/${room}/wrongType.ts`,
    text: 'export const a: number = "b";\n',
    rules: ["TS2322"],
  })),
  { file: "test/unit/wrongType.ts", text: 'export const a: number = "b";\n', rules: ["TS2322"] },
  {
    file: "src/core/encoder.ts",
    text: "export const encode = () => new TextEncoder();\n",
    rules: ["TS2304"],
  },
  { file: "src/core/page.ts", text: "export const title = () => document.title;\n", rules: ["TS2584"] },
  { file: "src/core/signal.ts", text: "export type Signal = AbortSignal;\n", rules: ["TS2304"] },
  { file: "src/sessions/page.ts", text: "export const title = () => document.title;\n", rules: ["TS2584"] },
  {
    file: "src/core/newerLibrary.ts",
    text: "export const a = Object.groupBy([1], String);\n",
    rules: ["TS2550"],
  },
  { file: "src/engine/newerLibrary.ts", text: "export const a = Object.groupBy([1], String);\n", rules: [] },
  {
    file: "src/core/unchecked.ts",
    text: "export const first = (a: string[]): string => a[0];\n",
    rules: ["TS2322"],
  },
  {
    file: "src/core/optional.ts",
    text: "export const a: { b?: string } = { b: undefined };\n",
    rules: ["TS2375"],
  },
  {
    file: "src/core/indexed.ts",
    text: "export const a = (b: Record<string, string>) => b.c;\n",
    rules: ["TS4111"],
  },
  { file: "src/core/erased.ts", text: "export enum Kind {\n  A,\n}\n", rules: ["TS1294"] },
  {
    file: "src/core/override.ts",
    text: 'export class A extends Error {\n  name = "A";\n}\n',
    rules: ["TS4114"],
  },
  {
    file: "src/core/unused.ts",
    text: "export function a(): void {\n  const b = 1;\n}\n",
    rules: ["TS6133"],
  },
  {
    file: "src/core/verbatim.ts",
    text: 'import { Word } from "./word.ts";\n\nexport type Same = Word;\n',
    rules: ["TS1484"],
  },
];

const step = (name: string): CheckStep => {
  const found = checkSteps.find((candidate) => candidate.name === name);
  ok(found !== undefined, `no check step is called ${name}`);
  return found;
};

/** The rules named in each file, from lines that give a file (some tools: an absolute one) and a rule. */
function rulesByFile({
  output,
  line,
  root,
}: {
  output: string;
  line: RegExp;
  root: string;
}): Map<string, Set<string>> {
  const rules = new Map<string, Set<string>>();
  for (const { groups } of output.matchAll(line)) {
    const { file: named = "", rule = "" } = groups ?? {};
    const file = isAbsolute(named) ? relative(root, named) : named;
    rules.set(file, (rules.get(file) ?? new Set()).add(rule));
  }
  return rules;
}

const tools = [
  {
    name: "promises, purity",
    bans: linted,
    args: ["--format=unix"],
    line: /^(?<file>[^\s:]+):\d+:\d+: .*\[\w+\/(?<rule>[^\]]+)\]$/gm,
  },
  {
    name: "format and lint",
    bans: styled,
    args: ["--reporter=github", "--max-diagnostics=none"],
    line: /^::error title=(?<rule>[^,]+),file=(?<file>[^,]+),/gm,
  },
  { name: "types", bans: typed, args: [], line: /^(?<file>[^\s(]+)\(\d+,\d+\): error (?<rule>TS\d+):/gm },
];

describe("bans", function () {
  this.timeout(60_000);

  for (const { name, bans, args, line } of tools) {
    describe(name, () => {
      let project: PlantedProject;
      let rules: Map<string, Set<string>>;
      let code: number;

      before(async () => {
        project = plantProject(Object.fromEntries(bans.map(({ file, text }) => [file, text])));
        const { command, args: own } = step(name);
        const result = await runStep({ name, command, args: [...own, ...args] }, project.root);
        code = result.code;
        rules = rulesByFile({ output: result.output, line, root: project.root });
      });
      after(() => project.remove());

      it("fails the check", () => equal(code, 1));

      for (const { file, rules: expected } of bans) {
        it(`${file}: ${expected.length === 0 ? "allowed" : expected.join(", ")}`, () => {
          deepEqual([...(rules.get(file) ?? [])], expected);
        });
      }

      it("says nothing about the faultless files", () => {
        const planted = new Set(bans.map(({ file }) => file));
        deepEqual(
          [...rules.keys()].filter((file) => !planted.has(file)),
          [],
        );
      });
    });
  }
});

describe("a faultless project", function () {
  this.timeout(60_000);
  let project: PlantedProject;
  before(() => {
    project = plantProject();
  });
  after(() => project.remove());

  for (const each of checkSteps) {
    it(`passes: ${each.name}`, async () => {
      const { code, output } = await runStep(each, project.root);
      equal(code, 0, output);
    });
  }

  it("is really read by the linters", async () => {
    const { output: formatted } = await runStep(step("format and lint"), project.root);
    match(formatted, /Checked (?:[2-9]|\d\d)\d* files/);
    const { output: purity } = await runStep(step("promises, purity"), project.root);
    match(purity, /on (?:[89]|\d\d) files/);
  });
});
