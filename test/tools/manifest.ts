/**
 * Writes the parts of package.json that the code has a say in (`contributes`, `capabilities`) and package.nls.json.
 *
 *   node test/tools/manifest.ts
 */
import { readFileSync, writeFileSync } from "node:fs";
import { buildManifest } from "./manifest/buildManifest.ts";

const { contributes, capabilities, nls } = buildManifest();
const packageJson = JSON.parse(readFileSync("package.json", "utf8"));
// `contributes` keeps its place in the file; `capabilities` comes right before it.
const { capabilities: _old, ...rest } = packageJson;
const written = Object.fromEntries(
  Object.entries(rest).flatMap(([key, value]) =>
    key === "contributes"
      ? [
          ["capabilities", capabilities],
          ["contributes", contributes],
        ]
      : [[key, value]],
  ),
);
writeFileSync("package.json", `${JSON.stringify(written, null, 2)}\n`);
writeFileSync("package.nls.json", `${JSON.stringify(nls, null, 2)}\n`);
