import assert from "node:assert/strict";
import fc from "fast-check";
import { encodeUtf8, isWellFormed, useHostUtf8Length, utf8Length } from "../../../src/core/utf8.ts";
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

  it("takes the host's own count, and refuses one that counts otherwise", () => {
    assert.throws(() => useHostUtf8Length((text) => text.length), { code: "invalid_options" });
    assert.throws(() => useHostUtf8Length((text) => new TextEncoder().encode(text).length + 1), {
      code: "invalid_options",
    });
    useHostUtf8Length((text) => Buffer.byteLength(text));
    assert.equal(utf8Length("a€😀\ud800"), 11);
  });

  it("says whether a text comes back from its bytes", () => {
    fc.assert(
      fc.property(textArbitrary(), (text) => {
        assert.equal(isWellFormed(text), Buffer.from(text).toString("utf8") === text);
      }),
    );
  });
});
