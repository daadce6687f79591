// The walls between the rooms of src. Who may import whom is stated once, in `rooms`; the rules follow from it.
// test/tools/walls.ts runs them and proves that every file of src was read.

/** `imports`: rooms whose code may be used; `types`: rooms known by their types alone; `packages`: npm names. */
const rooms = {
  core: { imports: [], types: [], packages: ["zod", "@noble/hashes"] },
  models: { imports: ["core"], types: [], packages: ["ai", "@ai-sdk/[^/]+", "gpt-tokenizer"] },
  sessions: { imports: ["core"], types: [], packages: [] },
  engine: { imports: ["core"], types: ["models", "sessions"], packages: [] },
  vscode: { imports: ["core", "models", "sessions", "engine"], types: [], packages: [".+"] },
};

const vscodeModule = "^vscode$|(^|/)node_modules/@types/vscode/";

const folderOf = (room) => `^src/${room}/`;
const packagePath = (name) => `(^|/)node_modules/${name}/`;

/** What the other rules speak of is left to them, so that one fault has one name. */
const namedElsewhere = ["core", "unknown"];

function wallsOf([room, { imports, types, packages }]) {
  const from = { path: folderOf(room) };
  const known = [room, ...imports].map(folderOf);
  const rules = [
    {
      name: `wall-${room}`,
      comment: `src/${room} may import ${[...imports.map((name) => `src/${name}`), ...packages].join(", ") || "nothing"}${
        types.length > 0 ? `, and types of ${types.join(" and ")}` : ""
      }.`,
      severity: "error",
      from,
      to: {
        dependencyTypesNot: namedElsewhere,
        pathNot: [...known, ...types.map(folderOf), ...packages.map(packagePath), vscodeModule, "^test/"],
      },
    },
  ];
  if (types.length > 0) {
    rules.push({
      name: `wall-${room}-types`,
      comment: `src/${room} knows ${types.join(" and ")} by types alone: use "import type".`,
      severity: "error",
      from,
      to: { path: types.map(folderOf), dependencyTypesNot: ["type-only"] },
    });
  }
  return rules;
}

/** @type {import("dependency-cruiser").IConfiguration} */
module.exports = {
  forbidden: [
    ...Object.entries(rooms).flatMap(wallsOf),
    {
      name: "node-only-in-adapters",
      comment:
        "Node's own modules: in src/vscode, and in src/sessions only inside its Node adapters (node*.ts). Not even their types elsewhere.",
      severity: "error",
      from: {
        path: "^src/",
        pathNot: ["^src/vscode/", "^src/extension\\.ts$", "^src/sessions/.*\\bnode[A-Z][A-Za-z]*\\.ts$"],
      },
      to: { dependencyTypes: ["core"], pathNot: [vscodeModule] },
    },
    {
      name: "vscode-only-in-its-room",
      comment: "Only src/vscode and src/extension.ts know VS Code, types included.",
      severity: "error",
      from: { path: "^src/", pathNot: ["^src/vscode/", "^src/extension\\.ts$"] },
      to: { path: vscodeModule },
    },
    {
      name: "no-vscode-in-a-worker",
      comment: "A worker thread has no vscode module.",
      severity: "error",
      from: { path: "\\.worker\\.ts$" },
      to: { path: vscodeModule, reachable: true },
    },
    {
      name: "extension-is-the-top",
      comment: "src/extension.ts wires the rooms; nothing imports it.",
      severity: "error",
      from: { path: "^src/" },
      to: { path: "^src/extension\\.ts$" },
    },
    {
      name: "src-never-imports-test",
      severity: "error",
      from: { path: "^src/" },
      to: { path: "^test/" },
    },
    {
      name: "no-cycle",
      comment: "Types count: two files that need each other are one file, or want a third.",
      severity: "error",
      from: { path: "^src/" },
      to: { circular: true },
    },
    {
      name: "resolvable",
      severity: "error",
      from: { path: "^src/" },
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: "(^|/)node_modules/" },
    tsPreCompilationDeps: true,
    builtInModules: { add: ["vscode"] },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default", "types"],
      mainFields: ["module", "main", "types"],
      extensions: [".ts", ".js", ".mjs", ".cjs", ".d.ts"],
    },
  },
};
