import assert from "node:assert/strict";
import { attachmentsOf, includeAttachments, isEvictable, startsTurn } from "../../../src/core/turns.ts";
import { assistant, result, system, user } from "./messageBuilders.ts";

describe("turns", () => {
  it("only a message that a person typed starts one", () => {
    assert.equal(startsTurn(user("m", "hi")), true);
    for (const kind of ["capsule", "notice", "attachment"] as const)
      assert.equal(startsTurn(user("m", "hi", kind)), false);
    assert.equal(startsTurn(assistant("m", "hi")), false);
    assert.equal(startsTurn(system("m", "hi")), false);
    assert.equal(startsTurn(result("m", "a")), false);
  });

  const messages = [
    user("m0", "first"),
    user("m1", "file", "attachment"),
    user("m2", "file", "attachment"),
    user("m3", "second"),
    assistant("m4", "ok"),
    user("m5", "note", "notice"),
    user("m6", "third"),
  ];

  it("a cut before a turn, or among its attachments, moves to the first attachment", () => {
    assert.deepEqual(
      [0, 1, 2, 3].map((cut) => includeAttachments(messages, cut)),
      [0, 1, 1, 1],
    );
  });

  it("any other cut stays", () => {
    assert.deepEqual(
      [4, 5, 6, 7].map((cut) => includeAttachments(messages, cut)),
      [4, 5, 6, 7],
    );
  });

  it("the attachments of a turn are those directly before it", () => {
    assert.deepEqual(
      attachmentsOf(messages, 3).map((message) => message.id),
      ["m1", "m2"],
    );
    assert.deepEqual(attachmentsOf(messages, 6), []);
  });

  it("results and attachments hold text that eviction might replace", () => {
    assert.equal(isEvictable(result("m", "a")), true);
    assert.equal(isEvictable(user("m", "file", "attachment")), true);
    assert.equal(isEvictable(user("m", "hi")), false);
  });
});
