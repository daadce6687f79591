"use strict";
/** Mocha's spec output for people, and a file with the numbers for `npm test`, written also when the run is cut short by bail. */
const { writeFileSync } = require("node:fs");
const { findSourceMap } = require("node:module");
const Mocha = require("mocha");

const { EVENT_RUN_END, EVENT_TEST_FAIL, EVENT_TEST_PASS, EVENT_TEST_PENDING } = Mocha.Runner.constants;

/** Where to write `{ passed, failed, skipped, failures: string[] }`. */
const REPORT_VARIABLE = "CONTEXT_CAPSULE_REPORT";

/** VS Code formats stacks itself, so bundles' places are turned into places in the sources here. */
function inSources(stack) {
  return stack.replaceAll(/(\/[^\s()]+\.cjs):(\d+):(\d+)/g, (place, file, line, column) => {
    const origin = findSourceMap(file)?.findOrigin(Number(line), Number(column));
    return origin?.fileName === undefined
      ? place
      : `${origin.fileName}:${origin.lineNumber}:${origin.columnNumber}`;
  });
}

module.exports = class StageReporter extends Mocha.reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const report = { passed: 0, failed: 0, skipped: 0, failures: [] };
    runner.on(EVENT_TEST_PASS, () => report.passed++);
    runner.on(EVENT_TEST_PENDING, () => report.skipped++);
    runner.on(EVENT_TEST_FAIL, (test) => {
      report.failed++;
      report.failures.push(test.fullTitle());
      if (test.err?.stack) test.err.stack = inSources(test.err.stack);
    });
    runner.on(EVENT_RUN_END, () => {
      const file = process.env[REPORT_VARIABLE];
      if (file) writeFileSync(file, JSON.stringify(report));
    });
  }
};
