import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import fc from "fast-check";
import { sha256Hex, useHostSha256 } from "../../../src/core/digest.ts";
import { textArbitrary } from "./arbitraries.ts";

describe("sha256Hex", () => {
  it("gives the published digest of the empty text and of abc", () => {
    assert.equal(sha256Hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert.equal(sha256Hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  });

  it("agrees with the platform on any text, lone surrogates included", () => {
    fc.assert(
      fc.property(textArbitrary(), (text) => {
        assert.equal(sha256Hex(text), createHash("sha256").update(text).digest("hex"));
      }),
    );
  });

  it("takes the host's own implementation, and refuses one that makes other digests", () => {
    const native = (text: string) => createHash("sha256").update(text).digest("hex");
    assert.throws(() => useHostSha256((text) => native(`${text} `)), { code: "invalid_options" });
    assert.throws(() => useHostSha256((text) => createHash("sha256").update(text, "latin1").digest("hex")), {
      code: "invalid_options",
    });
    useHostSha256(native);
    assert.equal(sha256Hex("abc"), native("abc"));
  });
});
