import { deepEqual, equal, match, ok } from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkSteps, runStep } from "../../tools/check.ts";
import type { WallReport } from "../../tools/walls.ts";
import { checkWalls, sourceFiles } from "../../tools/walls.ts";
import type { PlantedProject, RoomName } from "./plantedProject.ts";
import { plantProject, projectRoot, roomFile, roomNames } from "./plantedProject.ts";

/** The contract: which room may use code of which, and which it may know by types alone. */
const allowed: Readonly<Record<RoomName, { code: readonly RoomName[]; types: readonly RoomName[] }>> = {
  core: { code: [], types: [] },
  models: { code: ["core"], types: [] },
  sessions: { code: ["core"], types: [] },
  engine: { code: ["core"], types: ["models", "sessions"] },
  vscode: { code: ["core", "models", "sessions", "engine"], types: [] },
};

const pairs = roomNames.flatMap((from) => roomNames.filter((to) => to !== from).map((to) => ({ from, to })));

interface Planting {
  readonly files: Readonly<Record<string, string>>;
  /** `rule: from`, for every violation that must be found in these files. */
  readonly expected: readonly string[];
}

function pairPlanting({ from, to }: { from: RoomName; to: RoomName }): Planting {
  const code = `src/${from}/codeOf_${to}.ts`;
  const types = `src/${from}/typesOf_${to}.ts`;
  const target = `../${to}/${roomFile[to]}`;
  const { code: codeRooms, types: typeRooms } = allowed[from];
  const expected: string[] = [];
  if (typeRooms.includes(to)) expected.push(`wall-${from}-types: ${code}`);
  else if (!codeRooms.includes(to)) expected.push(`wall-${from}: ${code}`, `wall-${from}: ${types}`);
  return {
    files: {
      [code]: `import * as room from "${target}";\nexport const used = room;\n`,
      [types]: `import type * as room from "${target}";\nexport type Used = typeof room;\n`,
    },
    expected,
  };
}

/** One file each; `rule` names what must be said about it and nothing else may be. */
const single: readonly { file: string; text: string; rules: readonly string[] }[] = [
  {
    file: "src/core/node.ts",
    text: 'export { readFileSync } from "node:fs";',
    rules: ["node-only-in-adapters"],
  },
  {
    file: "src/core/nodeTypes.ts",
    text: 'export type { Stats } from "node:fs";',
    rules: ["node-only-in-adapters"],
  },
  {
    file: "src/core/unprefixed.ts",
    text: 'export { join } from "path";',
    rules: ["node-only-in-adapters"],
  },
  { file: "src/core/package.ts", text: 'export * from "fast-check";', rules: ["wall-core"] },
  {
    file: "src/core/window.ts",
    text: 'export { window } from "vscode";',
    rules: ["vscode-only-in-its-room"],
  },
  {
    file: "src/core/lazyWindow.ts",
    text: 'export const load = () => import("vscode");',
    rules: ["vscode-only-in-its-room"],
  },
  {
    file: "src/core/toExtension.ts",
    text: 'export * from "../extension.ts";',
    rules: ["extension-is-the-top", "wall-core"],
  },
  {
    file: "src/core/toTest.ts",
    text: 'export * from "../../test/unit/any.test.ts";',
    rules: ["src-never-imports-test"],
  },
  { file: "src/core/lost.ts", text: 'export * from "./nowhere.ts";', rules: ["resolvable"] },
  { file: "src/models/package.ts", text: 'export * from "fast-check";', rules: ["wall-models"] },
  {
    file: "src/sessions/other.ts",
    text: 'export { readFileSync } from "node:fs";',
    rules: ["node-only-in-adapters"],
  },
  {
    file: "src/engine/windowTypes.ts",
    text: 'import type { Uri } from "vscode";\nexport type Place = Uri;',
    rules: ["vscode-only-in-its-room"],
  },
  {
    file: "src/engine/inlineType.ts",
    text: 'export type Place = import("vscode").Uri;',
    rules: ["vscode-only-in-its-room"],
  },
  {
    file: "src/vscode/toExtension.ts",
    text: 'export * from "../extension.ts";',
    rules: ["extension-is-the-top", "wall-vscode"],
  },
  {
    file: "src/vscode/count.worker.ts",
    text: 'export { show } from "./surface.ts";',
    rules: ["no-vscode-in-a-worker"],
  },
];

/** A cycle is reported once, at one of its files. */
const cycles: readonly Planting[] = [
  {
    files: {
      "src/core/ring1.ts": 'export * from "./ring2.ts";\n',
      "src/core/ring2.ts": 'export * from "./ring3.ts";\n',
      "src/core/ring3.ts": 'export * from "./ring1.ts";\n',
    },
    expected: ["no-cycle: src/core/ring1.ts"],
  },
  {
    files: {
      "src/core/typeRing1.ts": 'import type { B } from "./typeRing2.ts";\nexport type A = B[];\n',
      "src/core/typeRing2.ts": 'import type { A } from "./typeRing1.ts";\nexport type B = A[];\n',
    },
    expected: ["no-cycle: src/core/typeRing1.ts"],
  },
];

const plantings: readonly Planting[] = [
  ...cycles,
  ...pairs.map(pairPlanting),
  ...single.map(({ file, text, rules }) => ({
    files: { [file]: `${text}\n` },
    expected: rules.map((rule) => `${rule}: ${file}`),
  })),
];

const wallStep = checkSteps.find(({ name }) => name === "walls");

describe("walls between rooms", function () {
  this.timeout(30_000);
  let project: PlantedProject;
  let report: WallReport;
  const found = (file: string): string[] =>
    report.violations.filter(({ from }) => from === file).map(({ rule }) => `${rule}: ${file}`);

  before(async () => {
    const files = plantings.map((planting) => planting.files);
    project = plantProject(Object.assign({}, ...files));
    report = await checkWalls(project.root);
  });
  after(() => project.remove());

  for (const { files, expected } of plantings) {
    const names = Object.keys(files);
    it(`${names.join(", ")}: ${expected.length === 0 ? "allowed" : expected.join(", ")}`, () => {
      deepEqual([...new Set(names.flatMap(found))].sort(), [...expected].sort());
    });
  }

  it("says nothing about the faultless files", () => {
    const planted = new Set(plantings.flatMap(({ files }) => Object.keys(files)));
    deepEqual(
      report.violations.filter(({ from }) => !planted.has(from)),
      [],
    );
  });

  it("read every file", () => {
    deepEqual(report.unread, []);
    equal(report.moduleCount, sourceFiles(project.root).length);
    ok(report.moduleCount > plantings.length);
  });

  it("fails the check, naming rule and files", async () => {
    ok(wallStep !== undefined);
    const { code, output } = await runStep(wallStep, project.root);
    equal(code, 1);
    match(output, /wall-core: src\/core\/codeOf_engine\.ts → src\/engine\/live\.ts/);
  });
});

describe("a cruiser that reads too little", function () {
  this.timeout(30_000);

  for (const [what, exclude, unread] of [
    ["one room", "^src/engine/", ["src/engine/live.ts"]],
    ["everything", "^src/", undefined],
  ] as const) {
    it(`fails the check when it leaves out ${what}`, async () => {
      const project = plantProject();
      try {
        const file = join(project.root, ".dependency-cruiser.cjs");
        const text = readFileSync(file, "utf8");
        writeFileSync(
          file,
          `${text}\nmodule.exports.options.exclude = { path: ${JSON.stringify(exclude)} };\n`,
        );
        const report = await checkWalls(project.root);
        deepEqual(report.violations, []);
        deepEqual(report.unread, unread ?? sourceFiles(project.root));
        ok(wallStep !== undefined);
        const { code, output } = await runStep(wallStep, project.root);
        equal(code, 1);
        match(output, /not read by dependency-cruiser, so not checked: src\/engine\/live\.ts/);
      } finally {
        project.remove();
      }
    });
  }
});

describe("this project's own walls", () => {
  it("stand, and every file was read", async () => {
    const report = await checkWalls(projectRoot);
    deepEqual(report.violations, []);
    deepEqual(report.unread, []);
  });
});
