import assert from "node:assert/strict";
import { describe, it } from "mocha";
import { spendPins } from "../../../../src/core/budget/spendPins.ts";
import { spendTriggerFires } from "../../../../src/core/budget/spendTrigger.ts";
import { estimateTokens } from "../../../../src/core/estimate.ts";
import { assistant, textOfTokens, user } from "../messageBuilders.ts";

describe("the second trigger", () => {
  it("four ceilings exactly does not fire, one less does", () => {
    assert.equal(spendTriggerFires(4000, 1000), false);
    assert.equal(spendTriggerFires(3999, 1000), true);
    assert.equal(spendTriggerFires(0, 1), true);
  });

  it("does not fire for a call that cannot be priced, nor without a limit", () => {
    assert.equal(spendTriggerFires(0, undefined), false);
    assert.equal(spendTriggerFires(Number.POSITIVE_INFINITY, 1000), false);
  });
});

describe("pins of a spend compaction", () => {
  const messages = [
    user("root", textOfTokens(9000)),
    assistant("a1", "Yes."),
    user("notice", textOfTokens(50), "notice"),
    user("command", "/mode"),
    user("u1", textOfTokens(60)),
    user("attached", textOfTokens(70), "attachment"),
    user("u2", textOfTokens(40)),
    user("u3", textOfTokens(5)),
  ];
  const pins = (pinnedUserTokens: number, rootId = "root") =>
    spendPins(messages, { rootId, pinnedUserTokens, estimate: estimateTokens });

  it("are the oldest user messages after the root, as far as the tokens go", () => {
    assert.deepEqual(pins(1000), ["u1", "u2", "u3"]);
    assert.deepEqual(pins(105), ["u1", "u2", "u3"]);
    assert.deepEqual(pins(104), ["u1", "u2"]);
    assert.deepEqual(pins(99), ["u1"]);
    assert.deepEqual(pins(59), []);
  });
});
