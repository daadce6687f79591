import assert from "node:assert/strict";
import fc from "fast-check";
import { encodeUtf8, isWellFormed, utf8Length } from "../../../src/core/utf8.ts";
import { textArbitrary } from "./arbitraries.ts";

describe("utf8", () => {
  const texts = [
    "",
    "a",
    "é",
    "€",
    "😀",
    "a€😀é",
    "\ud800",
    "\udc00",
    "x\ud800\ud800y",
    "\udc00\ud800",
    "😀\ud83d",
    "\u0000\uffff",
  ];
  for (const text of texts) {
    it(`encodes ${JSON.stringify(text)} as the platform does`, () => {
      assert.deepEqual(Buffer.from(encodeUtf8(text)), Buffer.from(text));
      assert.equal(utf8Length(text), Buffer.byteLength(text));
    });
  }

  it("agrees with the platform on any text", () => {
    fc.assert(
      fc.property(fc.oneof(textArbitrary(), fc.string({ unit: "binary" })), (text) => {
        assert.deepEqual(Buffer.from(encodeUtf8(text)), Buffer.from(text));
        assert.equal(utf8Length(text), Buffer.byteLength(text));
      }),
    );
  });

  it("says whether a text comes back from its bytes", () => {
    fc.assert(
      fc.property(textArbitrary(), (text) => {
        assert.equal(isWellFormed(text), Buffer.from(text).toString("utf8") === text);
      }),
    );
  });
});
