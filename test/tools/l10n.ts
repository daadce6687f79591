/**
 * Writes media/l10n/bundle.l10n.json: every sentence that src/vscode passes to `l10n.t`, for translators.
 *
 *   node test/tools/l10n.ts
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import ts from "typescript";

export const BUNDLE = "media/l10n/bundle.l10n.json";

export interface CollectedSentences {
  /** Sorted, each once. */
  readonly sentences: readonly string[];
  /** `file:line` of calls whose first argument is no plain string: no translator would ever see it. */
  readonly unreadable: readonly string[];
}

/** Every `l10n.t("…")` and `vscode.l10n.t("…")` of the files. */
export function collectSentences(files: readonly { name: string; text: string }[]): CollectedSentences {
  const sentences = new Set<string>();
  const unreadable: string[] = [];
  for (const { name, text } of files) {
    const source = ts.createSourceFile(name, text, ts.ScriptTarget.ES2023, true);
    const visit = (node: ts.Node): void => {
      if (ts.isCallExpression(node) && isTranslation(node.expression)) {
        const [message] = node.arguments;
        if (message !== undefined && ts.isStringLiteralLike(message)) sentences.add(message.text);
        else unreadable.push(`${name}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}`);
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return { sentences: [...sentences].sort(), unreadable };
}

function isTranslation(called: ts.Expression): boolean {
  return (
    ts.isPropertyAccessExpression(called) &&
    called.name.text === "t" &&
    /(^|\.)l10n$/.test(called.expression.getText())
  );
}

export function surfaceFiles(): { name: string; text: string }[] {
  return readdirSync("src/vscode", { recursive: true, encoding: "utf8" })
    .map((file) => `src/vscode/${file.replaceAll("\\", "/")}`)
    .filter((file) => file.endsWith(".ts"))
    .sort()
    .map((name) => ({ name, text: readFileSync(name, "utf8") }));
}

/** The file's content: VS Code looks an English sentence up and takes its value. */
export function bundleText(sentences: readonly string[]): string {
  return `${JSON.stringify(Object.fromEntries(sentences.map((sentence) => [sentence, sentence])), null, 2)}\n`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const { sentences, unreadable } = collectSentences(surfaceFiles());
  for (const place of unreadable) console.error(`not a plain string: ${place}`);
  mkdirSync(dirname(BUNDLE), { recursive: true });
  writeFileSync(BUNDLE, bundleText(sentences));
  console.log(`${sentences.length} sentences in ${BUNDLE}`);
  process.exitCode = unreadable.length > 0 ? 1 : 0;
}
