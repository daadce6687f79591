import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { projectRoot } from "../../host/project.mts";

function npmTest(...args: string[]): { code: number | null; lines: string[]; output: string } {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(projectRoot, "test/host/runAll.mts"), ...args],
    {
      cwd: projectRoot,
      encoding: "utf8",
    },
  );
  return { code: status, lines: stdout.trim().split("\n"), output: `${stdout}${stderr}` };
}

describe("npm test", () => {
  it("ends with one plain line of numbers", () => {
    const { code, lines } = npmTest("test/unit/host/strictProposals.test.ts");
    assert.match(lines.at(-1) ?? "", /^[1-9]\d* passed, 0 failed$/);
    assert.equal(code, 0);
  });

  it("fails when nothing ran", () => {
    const { code, lines } = npmTest(
      "test/unit/host/strictProposals.test.ts",
      "--grep",
      "no test has this title",
    );
    assert.equal(lines.at(-1), "0 passed, 0 failed");
    assert.equal(code, 1);
  });

  it("counts a run that dies before it can report as a failure", () => {
    const { code, lines } = npmTest("test/unit/host/no-such-file.test.ts");
    assert.equal(lines.at(-1), "0 passed, 1 failed");
    assert.equal(code, 1);
  });

  it("says what it does not know", () => {
    const { code, output } = npmTest("nonsense");
    assert.match(output, /"nonsense" is neither a stage \(check, unit, suite, ui\) nor a test file/);
    assert.equal(code, 2);
  });
});
