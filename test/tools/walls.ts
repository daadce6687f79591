import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { ICruiseOptions, ICruiseResult } from "dependency-cruiser";
import { cruise } from "dependency-cruiser";

export interface WallViolation {
  /** Name of the rule in .dependency-cruiser.cjs. */
  readonly rule: string;
  readonly from: string;
  readonly to: string;
  readonly comment: string;
}

export interface WallReport {
  readonly violations: readonly WallViolation[];
  /** Files of src that were not read; a cruiser without its parser reads none and finds no fault. */
  readonly unread: readonly string[];
  readonly moduleCount: number;
}

/** Checks the imports of `root/src` against `root/.dependency-cruiser.cjs`. */
export async function checkWalls(root: string): Promise<WallReport> {
  const { forbidden, options } = createRequire(import.meta.url)(resolve(root, ".dependency-cruiser.cjs"));
  const cruiseOptions: ICruiseOptions = {
    ...options,
    baseDir: root,
    validate: true,
    ruleSet: { forbidden },
  };
  const { output } = await cruise(["src"], cruiseOptions, options.enhancedResolveOptions);
  const { modules, summary } = output as ICruiseResult;
  const comments = new Map<string, string>();
  for (const rule of forbidden) comments.set(rule.name, rule.comment ?? "");

  const read = new Set(modules.filter(({ source }) => source.startsWith("src/")).map(({ source }) => source));
  return {
    violations: summary.violations.map(({ rule, from, to }) => ({
      rule: rule.name,
      from,
      to,
      comment: comments.get(rule.name) ?? "",
    })),
    unread: sourceFiles(root).filter((file) => !read.has(file)),
    moduleCount: read.size,
  };
}

/** Every TypeScript file of src, as `src/…` with slashes. */
export function sourceFiles(root: string): string[] {
  return readdirSync(resolve(root, "src"), { recursive: true, encoding: "utf8" })
    .map((file) => `src/${file.replaceAll("\\", "/")}`)
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".d.ts"))
    .sort();
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const { violations, unread, moduleCount } = await checkWalls(process.cwd());
  for (const { rule, from, to, comment } of violations) {
    console.error(`${rule}: ${from} → ${to}${comment === "" ? "" : `\n    ${comment}`}`);
  }
  for (const file of unread) console.error(`not read by dependency-cruiser, so not checked: ${file}`);
  if (moduleCount === 0) console.error("dependency-cruiser read no module at all.");
  console.log(`${moduleCount} modules, ${violations.length} violations`);
  process.exitCode = violations.length + unread.length > 0 || moduleCount === 0 ? 1 : 0;
}
