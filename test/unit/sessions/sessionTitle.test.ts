import assert from "node:assert/strict";
import { MAX_TITLE_CHARACTERS, readableTitle } from "../../../src/sessions/sessionTitle.ts";

const cases: readonly (readonly [stored: string, shown: string | undefined])[] = [
  ["Tide tables", "Tide tables"],
  ["  two\n\tlines\r\n", "two lines"],
  ["\u001b[31mred\u001b[0m\u0007", "[31mred [0m"],
  ["abc\u202egpj.exe\u202c", "abc gpj.exe"],
  ["\u2066\u2067\ufeff\u0000", undefined],
  ["", undefined],
  ["lone \ud800", "lone \ufffd"],
  ["👩‍👩‍👧 family", "👩‍👩‍👧 family"],
  ["👍".repeat(300), `${"👍".repeat(MAX_TITLE_CHARACTERS - 1)}…`],
  ["x".repeat(200), "x".repeat(200)],
];

describe("readableTitle", () => {
  for (const [stored, shown] of cases) {
    it(`reads ${JSON.stringify(stored.slice(0, 30))}`, () => assert.equal(readableTitle(stored), shown));
  }
});
