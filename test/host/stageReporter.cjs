"use strict";
/** Mocha's spec output for people, and a file with the numbers for `npm test`, written also when the run is cut short by bail. */
const { writeFileSync } = require("node:fs");
const Mocha = require("mocha");

const { EVENT_RUN_END, EVENT_TEST_FAIL, EVENT_TEST_PASS, EVENT_TEST_PENDING } = Mocha.Runner.constants;

/** Where to write `{ passed, failed, skipped, failures: string[] }`. */
const REPORT_VARIABLE = "CONTEXT_CAPSULE_REPORT";

module.exports = class StageReporter extends Mocha.reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const report = { passed: 0, failed: 0, skipped: 0, failures: [] };
    runner.on(EVENT_TEST_PASS, () => report.passed++);
    runner.on(EVENT_TEST_PENDING, () => report.skipped++);
    runner.on(EVENT_TEST_FAIL, (test) => {
      report.failed++;
      report.failures.push(test.fullTitle());
    });
    runner.on(EVENT_RUN_END, () => {
      const file = process.env[REPORT_VARIABLE];
      if (file) writeFileSync(file, JSON.stringify(report));
    });
  }
};
