import assert from "node:assert/strict";
import { sha256Hex } from "../../../src/core/digest.ts";
import { CompactionError } from "../../../src/core/errors.ts";
import { checkRecovered, recover } from "../../../src/core/recover.ts";

describe("recover", () => {
  const text = "an output — with €";
  const digest = sha256Hex(text);

  it("recovered bytes equal, altered ones fail", async () => {
    assert.equal(await recover(digest, () => text), text);
    assert.equal(await recover(digest, async () => text), text);
    await assert.rejects(
      recover(digest, () => `${text} `),
      (error) => {
        assert.ok(error instanceof CompactionError);
        assert.equal(error.code, "altered_bytes");
        assert.ok(error.message.includes(digest));
        return true;
      },
    );
    assert.throws(() => checkRecovered(digest, ""), { code: "altered_bytes" });
  });

  it("what is gone fails loudly", async () => {
    await assert.rejects(
      recover(digest, () => undefined),
      { code: "not_stored" },
    );
  });

  it("an error of the store goes through", async () => {
    await assert.rejects(
      recover(digest, () => Promise.reject(new Error("disk"))),
      { message: "disk" },
    );
  });

  it("an empty text that was stored is no missing one", async () => {
    assert.equal(await recover(sha256Hex(""), () => ""), "");
  });
});
