/** Outputs of tools as they look in real sessions: long, repetitive, and mostly of no use later. */
import type { SeededRandom } from "./seededRandom.mts";

const NOUNS = [
  "harbour",
  "gauge",
  "reading",
  "table",
  "zone",
  "page",
  "route",
  "label",
  "crossing",
  "offset",
];
const VERBS = ["parse", "collect", "format", "check", "merge", "render", "sort", "round", "pick", "fold"];
const WORDS = [
  "steady",
  "northern",
  "missing",
  "late",
  "doubled",
  "local",
  "plain",
  "spare",
  "outer",
  "inner",
];

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** A source file with so many small functions. */
export function sourceFile(random: SeededRandom, path: string, functions: number): string {
  const lines = [`// ${path}`, `import { readFile } from "node:fs/promises";`, ""];
  for (let number = 0; number < functions; number++) {
    const verb = random.pick(VERBS);
    const noun = random.pick(NOUNS);
    const word = random.pick(WORDS);
    lines.push(
      `/** Returns every ${word} ${noun} from minute ${random.between(0, 700)} on, oldest first. */`,
      `export function ${verb}${capital(word)}${capital(noun)}${number}(${noun}s, limit = ${random.between(3, 90)}) {`,
      `  const kept = ${noun}s.filter((${noun}) => ${noun}.centimetres > ${random.between(40, 400)});`,
      `  if (kept.length > limit) kept.length = limit;`,
      `  return kept.map((${noun}) => ({ ...${noun}, source: "${path}:${random.between(1, 400)}" }));`,
      "}",
      "",
    );
  }
  return lines.join("\n");
}

/** Output of a test run; `failing` tests fail with an assertion. */
export function testRun(random: SeededRandom, tests: number, failing = 0): string {
  const lines = ["TAP version 14"];
  for (let number = 1; number <= tests; number++) {
    const title = `${random.pick(VERBS)}s ${random.pick(WORDS)} ${random.pick(NOUNS)}s of ${random.hex(4)}`;
    const fails = number > tests - failing;
    lines.push(
      `${fails ? "not ok" : "ok"} ${number} - ${title}`,
      `  ---`,
      `  duration_ms: ${random.between(1, 90)}`,
    );
    if (fails) lines.push(`  error: expected ${random.between(100, 300)}, got ${random.between(301, 500)}`);
    lines.push("  ...");
  }
  lines.push(`1..${tests}`, `# pass ${tests - failing}`, `# fail ${failing}`);
  return lines.join("\n");
}

/** Gauge readings in the project's data format. */
export function gaugeTable(random: SeededRandom, rows: number): string {
  const lines = ["minute,centimetres,quality"];
  for (let row = 0; row < rows; row++) {
    const height = Math.round(200 + 95 * Math.sin(row / 6)) + random.between(-4, 4);
    lines.push(`${row * 10},${height},${random.pick(["ok", "ok", "ok", "late"])}`);
  }
  return lines.join("\n");
}

export function searchHits(random: SeededRandom, pattern: string, hits: number): string {
  return Array.from({ length: hits }, () => {
    const file = `src/${random.pick(NOUNS)}s/${random.pick(VERBS)}.js`;
    const call = `${pattern}(${random.pick(NOUNS)}s, ${random.between(1, 90)})`;
    return `${file}:${random.between(1, 400)}:  const ${random.pick(WORDS)} = ${call};`;
  }).join("\n");
}

export function buildLog(random: SeededRandom, steps: number): string {
  return Array.from(
    { length: steps },
    (_, step) =>
      `[${String(step + 1).padStart(3)}/${steps}] ${random.pick(VERBS)} ${random.pick(NOUNS)}s/${random.hex(6)}.js ` +
      `(${random.between(2, 480)} kB, ${random.between(1, 60)} ms)`,
  ).join("\n");
}
