import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { canarySession, PUBLISHED_SEEDS } from "../../../bench/fidelity/canarySession.mts";
import { SHORT_HEADINGS, tableLines } from "../../../bench/fidelity/fidelityTable.mts";
import type { Measured } from "../../../bench/fidelity/measure.mts";
import { compactors, measure } from "../../../bench/fidelity/measure.mts";
import { projectRoot } from "../../../host/project.mts";

const README_BUDGET = 0.2;
const cellsOf = (line: string): string => line.replace(/ +/g, " ").trim();

describe("the fidelity table of the README", function () {
  this.timeout(120_000);

  it("has the rows that the bench prints, of all but the packages of others", async () => {
    const readme = readFileSync(join(projectRoot, "README.md"), "utf8").split("\n").map(cellsOf);
    const sessions = PUBLISHED_SEEDS.map((seed) => canarySession(seed));
    const measured: Measured[] = [];
    for (const compactor of compactors(undefined)) {
      measured.push(await measure(compactor, sessions, README_BUDGET));
    }
    const [head, , ...rows] = tableLines(measured, SHORT_HEADINGS).map(cellsOf);
    for (const row of [head, ...rows]) assert.ok(readme.includes(row ?? ""), `README.md lacks: ${row}`);
  });
});
